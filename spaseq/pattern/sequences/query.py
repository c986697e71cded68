"""A whole query, neutral of the language that it was written in."""

from __future__ import annotations

from dataclasses import dataclass

from gpm.algebra import Expression, Group, Projection, Triple
from spaseq.pattern.sequences.expression import SequenceExpression


@dataclass(frozen=True, slots=True)
class Window:
    """``WITHIN``: ``length`` in microseconds, or in events of the streamset if ``events``.

    ``origin`` is the microsecond at which tumbling time windows are aligned (``FROM``).
    """

    length: int
    sliding: bool = False
    events: bool = False
    origin: int = 0


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of the FROM STREAM clauses; ``name`` is the query's short name for it (the IRI if it gives none)."""

    name: str
    iri: str


@dataclass(frozen=True, slots=True)
class AtomDefinition:
    """``DEFINE GPM name ON stream {…}``.

    ``pattern`` is the graph pattern without its stateful filters, ``variables`` those in scope at its top level in the
    order of first mention, ``stateful`` the filters that need the partial match (SEMANTICS 2).
    """

    name: str
    stream: str
    pattern: Group
    variables: tuple[str, ...]
    stateful: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """SELECT: ``projections`` with ``*`` already expanded; ``group_by`` only with aggregates over matches.

    ``having`` are conditions on their groups, names of SELECT replaced by what they mean.
    """

    projections: tuple[Projection, ...]
    distinct: bool = False
    group_by: tuple[str, ...] = ()
    having: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Construction:
    """CONSTRUCT {template} INTO STREAM <into>."""

    template: tuple[Triple, ...]
    into: str


@dataclass(frozen=True, slots=True)
class Partition:
    """``PARTITION BY ?key … [USING {using}]`` (SEMANTICS 3.5): ``keys`` are names of variables, each once."""

    keys: tuple[str, ...]
    using: Group | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A checked query.  ``streams`` are distinct IRIs in the order of FROM STREAM; ``atoms`` the defined GPMs."""

    form: Selection | Construction
    streams: tuple[Stream, ...]
    atoms: tuple[AtomDefinition, ...]
    expression: SequenceExpression
    window: Window | None = None
    name: str = ""
    partition: Partition | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The variables of PARTITION BY; none without it."""
        return self.partition.keys if self.partition else ()

    @property
    def group_by(self) -> tuple[str, ...]:
        """What aggregates over matches are grouped by: the keys, and what GROUP BY names."""
        named = self.form.group_by if isinstance(self.form, Selection) else ()
        return tuple(dict.fromkeys((*self.keys, *named)))

    def atom(self, name: str) -> AtomDefinition:
        """The definition of the GPM called ``name``; KeyError if there is none."""
        for definition in self.atoms:
            if definition.name == name:
                return definition
        raise KeyError(name)

    def variables(self) -> dict[str, tuple[str, ...]]:
        """The variables in scope in each GPM by name: the keys of PARTITION BY are in scope everywhere."""
        return {one.name: tuple(dict.fromkeys((*self.keys, *one.variables))) for one in self.atoms}
