"""From a sequence expression to an ε-graph: step edges between nodes, and ε-edges that carry what happens in between.

The rules of semantics.md 3 about which operator governs a step, about iterations and about absence become items on
paths.  Whether one set of picks can come about along two paths says a self-product of the automaton over what a result
shows: for each timestamp, which events were picked for which GPM.  So paths are compared step by step by the names they
pick.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spaseq.errors import QueryError
from spaseq.pattern.sequences import (
    MOST_STEPS,
    AnyOrder,
    Atom,
    Conjunction,
    Disjunction,
    Kleene,
    Negation,
    Optional,
    Sequence,
    SequenceExpression,
    Strategy,
    operands,
)

MOST_PATHS = 65_536
MOST_SIDES = 1_024  # of one &&: the kernel numbers them so (PART_BITS in state.hpp)
Path = tuple[int, ...]  # child numbers from the root of a sequence expression


@dataclass(frozen=True, slots=True)
class Begin:
    """An iteration of ``kleene`` begins; ``number`` is 1, 2, or 3 for all later ones."""

    kleene: int
    number: int


@dataclass(frozen=True, slots=True)
class End:
    """An iteration of ``kleene`` is complete."""

    kleene: int


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator is crossed; the last one before a step governs it."""

    number: int
    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Absent:
    """The guard of that number holds here: its BOp must not match in between."""

    guard: int


@dataclass(frozen=True, slots=True)
class Fork:
    """A side of the && of that number begins here, whatever the others do (semantics.md 3.6)."""

    junction: int
    side: int


Item = Begin | End | Operator | Absent | Fork


