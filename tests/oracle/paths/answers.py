"""What a query may answer: ``exact`` where one answer is right, ``judged`` for any, ``answer`` one that is right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from .conditions import lexical_form
from .matches import matches
from .model import RDFS_LABEL, Graph, Label, Path, Place, Query, Term
from .product import Product
from .walks import comes_back, is_walk, permitted

Pair = tuple[Term, Term]  # first and last node


@dataclass(frozen=True)
class Due:
    """What is due for one pair of nodes.

    ``number`` paths, of these ``lengths`` if they matter, among ``paths`` or any that match if there are too many.
    """

    number: int
    lengths: tuple[int, ...] | None = None
    paths: frozenset[Path] | None = None


@dataclass(frozen=True, eq=False)
class Answers:
    """What a query may answer on a graph; ``starts`` are given by the program where the query has none."""

    query: Query
    graph: Graph
    starts: tuple[Term, ...] | None = None

    # ── where ────────────────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def sources(self) -> tuple[Term, ...]:
        """The nodes where a path may begin."""
        given = self.query.starts if self.query.starts is not None else self.starts
        if given is None:
            raise ValueError("neither the query nor the program gives starts")
        return nodes_at(self.graph, given)

    @cached_property
    def targets(self) -> frozenset[Term]:
        """The nodes where a path may end."""
        given = self.query.targets
        return frozenset(self.graph.nodes if given is None else nodes_at(self.graph, given))

    def product(self, source: Term) -> Product:
        return Product(self.graph, self.query.expression, source, self.targets, self.query.not_back)

    # ── what ─────────────────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def due(self) -> dict[Pair, Due]:
        """What is due for each pair; nothing for the others."""
        if self.query.refused:
            raise ValueError("there may be infinitely many walks")
        return {pair: due for source in self.sources for pair, due in self._due(source)}

    def _due(self, source: Term) -> Iterator[tuple[Pair, Due]]:
        query, product = self.query, self.product(source)
        if query.selects == "ALL" or query.restricts != "WALK":
            by_pair = defaultdict(list)
            for path in product.fit(query.restricts):
                by_pair[path.ends].append(path)
            yield from ((pair, self._selected(paths)) for pair, paths in by_pair.items())
        elif query.selects == "ALL SHORTEST":
            for node, (length,) in product.lengths(1).items():
                shortest = frozenset(product.of_length(node, length))
                yield (source, node), Due(len(shortest), paths=shortest)
        else:
            count = query.at_most or 1
            for node, lengths in product.lengths(count).items():
                yield (source, node), Due(len(lengths), None if query.selects == "ANY" else lengths)

    def _selected(self, paths: list[Path]) -> Due:
        """What the selector leaves of all the paths of a pair."""
        lengths = tuple(sorted(map(len, paths)))[: self.query.at_most]
        match self.query.selects:
            case "ALL":
                return Due(len(paths), paths=frozenset(paths))
            case "ALL SHORTEST":
                shortest = frozenset(path for path in paths if len(path) == lengths[0])
                return Due(len(shortest), paths=shortest)
            case "ANY":
                return Due(len(lengths))
            case _:
                return Due(len(lengths), lengths)

    # ── judgement ────────────────────────────────────────────────────────────────────────────────────────
    def complaints(self, found: Iterable[Path], complete: bool = True) -> list[str]:
        """What is wrong with the paths found; nothing if the answer is right, or may become so if not ``complete``."""
        counted = Counter(found)
        wrong = [f"{path} is found {number} times" for path, number in counted.items() if number > 1]
        by_pair: dict[Pair, set[Path]] = {pair: set() for pair in self.due}
        for path in counted:
            by_pair.setdefault(path.ends, set()).add(path)
            wrong += [f"{path} {fault}" for fault in self.faults(path)]
        for pair, paths in by_pair.items():
            wrong += [f"{pair[0]} to {pair[1]}: {fault}" for fault in _too_much(self.due.get(pair, Due(0)), paths)]
            if complete:
                wrong += [f"{pair[0]} to {pair[1]}: {fault}" for fault in _missing(self.due.get(pair, Due(0)), paths)]
        return wrong

    def faults(self, path: Path) -> Iterator[str]:
        """What is wrong with a path alone."""
        if not is_walk(self.graph, path):
            yield "is not in the graph"
        if path.nodes[0] not in self.sources:
            yield "does not begin at a start"
        if path.nodes[-1] not in self.targets:
            yield "does not end at a target"
        if not permitted(self.query.restricts, path):
            yield f"is not permitted by {self.query.restricts}"
        if self.query.not_back and comes_back(path):
            yield "comes back to its start"
        if not matches(path, self.query.expression):
            yield "does not match"

    # ── one right answer ─────────────────────────────────────────────────────────────────────────────────
    def answer(self) -> list[Path]:
        """A right answer, in a fixed order; short paths of a pair are taken where a choice is free."""
        return [path for pair in sorted(self.due) for path in self.answer_of(pair)]

    def answer_of(self, pair: Pair) -> list[Path]:
        """That of one pair."""
        due = self.due[pair]
        if due.paths is None:
            return list(islice(self._candidates(pair), due.number))
        return sorted(due.paths, key=lambda path: (len(path), str(path)))

    def _candidates(self, pair: Pair) -> Iterator[Path]:
        """All paths of a pair from which the selector chooses, short ones first."""
        source, end = pair
        product = self.product(source)
        if self.query.restricts == "WALK":
            for length in range(product.bound(self.query.at_most or 1) + 1):
                yield from sorted(product.of_length(end, length), key=str)
        else:
            paths = (path for path in product.fit(self.query.restricts) if path.nodes[-1] == end)
            yield from sorted(paths, key=lambda path: (len(path), str(path)))


def nodes_at(graph: Graph, places: tuple[Place, ...]) -> tuple[Term, ...]:
    """The nodes of the graph that are meant, each once."""
    meant = [node for place in places for node in _meant(graph, place)]
    return tuple(node for node in dict.fromkeys(meant) if node in graph.steps)


def _meant(graph: Graph, place: Place) -> list[Term]:
    if not isinstance(place, Label):
        return [place]
    labels = [(node, label) for node, predicate, label in sorted(graph.edges) if predicate == RDFS_LABEL]
    return [node for node, label in labels if lexical_form(label) == place.text]


def _too_much(due: Due, paths: set[Path]) -> Iterator[str]:
    """Which of a pair's paths, or how many, are not due."""
    if due.paths is not None:
        yield from (f"{path} is not due" for path in sorted(paths - due.paths, key=str))
    elif len(paths) > due.number:
        yield f"{len(paths)} paths, due are {due.number}"
    elif due.lengths is not None and Counter(map(len, paths)) - Counter(due.lengths):
        yield f"the lengths are {sorted(map(len, paths))}, due are {due.lengths}"


def _missing(due: Due, paths: set[Path]) -> Iterator[str]:
    """Which paths that are due, or how many, a pair lacks."""
    if due.paths is not None:
        yield from (f"{path} is missing" for path in sorted(due.paths - paths, key=str))
    elif len(paths) < due.number:
        yield f"{len(paths)} paths, due are {due.number}"
