"""How much of the best ten paths a budget leaves: ``python -m benchmarks.paths.recall [QUESTIONS]``.

Questions of three hops about films of MetaQA, of the fifteen forms of its 3-hop set.  That set is not among the shared
data, so they are put together here from its phrases: "who directed the movies whose actors also appear in [Kismet]".
A search is not told the relations: paths are of any three edges from the film, either way, without a node twice.  They
are scored by ``LexicalScorer``.  For each question all paths are found and scored first; then so many edges are allowed
as are a share of those that this took.  Recall is the share of the ten best that are found; a path that scores as much
as the tenth is right.  No question is left out.  The data are in ``$SPASEQ_SHARED`` or ``../shared/data``.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.metaqa import ROOT
from spaseq.paths import Graph
from spaseq.paths.best import Scores, StepWeights
from spaseq.paths.rag import LexicalScorer
from spaseq.paths.search import CompiledPaths

QUESTIONS, TOP = 500, 10
BOUNDS = {0.5: 0.95, 0.1: 0.70, 0.01: None}  # by share of the work
SHARED = {
    "actor": ("whose actors also appear in [{}]", "that share actors with the film [{}]"),
    "director": ("whose directors also directed [{}]", "that share directors with the film [{}]"),
    "writer": ("whose screenwriters also wrote [{}]", "that share writers with the film [{}]"),
}
ASKED = {
    "actor": ("who starred in the movies", "who acted in the films"),
    "director": ("who directed the movies", "which person directed the films"),
    "writer": ("who wrote the movies", "who are the writers of the films"),
    "year": ("what are the release years of the movies", "when were the films released"),
    "language": ("what are the primary languages in the movies", "in which languages are the films"),
    "genre": ("what genres are the movies", "what types are the films"),
}
FORMS = [(shared, asked) for shared in SHARED for asked in ASKED if shared != asked]


@dataclass(frozen=True, slots=True)
class FilmQuestion:
    """A question about a film, whose node has this number."""

    text: str
    film: int


def film_questions(graph: Graph, count: int) -> Iterator[FilmQuestion]:
    """The same each time."""
    chance = random.Random(1)
    films = np.unique(graph.edges_of(graph.numbers["urn:relation:directed_by"])[0]).tolist()
    for _ in range(count):
        (shared, asked), film = chance.choice(FORMS), chance.choice(films)
        text = f"{chance.choice(ASKED[asked])} {chance.choice(SHARED[shared])}"
        yield FilmQuestion(text.format(graph.terms.value(film).text), film)


@dataclass(frozen=True, slots=True)
class Exact:
    """What all paths of a question score, falling, and what it took to find that out."""

    scores: Scores
    edges: int
    seconds: float

    @staticmethod
    def of(compiled: CompiledPaths, weights: StepWeights, film: int) -> Exact:
        """By finding all paths."""
        started = time.process_time()
        run = compiled.search(film)
        scores = np.sort(weights.scores(run.all().columns))[::-1]
        return Exact(scores, run.edges, time.process_time() - started)

    def recall(self, scores: Scores) -> float:
        """The share of the best ones that are among paths with these scores."""
        wanted = min(TOP, len(self.scores))
        return min(wanted, int((scores >= self.scores[wanted - 1]).sum())) / wanted if wanted else 1.0


@dataclass(frozen=True, slots=True)
class Led:
    """What best-first search took for the same."""

    edges: int
    seconds: float

    @staticmethod
    def of(compiled: CompiledPaths, weights: StepWeights, film: int, exact: Exact) -> Led:
        """AssertionError: it found others."""
        started = time.process_time()
        best = compiled.best(weights, TOP, film)
        seconds = time.process_time() - started
        assert best.complete and best.scores.tolist() == exact.scores[:TOP].tolist()
        return Led(best.edges, seconds)


def recalls(
    compiled: CompiledPaths, weights: StepWeights, film: int, exact: Exact, share: float, chance: np.random.Generator
) -> tuple[float, float, float, float]:
    """Recalls within a share of the work: best first, all paths as far as it goes, as many by chance; and whether the
    first one is sure of it."""
    most = int(exact.edges * share)
    best = compiled.best(weights, TOP, film, most_edges=most)
    cut = compiled.match(film, most_edges=most)
    drawn = exact.scores[chance.random(len(exact.scores)) < share]
    found = (best.scores, weights.scores(cut.columns), drawn)
    return (*map(exact.recall, found), float(best.complete))  # type: ignore[return-value]


def main(count: int = QUESTIONS) -> int:
    """Print recalls; 1 if one is below its bound."""
    graph = Graph.load(ROOT / "kb.txt")
    compiled, scorer = graph.compile("QUERY q ACYCLIC (!()|^!()){3}"), LexicalScorer(graph)
    chance, shares = np.random.default_rng(1), list(BOUNDS)
    exact, led, rows = [], [], []
    for one in film_questions(graph, count):
        weights = scorer.step_weights(one.text, one.film)
        exact.append(Exact.of(compiled, weights, one.film))
        led.append(Led.of(compiled, weights, one.film, exact[-1]))
        rows.append([recalls(compiled, weights, one.film, exact[-1], share, chance) for share in shares])
    tell_work(graph, exact, led)
    return tell_recalls(shares, np.array(rows).mean(axis=0).tolist())


def tell_work(graph: Graph, exact: Sequence[Exact], led: Sequence[Led]) -> None:
    """Print how much there is to find, and what it takes."""
    paths = [len(one.scores) for one in exact]
    print(f"{graph}\n{len(exact):,} questions of 3 hops, with {min(paths):,} to {max(paths):,} paths")
    for name, some in (("all paths, then scores", exact), ("best first", led)):
        edges = statistics.mean(one.edges for one in some)
        print(
            f"{name:<24}{edges:>12,.0f} edges {statistics.median(one.seconds for one in some) * 1000:>8.2f} ms of CPU"
        )
    ratios = [best.edges / one.edges for best, one in zip(led, exact, strict=True) if one.edges]
    print(
        f"edges of best first, of those for all paths: median {statistics.median(ratios):.3f}, most {max(ratios):.3f}"
    )


def tell_recalls(shares: Sequence[float], rows: Sequence[Sequence[float]]) -> int:
    """Print them; 1 if one is below its bound."""
    print(f"\nrecall of the best {TOP} {'best first':>12} {'(known to be all':>17} {'as found':>10} {'by chance':>10}")
    for share, (best, cut, drawn, sure) in zip(shares, rows, strict=True):
        bound = f"   bound {BOUNDS[share]:.2f}" if BOUNDS[share] else ""
        print(f"{share:>6.0%} of the edges {best:>13.3f} {sure:>16.0%}) {cut:>10.3f} {drawn:>10.3f}{bound}")
    return int(any(row[0] < (BOUNDS[share] or 0) for share, row in zip(shares, rows, strict=True)))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