@dataclass(frozen=True, slots=True)
class StepPlace:
    """A BOp where it stands: ``enclosing`` Kleenes, innermost first, and those of them in their first iteration.

    ``sides`` are those of && around it, outermost first; ``path`` is its place in the expression.
    """

    body: SequenceExpression
    enclosing: tuple[int, ...]
    first: frozenset[int]
    sides: tuple[Fork, ...] = ()
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where the sides of an && meet: the node where each one ends, and that from which they go on together.

    ``enclosing`` are the Kleenes around it, ``path`` is its place in the expression.
    """

    ends: tuple[int, ...]
    node: int
    enclosing: tuple[int, ...]
    path: Path


@dataclass(slots=True)
class EpsilonGraph:
    """Node 0 is the start, node 1 the end.  ``steps[n]`` are (place number, node after it).

    ``sides[n]`` are those of && that a node lies in, outermost first; ``ends[n]`` is the side that ends in a node.
    """

    size: int = 2
    edges: dict[int, list[tuple[Item | None, int]]] = field(default_factory=dict)
    steps: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    places: list[StepPlace] = field(default_factory=list)
    guards: list[StepPlace] = field(default_factory=list)
    junctions: list[Meeting] = field(default_factory=list)
    sides: dict[int, tuple[Fork, ...]] = field(default_factory=dict)
    ends: dict[int, Fork] = field(default_factory=dict)

    def node(self, sides: tuple[Fork, ...] = ()) -> int:
        """A new node."""
        if sides:
            self.sides[self.size] = sides
        self.size += 1
        return self.size - 1

    def connect(self, source: int, item: Item | None, target: int) -> None:
        """An ε-edge, which may carry an item."""
        self.edges.setdefault(source, []).append((item, target))


START, END = 0, 1


def build_graph(expression: SequenceExpression, counts_first: frozenset[int]) -> EpsilonGraph:
    """The ε-graph of an expression; Kleenes in ``counts_first`` keep their first iteration apart from later ones."""
    numbers = {path: number for number, path in enumerate(_kleenes(expression, ()))}
    builder = _Builder(EpsilonGraph(), numbers, counts_first)
    builder.add(expression, (), START, END, (), frozenset())
    return builder.graph


def _kleenes(expression: SequenceExpression, path: Path) -> Iterator[Path]:
    """Paths of the Kleenes in the order in which ``spaseq.pattern.sequences`` numbers them."""
    if isinstance(expression, Kleene):
        yield path
    for number, part in enumerate(operands(expression)):
        yield from _kleenes(part, (*path, number))


def is_basic(expression: SequenceExpression) -> bool:
    """Whether it is a BOp: an atom, or BOps combined by & and |."""
    match expression:
        case Atom():
            return True
        case Conjunction(left, right) | Disjunction(left, right):
            return is_basic(left) and is_basic(right)
        case _:
            return False


def first_basics(expression: SequenceExpression) -> Iterator[SequenceExpression]:
    """The BOps that an expression can begin with."""
    match expression:
        case _ if is_basic(expression):
            yield expression
        case Disjunction(left, right):
            yield from first_basics(left)
            yield from first_basics(right)
        case Sequence(left, _, right):
            yield from first_basics(left)
            if may_pick_nothing(left):
                yield from first_basics(right)
        case AnyOrder(sides):
            for side in sides:
                yield from first_basics(side)
        case Kleene(body=body) | Optional(body):
            yield from first_basics(body)


def may_pick_nothing(expression: SequenceExpression) -> bool:
    """Whether some path through the expression picks no event."""
    match expression:
        case Negation() | Optional():
            return True
        case Sequence(left, _, right):
            return may_pick_nothing(left) and may_pick_nothing(right)
        case Disjunction(left, right) if not is_basic(expression):
            return may_pick_nothing(left) or may_pick_nothing(right)
        case _:
            return False  # every iteration of a Kleene picks an event


class _Builder:
    def __init__(self, graph: EpsilonGraph, kleenes: dict[Path, int], counts_first: frozenset[int]) -> None:
        self.graph = graph
        self.kleenes = kleenes
        self.counts_first = counts_first
        self.operators: dict[Path, int] = {}
        self.sides: tuple[Fork, ...] = ()  # around what is being added, outermost first

    def node(self) -> int:
        """A new node where the builder is."""
        return self.graph.node(self.sides)

    def add(
        self,
        expression: SequenceExpression,
        path: Path,
        start: int,
        end: int,
        enclosing: tuple[int, ...],
        first: frozenset[int],
    ) -> None:
        """Add all paths of ``expression`` between two nodes."""
        if is_basic(expression):
            self._step(StepPlace(expression, enclosing, first, self.sides, path), start, end)
            return
        match expression:
            case Sequence(left, strategy, right):
                middle, after = self.node(), self.node()
                self.add(left, (*path, 0), start, middle, enclosing, first)
                self.graph.connect(middle, self._operator(path, strategy), after)
                self.add(right, (*path, 1), after, end, enclosing, first)
            case Disjunction(left, right):
                self.add(left, (*path, 0), start, end, enclosing, first)
                self.add(right, (*path, 1), start, end, enclosing, first)
            case Optional(body):
                self.add(body, (*path, 0), start, end, enclosing, first)
                self._absent(list(first_basics(body)), start, end, enclosing, first)
            case Negation(body):
                self._absent([body], start, end, enclosing, first)
            case Kleene():
                self._kleene(expression, path, start, end, enclosing, first)
            case AnyOrder():
                self._any_order(expression, path, start, end, enclosing, first)
            case _:
                raise TypeError(f"{type(expression).__name__} does not stand in a sequence")

    def _step(self, place: StepPlace, start: int, end: int) -> None:
        if len(self.graph.places) >= MOST_STEPS:
            raise QueryError(f"the sequence has more than {MOST_STEPS:,} steps once its {{n,m}} are written out")
        self.graph.places.append(place)
        self.graph.steps.setdefault(start, []).append((len(self.graph.places) - 1, end))

    def _operator(self, path: Path, strategy: Strategy) -> Operator:
        """The operator written there: the same one in all copies of a Kleene's body, so that its steps compete."""
        return Operator(self.operators.setdefault(path, len(self.operators)), strategy)

    def _absent(
        self, bodies: list[SequenceExpression], start: int, end: int, enclosing: tuple[int, ...], first: frozenset[int]
    ) -> None:
        node = start
        for number, body in enumerate(bodies, 1):
            self.graph.guards.append(StepPlace(body, enclosing, first, self.sides))
            after = end if number == len(bodies) else self.node()
            self.graph.connect(node, Absent(len(self.graph.guards) - 1), after)
            node = after

    def _kleene(
        self, kleene: Kleene, path: Path, start: int, end: int, enclosing: tuple[int, ...], first: frozenset[int]
    ) -> None:
        """One copy of the body for each iteration that must be counted; without upper bound the last one loops."""
        number = self.kleenes[path]
        operator = self._operator(path, kleene.strategy)
        copies = kleene.most if kleene.most is not None else kleene.least
        if kleene.most is None and number in self.counts_first:
            copies = max(copies, 2)
        before, previous = start, None
        for copy in range(1, copies + 1):
            inside, outside = self.node(), self.node()
            self.graph.connect(before, Begin(number, min(copy, 3)), inside)
            scope = first | {number} if copy == 1 else first - {number}
            done = self.node()
            self.add(kleene.body, (*path, 0), inside, done, (number, *enclosing), scope)
            self.graph.connect(done, End(number), outside)
            if copy >= kleene.least:
                self.graph.connect(outside, None, end)
            before = self.node()
            self.graph.connect(outside, operator, before)
            previous = inside
        if kleene.most is None and previous is not None:
            self.graph.connect(before, Begin(number, 3 if copies > 1 else 2), previous)

    def _any_order(
        self, whole: AnyOrder, path: Path, start: int, end: int, enclosing: tuple[int, ...], first: frozenset[int]
    ) -> None:
        """Each side begins at the start and has an end of its own; they meet in a node from which all of them go on."""
        if len(whole.sides) > MOST_SIDES:
            raise QueryError(f"an && has more than {MOST_SIDES:,} sides")
        number, around = len(self.graph.junctions), self.sides
        ends = tuple(self.graph.node((*around, Fork(number, side))) for side in range(len(whole.sides)))
        meeting = Meeting(ends, self.node(), enclosing, path)
        self.graph.junctions.append(meeting)
        for side, (body, done) in enumerate(zip(whole.sides, ends, strict=True)):
            fork = Fork(number, side)
            self.sides = (*around, fork)
            self.graph.ends[done] = fork
            begin = self.node()
            self.graph.connect(start, fork, begin)
            self.add(body, (*path, side), begin, done, enclosing, first)
        self.sides = around
        self.graph.connect(meeting.node, None, end)


