"""The oracle's own model of a graph, a path, an expression and a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

Term = str  # as in N-Triples: <iri>, "text", "1"^^<datatype>, _:b
Edge = tuple[Term, Term, Term]  # subject, predicate, object
Step = tuple[Term, bool]  # the predicate, and whether the edge is taken inverse

SELECTORS = ("ALL", "ANY", "ALL SHORTEST", "ANY SHORTEST", "SHORTEST")
RESTRICTORS = ("WALK", "TRAIL", "ACYCLIC", "SIMPLE")
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"


# ── graphs and paths ─────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Graph:
    """A set of edges."""

    edges: frozenset[Edge]

    @staticmethod
    def of(edges: Iterable[Edge]) -> Graph:
        return Graph(frozenset(edges))

    @cached_property
    def nodes(self) -> tuple[Term, ...]:
        """The nodes of some edge, sorted."""
        return tuple(sorted({node for start, _, end in self.edges for node in (start, end)}))

    @cached_property
    def steps(self) -> dict[Term, tuple[tuple[Step, Term], ...]]:
        """The steps from each node, each with the node it leads to."""
        found: dict[Term, list[tuple[Step, Term]]] = {node: [] for node in self.nodes}
        for start, predicate, end in sorted(self.edges):
            found[start].append(((predicate, False), end))
            found[end].append(((predicate, True), start))
        return {node: tuple(steps) for node, steps in found.items()}


@dataclass(frozen=True)
class Path:
    """Nodes v0 … vn and the steps between them."""

    nodes: tuple[Term, ...]
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        if len(self.nodes) != len(self.steps) + 1:
            raise ValueError(f"{len(self.nodes)} nodes cannot have {len(self.steps)} steps between them")

    @property
    def ends(self) -> tuple[Term, Term]:
        return self.nodes[0], self.nodes[-1]

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges as the graph has them, one for each step."""
        pairs = zip(self.nodes, self.nodes[1:], strict=False)
        return tuple(
            (end, predicate, start) if inverse else (start, predicate, end)
            for (start, end), (predicate, inverse) in zip(pairs, self.steps, strict=True)
        )

    def longer(self, step: Step, node: Term) -> Path:
        return Path((*self.nodes, node), (*self.steps, step))

    def reversed(self) -> Path:
        steps = ((predicate, not inverse) for predicate, inverse in reversed(self.steps))
        return Path(self.nodes[::-1], tuple(steps))

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        words = [self.nodes[0]]
        for (predicate, inverse), node in zip(self.steps, self.nodes[1:], strict=True):
            words += [("^" if inverse else "") + predicate, node]
        return " -> ".join(words)


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Forward:
    """`iri`: an edge with this predicate."""

    predicate: Term


@dataclass(frozen=True)
class Inverse:
    """`^body`."""

    body: Expression


@dataclass(frozen=True)
class Sequence:
    """`left / right`."""

    left: Expression
    right: Expression


@dataclass(frozen=True)
class Alternative:
    """`left | right`."""

    left: Expression
    right: Expression


@dataclass(frozen=True)
class Repeat:
    """`body{least,most}`; without ``most`` any number.  `*`, `+` and `?` are such ones."""

    body: Expression
    least: int
    most: int | None


@dataclass(frozen=True)
class Negated:
    """`!(iri|^iri|…)`: a step with another predicate, in the directions of the members."""

    members: tuple[Step, ...]

    def takes(self, step: Step) -> bool:
        own = [predicate for predicate, inverse in self.members if inverse == step[1]]
        return bool(own) and step[0] not in own


@dataclass(frozen=True)
class Condition:
    """`[?variable: text]`: the node itself, if the SPARQL expression is true of it.  It has no prefixed names."""

    variable: str
    text: str


Expression = Forward | Inverse | Sequence | Alternative | Repeat | Negated | Condition


def parts(expression: Expression) -> Iterator[Expression]:
    """The expression and all within it."""
    yield expression
    for part in children(expression):
        yield from parts(part)


def children(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case Inverse(body) | Repeat(body):
            return (body,)
        case Sequence(left, right) | Alternative(left, right):
            return left, right
        case _:
            return ()


def longest(expression: Expression) -> float:
    """How many steps a match can have at most, whatever the graph; infinite if there is no bound."""
    match expression:
        case Forward() | Negated():
            return 1
        case Condition():
            return 0
        case Inverse(body):
            return longest(body)
        case Sequence(left, right):
            return longest(left) + longest(right)
        case Alternative(left, right):
            return max(longest(left), longest(right))
        case Repeat(body, _, most):
            times = float("inf") if most is None else most
            return 0 if not times or not longest(body) else times * longest(body)


def unbounded(expression: Expression) -> bool:
    """Whether some repetition has no bound."""
    return any(isinstance(part, Repeat) and part.most is None for part in parts(expression))


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Label:
    """`LABEL "text"`: the nodes with this label."""

    text: str


Place = Term | Label


@dataclass(frozen=True)
class Query:
    """One query.  Without ``starts`` these are given with the query, without ``targets`` a path ends anywhere.

    ``selector`` or ``restrictor`` may be left out; ``count`` is the number of `ANY` and `SHORTEST`, 1 if left out.
    """

    name: str
    expression: Expression
    starts: tuple[Place, ...] | None = None
    targets: tuple[Place, ...] | None = None
    selector: str | None = None
    count: int | None = None
    restrictor: str | None = None
    not_back: bool = False

    @property
    def selects(self) -> str:
        """The selector, or what stands for it."""
        if self.selector is None and self.restrictor is None:
            return "ANY SHORTEST" if unbounded(self.expression) else "ALL"
        return self.selector or "ALL"

    @property
    def restricts(self) -> str:
        """The restrictor, or what stands for it."""
        return self.restrictor or "WALK"

    @property
    def at_most(self) -> int | None:
        """How many paths of a pair are selected; None: all that are fit."""
        return None if self.selects.startswith("ALL") else self.count or 1

    @property
    def refused(self) -> bool:
        """Whether it asks for all walks of an unbounded expression."""
        return (self.selects, self.restricts) == ("ALL", "WALK") and unbounded(self.expression)
