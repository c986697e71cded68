"""What must appear with an event, told from the results just before it and with it."""

from __future__ import annotations

import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from spaseq.paths import EdgeStream, Graph
from spaseq.paths.results import Path as Found
from tests.oracle.paths.answers import Answers
from tests.oracle.paths.model import Graph as Model, Path, Query
from tests.oracle.paths.product import TooLargeError
from tests.oracle.paths.walks import is_walk
from tests.paths.engine import term_of, term_triples
from tests.paths.stream.worlds import EdgeWorld

Right = Callable[[EdgeWorld, Model], dict[str, list[Path]]]  # a right answer of each query on a graph


def by_oracle(world: EdgeWorld, graph: Model) -> dict[str, list[Path]]:
    """What the oracle finds, or the engine, if there is too much for the oracle to choose from."""
    try:
        return {query.name: Answers(query, graph, world.starts).answer() for query in world.queries}
    except TooLargeError:
        return by_engine(world, graph)


def by_engine(world: EdgeWorld, graph: Model) -> dict[str, list[Path]]:
    """What the engine finds when it begins from scratch."""
    starts = None if world.starts is None else list(map(term_of, world.starts))
    return by_query(world, Graph(term_triples(sorted(graph.edges))).match(world.text, starts))


def difference(world: EdgeWorld, right: Right) -> str:
    """What is wrong with what the stream gives; empty if nothing is."""
    try:
        wrong = list(complaints(world, right))
    except Exception:
        wrong = [traceback.format_exc()]
    return "\n".join([world.described(), *wrong]) if wrong else ""


def complaints(world: EdgeWorld, right: Right) -> Iterator[str]:
    starts = None if world.starts is None else list(map(term_of, world.starts))
    stream = EdgeStream(world.text, world.window, starts)
    for number, (time, edges) in enumerate(world.events):
        appeared = by_query(world, stream.push(term_triples(edges), time))
        before, now = world.graph(number, before=True), world.graph(number)
        then, there = right(world, before), right(world, now)
        for query in world.queries:
            answers = Answers(query, now, world.starts)
            wrong = [f"{path} {fault}" for path in appeared[query.name] for fault in answers.faults(path)]
            wrong += [f"{path} was there before" for path in appeared[query.name] if is_walk(before, path)]
            wrong += disagreement(query, appeared[query.name], then[query.name], there[query.name])
            yield from (f"event {number}, {query.name}: {fault}" for fault in wrong)
        if number % 4 == world.seed % 4:
            yield from (f"event {number}, now, {fault}" for fault in current(world, stream, there))
    if len(stream) != len(now.edges):
        yield f"{len(stream)} edges are in the window, not {len(now.edges)}"


def disagreement(query: Query, appeared: Sequence[Path], before: Sequence[Path], now: Sequence[Path]) -> Iterator[str]:
    if len(set(appeared)) < len(appeared):
        yield "a path is given twice"
    if query.selects in ("ALL", "ALL SHORTEST"):
        due = set(now) - set(before)
        yield from (f"{path} is missing" for path in due - set(appeared))
        yield from (f"{path} is not due" for path in set(appeared) - due)
        return
    measure = (lambda _: 0) if query.selects == "ANY" else len
    expected = measured(now, measure)
    expected.subtract(measured(before, measure))
    found = measured(appeared, measure)
    for key in {*expected, *found}:
        if found[key] != max(0, expected[key]):
            yield f"{found[key]} of {key} have appeared, {expected[key]} are due"


def measured(paths: Iterable[Path], measure: Callable[[Path], int]) -> Counter[tuple[object, int]]:
    """How many paths each pair has, by a measure."""
    return Counter((path.ends, measure(path)) for path in paths)


def current(world: EdgeWorld, stream: EdgeStream, there: dict[str, list[Path]]) -> Iterator[str]:
    """Whether the stream tells what there is now."""
    for query in world.queries:
        found = by_query(world, stream.current(query.name))[query.name]
        measure = (lambda _: 0) if query.selects == "ANY" else len
        if measured(found, measure) != measured(there[query.name], measure) or len(set(found)) < len(found):
            yield f"{query.name}: {[str(path) for path in found]}, not {[str(path) for path in there[query.name]]}"


def by_query(world: EdgeWorld, paths: Iterable[Found]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = defaultdict(list)
    for path in paths:
        nodes = tuple(value.to_ntriples() for value in path.values())
        found[path.query].append(Path(nodes, tuple((f"<{iri}>", inverse) for iri, inverse in path.steps())))
    return {query.name: found[query.name] for query in world.queries}
