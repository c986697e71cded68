"""Random worlds: a small graph and some queries, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from ..chooser import Chooser, Seeded, T
from .answers import Answers
from .model import (
    RDF,
    RDFS_LABEL,
    RESTRICTORS,
    SELECTORS,
    Alternative,
    Condition,
    Edge,
    Expression,
    Forward,
    Graph,
    Inverse,
    Label,
    Negated,
    Place,
    Query,
    Repeat,
    Sequence,
    Step,
    Term,
    longest,
    parts,
    unbounded,
)
from .product import TooLargeError
from .text import EXAMPLE, RELATION, to_text

INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
IRIS = tuple(f"<{EXAMPLE}{name}>" for name in "abcd")
ODD_IRIS = (
    f"<{EXAMPLE}a%20b>",
    f"<{EXAMPLE}é>",
    f"<{EXAMPLE}x.y-z>",
    "<urn:x:(1)*,'2'!>",
    "<http://ex.org/?q=1&r=2#f>",
    f"<{RELATION}p>",  # a node that is a predicate elsewhere
    "<http://ex.org/電影/%E9%9B%BB>",
)
LITERALS = (
    f'"1990"^^{INTEGER}',
    f'"2001"^^{INTEGER}',
    '"Kismet"',
    '"Kismet"@en',
    '""',
    '"1990"',
    '"a \\"b\\"\\\\c"',
    '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>',
)
BLANK = "_:b0"
PREDICATES = (f"<{RELATION}p>", f"<{RELATION}q>", f"<{EXAMPLE}r>", f"<{RDF}type>", "<urn:y:s(,)>")
ABSENT = (f"<{EXAMPLE}nowhere>", "<urn:relation:absent>")
LABELS = ("Kismet", 'K "2" é', "")
CONDITIONS = (
    "?x > 1990",
    "?x < 1995",
    "isIRI(?x)",
    "!isLiteral(?x)",
    'STR(?x) = "Kismet"',
    f"?x = <{EXAMPLE}a>",
    f"?x IN (<{EXAMPLE}a>, 1990)",
    "?x",
    "!?x",
    "?x / 0 = 1",
    '!(?x + 1 > 1991 || LANG(?x) = "en")',
    'REGEX(STR(?x), "[a-c]$")',
    "BOUND(?x)",
    "true",
)
MOST_PATHS = 400


@dataclass(frozen=True)
class World:
    """A graph and queries on it; ``starts`` are given by the program to queries that have none."""

    graph: Graph
    queries: tuple[Query, ...]
    starts: tuple[Term, ...] | None = None
    seed: int = 0

    @cached_property
    def text(self) -> str:
        """The queries in some spelling."""
        return to_text(self.queries, Seeded(self.seed))

    @cached_property
    def answers(self) -> dict[str, Answers]:
        """What each query may answer, by its name."""
        return {query.name: Answers(query, self.graph, self.starts) for query in self.queries}


@dataclass(frozen=True)
class Size:
    """How large graphs and expressions may become."""

    nodes: int = 6
    edges: int = 8
    predicates: int = 3
    depth: int = 3
    queries: int = 3


SIZES = (
    Size(),
    Size(nodes=4, edges=12, predicates=2, depth=4, queries=4),
    Size(nodes=3, edges=9, depth=4, queries=6),
    Size(nodes=6, edges=16, predicates=1),
)


def random_world(seed: int, size: Size | None = None, *, given_starts: bool = False) -> World:
    """A world in which all answers can be written down; ``given_starts``: its queries have no FROM.

    Two of three worlds without any answer are passed over.
    """
    for attempt in range(1000):
        world = Making(Seeded(seed * 1000 + attempt), size or SIZES[seed % len(SIZES)]).world(seed, given_starts)
        number = _number(world)
        if number is not None and (number or attempt % 3 == 2):
            return world
    raise AssertionError("no world is small enough")


def _number(world: World) -> int | None:
    """How many paths are due; None if there are too many."""
    try:
        number = sum(due.number for answers in world.answers.values() for due in answers.due.values())
    except TooLargeError:
        return None
    return number if number <= MOST_PATHS else None


@dataclass(frozen=True)
class Making:
    """Makes graphs, expressions and queries from choices."""

    chooser: Chooser
    size: Size

    def world(self, seed: int = 0, given_starts: bool = False) -> World:
        graph, predicates = self.graph()
        number = self.chooser.pick((1, 1, self.size.queries))
        queries = tuple(self.query(f"q{place}", graph, predicates) for place in range(1, number + 1))
        if not given_starts:
            return World(graph, queries, None, seed)
        starts = tuple(self.several(lambda: self.chooser.pick((*graph.nodes, *graph.nodes, *ABSENT))))
        return World(graph, tuple(replace(query, starts=None) for query in queries), starts, seed)

    # ── graphs ───────────────────────────────────────────────────────────────────────────────────────────
    def graph(self) -> tuple[Graph, tuple[Term, ...]]:
        """A graph, and the predicates that it may have."""
        nodes = self.nodes()
        predicates = self.some(PREDICATES, self.chooser.integer(1, self.size.predicates))
        subjects = [node for node in nodes if not node.startswith('"')]
        number = self.chooser.integer(self.size.edges // 3, self.size.edges)
        edges = {self.edge(subjects, nodes, predicates) for _ in range(number)}
        if self.chooser.chance(30):
            edges |= {(self.chooser.pick(subjects), RDFS_LABEL, self.label()) for _ in range(2)}
        return Graph.of(edges), predicates

    def nodes(self) -> list[Term]:
        number = self.chooser.integer(2, self.size.nodes)
        plain = (*IRIS, *(f"<{EXAMPLE}n{place}>" for place in range(len(IRIS), number)))
        kinds = (plain, plain, plain, ODD_IRIS, LITERALS, (BLANK,))
        return list(dict.fromkeys([IRIS[0], *(self.chooser.pick(self.chooser.pick(kinds)) for _ in range(number - 1))]))

    def edge(self, subjects: list[Term], nodes: list[Term], predicates: tuple[Term, ...]) -> Edge:
        subject = self.chooser.pick(subjects)
        end = subject if self.chooser.chance(10) else self.chooser.pick(nodes)
        return subject, self.chooser.pick(predicates), end

    def label(self) -> Term:
        text = self.chooser.pick(LABELS).replace('"', '\\"')
        return f'"{text}"' + self.chooser.pick(("", "", "@en", "@de"))

    def some(self, options: tuple[Term, ...], number: int) -> tuple[Term, ...]:
        """Some of the options, the first ones likelier."""
        return tuple(dict.fromkeys(self.chooser.pick(options[: number + 1]) for _ in range(number)))

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────
    def expression(self, predicates: tuple[Term, ...], depth: int) -> Expression:
        if depth == 0:
            return self.atom(predicates)
        kind = self.chooser.pick((*"///||^*+?", "^/", "n", "n", "atom"))
        body = self.expression(predicates, depth - 1)
        match kind:
            case "/":
                return Sequence(body, self.expression(predicates, self.chooser.integer(0, depth - 1)))
            case "|":
                return Alternative(body, self.expression(predicates, self.chooser.integer(0, depth - 1)))
            case "^":
                return Inverse(body)
            case "^/":
                return Inverse(Sequence(body, self.atom(predicates)))
            case "atom":
                return self.atom(predicates)
            case _:
                return Repeat(body, *self.times(kind))

    def times(self, kind: str) -> tuple[int, int | None]:
        match kind:
            case "*":
                return 0, None
            case "+":
                return 1, None
            case "?":
                return 0, 1
            case _:
                least = self.chooser.integer(0, 3)
                return least, self.chooser.pick((None, least, least + self.chooser.integer(0, 2)))

    def atom(self, predicates: tuple[Term, ...]) -> Expression:
        kind = self.chooser.integer(1, 100)
        if kind <= 65:
            predicate = Forward(self.predicate(predicates))
            return Inverse(predicate) if kind > 50 else predicate
        if kind <= 82:
            return Negated(tuple(self.several(lambda: self.member(predicates))))
        return Condition("x", self.chooser.pick(CONDITIONS))

    def predicate(self, predicates: tuple[Term, ...]) -> Term:
        return self.chooser.pick((*predicates * 8, ABSENT[1], RDFS_LABEL))

    def member(self, predicates: tuple[Term, ...]) -> Step:
        return self.predicate(predicates), self.chooser.chance(40)

    def several(self, make: Callable[[], T]) -> list[T]:
        return [make() for _ in range(self.chooser.pick((1, 1, 2, 3)))]

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    def query(self, name: str, graph: Graph, predicates: tuple[Term, ...]) -> Query:
        expression = self.expression(
            predicates, self.chooser.pick((0, *range(1, self.size.depth + 1), self.size.depth))
        )
        selector, restrictor = self.mode(expression)
        numbered = selector == "SHORTEST" or selector == "ANY"
        return Query(
            name,
            expression,
            tuple(self.several(lambda: self.place(graph))),
            tuple(self.several(lambda: self.place(graph))) if self.chooser.chance(25) else None,
            selector,
            self.chooser.pick((None, 1, 2, 3, 5)) if numbered else None,
            restrictor,
            self.chooser.chance(20),
        )

    def mode(self, expression: Expression) -> tuple[str | None, str | None]:
        """Selector and restrictor, never such that the query is refused.

        Where a repetition without bound cannot step (`[?x: true]*`) both are explicit.
        """
        selector = self.chooser.pick((None, *SELECTORS))
        restrictor = self.chooser.pick((None, *RESTRICTORS))
        if not unbounded(expression):
            return selector, restrictor
        if selector is None and longest(expression) < float("inf"):
            selector = "ANY SHORTEST"
        if Query("", expression, selector=selector, restrictor=restrictor).refused:
            restrictor = self.chooser.pick(RESTRICTORS[1:])
        return selector, restrictor

    def place(self, graph: Graph) -> Place:
        """A node as text can name it, seldom one that is not there."""
        if self.chooser.chance(5):
            return self.chooser.pick((ABSENT[0], Label("nobody")))
        if self.chooser.chance(40) and any(predicate == RDFS_LABEL for _, predicate, _ in graph.edges):
            return Label(self.chooser.pick(LABELS))
        return self.chooser.pick([node for node in graph.nodes if node.startswith("<")] or [IRIS[0]])


def operators(expression: Expression) -> list[str]:
    """The kinds of constructs in the expression."""
    return [type(part).__name__ for part in parts(expression)]
