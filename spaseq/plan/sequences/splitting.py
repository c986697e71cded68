"""Where a query over graphs may be cut, so that its parts are evaluated apart and their results together are its own.

Without PARTITION BY that is by a variable in which all events of a match are equal, also those that are negated or
absent, and those that a step passes over: one that every GPM of SEQ binds in each solution, and that joins.  Of an
event with several values the solutions of a partial match would be cut apart; that only shows when it comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpm.algebra import Variable
from gpm.scope import certain
from spaseq.pattern.sequences import Construction, Query, Selection, group_variables, occurrences
from spaseq.plan.sequences.partition import has_strict_steps
from spaseq.plan.split import Split, whole


def split(query: Query, aggregates: bool) -> Split:
    """Where a query may be cut, nobody reading what it derives; ``aggregates``: it aggregates over matches."""
    if query.keys:
        return _by_partition(query, aggregates)
    if has_strict_steps(query.expression):
        return whole("“,” asks for the very next event of all")
    if query.window is not None and query.window.events:
        return whole("the window counts all events")
    joined = list(_joined(query))
    if not joined:
        return whole("there is no variable that every GPM binds and by which all events of a match are joined")
    found = [name for name in joined if _is_apart(query, (name,), aggregates)]
    if not found:
        return whole(_compared(joined, query.form))
    return Split((found[0],), "every GPM binds it, and all events of a match are joined by it")


def components(queries: Sequence[Query]) -> list[list[int]]:
    """The numbers of the queries that have to stay together: those linked by streams that one derives for another."""
    derived = {query.form.into for query in queries if isinstance(query.form, Construction)}
    found: list[tuple[set[str], list[int]]] = []
    for number, query in enumerate(queries):
        links = {stream.iri for stream in query.streams} & derived
        if isinstance(query.form, Construction):
            links.add(query.form.into)
        met = [one for one in found if one[0] & links]
        found = [one for one in found if not one[0] & links]
        linked = set().union(links, *(names for names, _ in met))
        found.append((linked, sorted([number, *(other for _, others in met for other in others)])))
    return sorted(numbers for _, numbers in found)


def split_of(query: Query, aggregates: bool, together: int) -> Split:
    """As ``split``, for one of so many queries that have to stay together."""
    if together > 1:
        return whole("it is linked with other queries by a derived stream")
    return split(query, aggregates)


def _by_partition(query: Query, aggregates: bool) -> Split:
    shown = set(query.keys) <= set(_shown(query.form))
    if isinstance(query.form, Selection) and query.form.distinct and not shown:
        return whole(f"DISTINCT is over all partitions: SELECT {_listed(query.keys)} to keep them apart")
    return Split(
        query.keys, "each partition is a stream of its own", shown and not isinstance(query.form, Construction)
    )


def _joined(query: Query) -> Iterator[str]:
    """The variables by which all events that have to do with each other are joined, in order of mention."""
    places = occurrences(query.expression)
    atoms = {place.name: query.atom(place.name) for place in places}
    own = frozenset().union(*group_variables(query.expression, query.variables()))
    everywhere = frozenset.intersection(*(certain(atom.pattern) for atom in atoms.values()))
    return (name for name in next(iter(atoms.values())).variables if name in everywhere - own)


def _is_apart(query: Query, keys: Iterable[str], aggregates: bool) -> bool:
    """Whether rows of different keys never become one row."""
    form = query.form
    if isinstance(form, Construction):
        return True
    return (not aggregates or set(keys) <= set(form.group_by)) and (not form.distinct or set(keys) <= set(_shown(form)))


def _shown(form: Selection | Construction) -> Iterator[str]:
    """The variables that stand in a row as they are."""
    if isinstance(form, Selection):
        yield from (one.expression.name for one in form.projections if isinstance(one.expression, Variable))


def _compared(joined: Iterable[str], form: Selection | Construction) -> str:
    """Why rows of different keys may become one, and what would keep them apart."""
    if isinstance(form, Selection) and form.distinct:
        return f"DISTINCT compares the rows of all {_listed(joined)}: SELECT would keep them apart"
    return f"aggregates are over the matches of all {_listed(joined)}: GROUP BY would keep them apart"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"?{name}" for name in names)
