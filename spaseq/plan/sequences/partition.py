"""PARTITION BY as joins: each GPM has the keys of its event, so partial matches meet events of their substream only.

An event with several keys stands in several substreams; the matcher sees it once for each
(``nfa_native.joins.substreams``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gpm.algebra import Element, Filter, Group, Operation, Union, Variable
from gpm.rewrite import rename, walk
from gpm.scope import certain, in_scope, mentioned
from spaseq.pattern.sequences import AtomDefinition, Query, SequenceExpression, Strategy, occurrences

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
