"""Partitions of a query over graphs: PARTITION BY as joins, where a query may be cut, and what tells the keys.

Each GPM has the keys of its event, so partial matches meet events of their substream only.  An event with several keys
stands in several substreams; the matcher sees it once for each (``nfa_native.joins.substreams``).

Without PARTITION BY a query is cut by a variable in which all events of a match are equal, also those that are negated
or absent, and those that a step passes over: one that every GPM of SEQ binds in each solution, and that joins.  Of an
event with several values the solutions of a partial match would be cut apart; that only shows when it comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpm.algebra import Element, Filter, Group, Operation, Triples, Union, Variable
from gpm.errors import PatternError
from gpm.rewrite import rename, walk
from gpm.scope import certain, in_scope, mentioned
from spaseq.pattern.sequences import (
    AtomDefinition,
    Construction,
    Query,
    Selection,
    SequenceExpression,
    Strategy,
    group_variables,
    occurrences,
)
from spaseq.plan.description import Partitioning, whole

if TYPE_CHECKING:
    from gpm.evaluator import CompiledPattern, Evaluator


CLAUSE = "PARTITION BY"


def partitioned(query: Query) -> Query:
    """The query with the keys of events joined into the solutions of its GPMs."""
    if not query.keys:
        return query
    return replace(query, atoms=tuple(_with_keys(query, atom) for atom in query.atoms))


def key_atoms(query: Query) -> tuple[AtomDefinition, ...]:
    """What else than the GPMs of SEQ says which keys an event has: USING, or GPMs that SEQ does not name."""
    partition = query.partition
    if partition is None:
        return ()
    if partition.using is not None:
        return tuple(
            AtomDefinition(_title(stream.name, query), stream.iri, _bound(partition.using, query.keys), query.keys)
            for stream in query.streams
        )
    used = {place.name for place in occurrences(query.expression)}
    others = (atom for atom in query.atoms if atom.name not in used and set(query.keys) <= set(atom.variables))
    return tuple(
        AtomDefinition(f"{CLAUSE} as {atom.name}", atom.stream, _bound(atom.pattern, query.keys), query.keys)
        for atom in others
    )


def has_strict_steps(expression: SequenceExpression) -> bool:
    """Whether some step wants the very next event."""
    return any(getattr(node, "strategy", None) is Strategy.STRICT for node in walk(expression))


def _title(stream: str, query: Query) -> str:
    return CLAUSE if len(query.streams) == 1 else f"{CLAUSE} on {stream}"


def _with_keys(query: Query, atom: AtomDefinition) -> AtomDefinition:
    """The GPM with all solutions joined with the keys of the event; where its own solutions have them, as it is."""
    assert query.partition is not None
    using = query.partition.using
    if using is None and certain(atom.pattern) >= set(query.keys):
        return atom
    sources = [using] if using is not None else list(_sources(query, atom.stream))
    if not sources:
        return atom
    variables = tuple(dict.fromkeys((*atom.variables, *query.keys)))
    return replace(atom, pattern=Group((atom.pattern, *_keys(query, sources))), variables=variables)


def _sources(query: Query, stream: str) -> Iterator[Group]:
    """The patterns that tell the keys of the stream's events, without USING."""
    for atom in query.atoms:
        if atom.stream == stream and set(query.keys) <= in_scope(atom.pattern):
            yield atom.pattern


def _keys(query: Query, sources: Iterable[Group]) -> Iterator[Element]:
    """What binds the keys, its other names renamed: they are nobody else's."""
    taken = mentioned(query.atoms) | set(query.keys)
    mark = "key"
    while any(name.startswith(mark) for name in taken):
        mark += "_"
    groups = [_apart(_bound(source, query.keys), query.keys, f"{mark}{n}_") for n, source in enumerate(sources)]
    yield groups[0] if len(groups) == 1 else Union(tuple(groups))


def _apart(group: Group, keys: tuple[str, ...], mark: str) -> Group:
    return rename(group, lambda name: name if name in keys else mark + name, lambda label: mark + label)


def _bound(group: Group, keys: tuple[str, ...]) -> Group:
    """The solutions of the group that bind all keys."""
    open_keys = [key for key in keys if key not in certain(group)]
    filters = (Filter(Operation("BOUND", (Variable(key),))) for key in open_keys)
    return Group((group, *filters)) if open_keys else group


# ── where a query may be partitioned ─────────────────────────────────────────────────────────────────────
def split(query: Query, aggregates: bool) -> Partitioning:
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
    return Partitioning((found[0],), "every GPM binds it, and all events of a match are joined by it")


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


def split_of(query: Query, aggregates: bool, together: int) -> Partitioning:
    """As ``split``, for one of so many queries that have to stay together."""
    if together > 1:
        return whole("it is linked with other queries by a derived stream")
    return split(query, aggregates)


def _by_partition(query: Query, aggregates: bool) -> Partitioning:
    shown = set(query.keys) <= set(_shown(query.form))
    if isinstance(query.form, Selection) and query.form.distinct and not shown:
        return whole(f"DISTINCT is over all partitions: SELECT {_listed(query.keys)} to keep them apart")
    return Partitioning(
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


# ── the native patterns that tell the keys of an event ───────────────────────────────────────────────────
@dataclass(frozen=True, slots=True, eq=False)
class KeyPattern:
    """What a GPM says of the keys of the events of ``stream`` (its IRI): each row has them, in their order.

    An event without a row matches no such GPM.
    """

    stream: str
    pattern: CompiledPattern


def key_patterns(
    atoms: Sequence[AtomDefinition], keys: tuple[str, ...], evaluator: Evaluator
) -> tuple[KeyPattern, ...] | None:
    """Those of all atoms of a query that may be cut; None: one of them needs pyoxigraph for its keys."""
    found = []
    for atom in atoms:
        compiled = _natively(atom.pattern, keys, evaluator)
        if compiled is None:
            return None
        found.append(KeyPattern(atom.stream, compiled))
    return tuple(found)


def split_natively(split: Partitioning, atoms: Sequence[AtomDefinition], evaluator: Evaluator) -> Partitioning:
    """Where a query with these atoms is cut, its keys to be found without pyoxigraph."""
    if split.keys and key_patterns(atoms, split.keys, evaluator) is None:
        listed = ", ".join(f"?{key}" for key in split.keys)
        return whole(f"pyoxigraph alone could tell {listed} of an event")
    return split


def _natively(pattern: Group, keys: tuple[str, ...], evaluator: Evaluator) -> CompiledPattern | None:
    """The first native form of a pattern: itself, or what its solutions surely have."""
    for group in (pattern, *_implied(pattern, keys)):
        try:
            compiled = evaluator.compile(group, keys)
        except PatternError:
            continue
        if compiled.is_native:
            return compiled
    return None


def _implied(pattern: Group, keys: tuple[str, ...]) -> Iterator[Group]:
    """The triples of a pattern without its conditions, if they bind the keys."""
    group = Group(tuple(_triples(pattern)))
    if set(keys) <= certain(group):
        yield group


def _triples(group: Group) -> Iterator[Element]:
    for element in group.elements:
        if isinstance(element, Triples):
            yield element
        elif isinstance(element, Group):
            yield from _triples(element)