@dataclass(frozen=True, slots=True)
class EpsilonPath:
    """An ε-path: its items, then the step taken (its place and the node after it), or None at an end.

    An end is that of the graph, or that of a side of &&.
    """

    items: tuple[Item, ...]
    place: int | None
    node: int


def routes(graph: EpsilonGraph, source: int) -> list[EpsilonPath]:
    """All ε-paths from a node to the next steps and to the end.

    No iteration without an event: a path that begins one cannot end it.
    """
    found: dict[EpsilonPath, None] = {}

    def walk(node: int, items: tuple[Item, ...], begun: frozenset[int]) -> None:
        if len(found) > MOST_PATHS:
            raise QueryError(f"the sequence has more than {MOST_PATHS} ways past its optional parts")
        for place, after in graph.steps.get(node, ()):
            found[EpsilonPath(items, place, after)] = None
        if node == END or node in graph.ends:
            found[EpsilonPath(items, None, node)] = None
        for item, after in graph.edges.get(node, ()):
            if isinstance(item, End) and item.kleene in begun:
                continue
            more = begun | {item.kleene} if isinstance(item, Begin) else begun
            walk(after, items if item is None else (*items, item), more)

    walk(source, (), frozenset())
    return list(found)


# ── ambiguity: can one set of picks come about along two paths? ──────────────────────────────────────────
# Of states, and steps between these: beyond them results are compared, which is always right.
MOST_PAIRS, MOST_PRODUCT_STEPS = 20_000, 1_000_000
Pair = tuple[int, int]
Move = tuple[tuple[str, ...], tuple[int, ...]]  # the names that a transition picks, the states that it enters


def is_ambiguous(moves: list[list[Move]], starts: Iterable[int], ends: Iterable[int]) -> bool:
    """Whether two different paths from a start to an end may show the same picks (sound: true when in doubt).

    ``moves``: the transitions out of each state.
    """
    if any(len(set(names)) < len(names) for some in moves for names, _ in some):
        return True
    return _has_paths_with_equal_names(moves, tuple(starts), frozenset(ends))


def _has_paths_with_equal_names(moves: list[list[Move]], starts: tuple[int, ...], ends: frozenset[int]) -> bool:
    """Two accepting paths with equal names: some pair of unequal states lies between the starts and two ends."""
    pairs = {(a, b) for a in starts for b in starts}
    before: dict[Pair, list[Pair]] = {}
    waiting = list(pairs)
    steps = 0
    while waiting:
        a, b = pair = waiting.pop()
        for i, (names, entered) in enumerate(moves[a]):
            for j, (others, reached) in enumerate(moves[b]):
                if names != others:
                    continue
                steps += len(entered) * len(reached)
                if (a == b and i != j) or len(pairs) > MOST_PAIRS or steps > MOST_PRODUCT_STEPS:
                    return True
                for after in ((x, y) for x in entered for y in reached):
                    before.setdefault(after, []).append(pair)
                    if after not in pairs:
                        pairs.add(after)
                        waiting.append(after)
    return any(a != b for a, b in _leading_to({pair for pair in pairs if ends.issuperset(pair)}, before))


def _leading_to(goals: set[Pair], before: dict[Pair, list[Pair]]) -> set[Pair]:
    """The pairs from which a goal can be reached."""
    useful, waiting = set(goals), list(goals)
    while waiting:
        for pair in before.get(waiting.pop(), ()):
            if pair not in useful:
                useful.add(pair)
                waiting.append(pair)
    return useful
