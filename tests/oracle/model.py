"""The oracle's own model of a SPAseq query, and the name of its printer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .expressions import Expression


@dataclass(frozen=True)
class Atom:
    """One occurrence of a GPM in the sequence expression."""

    gpm: str


@dataclass(frozen=True)
class And:
    """`A & B & …`, all at one timestamp."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """`A | B | …`."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class AnyOrder:
    """`X && Y && …`, in any order or at one time."""

    sides: tuple[Node, ...]


@dataclass(frozen=True)
class Seq:
    """`left operator right`, operator one of `, ; :`."""

    left: Node
    operator: str
    right: Node


@dataclass(frozen=True)
class Kleene:
    """`body{least,most}`; most None is unbounded, operator None the default iteration operator."""

    body: Node
    least: int
    most: int | None
    operator: str | None = None


@dataclass(frozen=True)
class Maybe:
    """`body?`."""

    body: Node


@dataclass(frozen=True)
class Not:
    """`body!` of a BOp."""

    body: Node


Node = Atom | And | Or | AnyOrder | Seq | Kleene | Maybe | Not


@dataclass(frozen=True)
class Gpm:
    """`DEFINE GPM name ON stream { pattern FILTER(…) … }`.

    stream is a name of a FROM STREAM clause or `<iri>`; variables are those in scope in the pattern, in order of first
    mention; filters are top-level FILTERs (the stateful ones must be here, others may also stand in the pattern).
    """

    name: str
    stream: str
    pattern: str
    variables: tuple[str, ...]
    filters: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Window:
    """`WITHIN length unit [SLIDING] [FROM origin]`; unit as printed, `EVENTS` for positions; origin in microseconds."""

    length: int
    unit: str
    sliding: bool = False
    origin: int | None = None


@dataclass(frozen=True)
class Column:
    """`(expression AS ?name)` of a SELECT."""

    expression: Expression
    name: str


@dataclass(frozen=True)
class Select:
    """items are variable names or Columns; None is `SELECT *`; having are conditions on groups."""

    items: tuple[str | Column, ...] | None = None
    distinct: bool = False
    group_by: tuple[str, ...] = ()
    having: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Partition:
    """`PARTITION BY ?key … [USING { using }]`; without USING the GPMs of an event's stream give its keys."""

    keys: tuple[str, ...]
    using: str | None = None


@dataclass(frozen=True)
class Query:
    """A whole query; streams are (name, IRI) pairs in the order of FROM STREAM, prefixes (prefix, IRI) pairs."""

    sequence: Node
    gpms: tuple[Gpm, ...]
    streams: tuple[tuple[str, str], ...] = (("s", "http://example.org/stream/s"),)
    select: Select = field(default_factory=Select)
    window: Window | None = None
    prefixes: tuple[tuple[str, str], ...] = (("", "http://example.org/"),)
    partition: Partition | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The variables of PARTITION BY."""
        return self.partition.keys if self.partition else ()

    def gpm(self, name: str) -> Gpm:
        """The definition of a GPM."""
        return next(gpm for gpm in self.gpms if gpm.name == name)

    def stream_iri(self, gpm: Gpm) -> str:
        """The IRI of the stream a GPM reads."""
        return gpm.stream[1:-1] if gpm.stream.startswith("<") else dict(self.streams)[gpm.stream]


@dataclass(frozen=True)
class Event:
    """An event: stream IRI, timestamp in microseconds, name, triples of N-Triples terms."""

    stream: str
    time: int
    name: str
    triples: tuple[tuple[str, str, str], ...]


def parts(node: Node) -> tuple[Node, ...]:
    """The direct operands of a sequence expression."""
    match node:
        case Atom():
            return ()
        case And(operands) | Or(operands) | AnyOrder(operands):
            return operands
        case Seq(left, _, right):
            return left, right
    return (node.body,)


def walk_nodes(node: Node) -> Iterator[Node]:
    """The node and all below it, in order of mention."""
    yield node
    for part in parts(node):
        yield from walk_nodes(part)


def is_bop(node: Node) -> bool:
    """Whether node is an atom, or atoms combined by `&` and `|` only."""
    return all(isinstance(part, Atom | And | Or) for part in walk_nodes(node))
