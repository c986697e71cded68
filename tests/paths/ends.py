"""Whether end points and numbers of paths agree with the oracle, with pyoxigraph, and with themselves one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spaseq.paths import EndPoints, Graph
from tests.oracle.chooser import Seeded
from tests.oracle.paths.endpoints import end_points
from tests.oracle.paths.generate import SIZES, Making, Size, World, random_world
from tests.oracle.paths.model import Term
from tests.oracle.paths.text import to_expression
from tests.paths.agreement import one_blank
from tests.paths.engine import term_of, term_triples

Pair = tuple[Term, Term]


def graph_of(world: World) -> Graph:
    """The world's graph in the engine."""
    return Graph(term_triples(sorted(world.graph.edges)))


def pairs_of(found: EndPoints) -> list[Pair]:
    """Pairs as terms."""
    terms = ((pair.values()[0].to_ntriples(), pair.values()[1].to_ntriples()) for pair in found)
    return [(one_blank(start), one_blank(end)) for start, end in terms]


def against_oracle(seed: int) -> Iterator[str]:
    """What is wrong with a world's pairs and counts."""
    world = random_world(seed, given_starts=seed % 10 == 9)
    graph, given = graph_of(world), None if world.starts is None else list(map(term_of, world.starts))
    found, counts = graph.ends(world.text, given).by_query(), graph.counts(world.text, given)
    for name, answers in world.answers.items():
        pairs = pairs_of(found[name])
        if sorted(pairs) != sorted(answers.due):
            yield f"seed {seed}: {name} of {world.text} has {sorted(pairs)}, not {sorted(answers.due)}"
        if counts[name] != (due := sum(one.number for one in answers.due.values())):
            yield f"seed {seed}: {name} of {world.text} has {counts[name]} paths, not {due}"


def against_pyoxigraph(seed: int) -> Iterator[str]:
    """What is wrong with the pairs of a random graph and expression, from everywhere."""
    world = random_world(seed, Size())  # pyoxigraph is slow where deep expressions are written out
    graph = graph_of(world)
    for query in world.queries:
        text = f"QUERY q ANY SHORTEST {to_expression(query.expression)}"
        pairs = pairs_of(graph.ends(text, np.arange(graph.vertex_count)))
        if sorted(pairs) != sorted(end_points(world.graph, query.expression)):
            yield f"seed {seed}: {text}: {sorted(pairs)}"


def against_themselves(seed: int, count: int = 12) -> Iterator[str]:
    """What is different if random expressions on a random graph are asked for together, from everywhere."""
    making = Making(Seeded(seed), SIZES[seed % len(SIZES)])
    world_graph, predicates = making.graph()
    graph = Graph(term_triples(sorted(world_graph.edges)))
    expressions = [to_expression(making.expression(predicates, making.size.depth)) for _ in range(count)]
    backs = ["", " NOT BACK TO START"]
    texts = [f"QUERY q{n} ANY SHORTEST {one}{backs[n % 5 == 4]}" for n, one in enumerate(expressions)]
    everywhere = np.arange(graph.vertex_count)
    together = graph.ends(texts, everywhere).by_query()
    for number, text in enumerate(texts):
        alone = [
            pair for start in everywhere.tolist() for pair in pairs_of(graph.compile(text).ends(start))
        ]  # one lane, rows side by side
        if sorted(alone) != sorted(pairs_of(together[f"q{number}"])):
            yield f"seed {seed}: {text} on {sorted(world_graph.edges)}"
