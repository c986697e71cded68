"""Questions of MetaQA, answered along the relation paths of their types: ``python -m benchmarks.metaqa [1|2]``.

Precision and recall of the answers, micro-averaged, with walks, acyclic paths and walks that do not come back to the
start.  All questions of a file are one call.  The data are in ``$SPASEQ_SHARED`` or ``../shared/data``.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from spaseq.paths import Graph, prepare

ROOT = Path(os.environ.get("SPASEQ_SHARED") or Path(__file__).resolve().parents[2] / "shared" / "data") / "metaqa"
RELATIONS = {
    "actor": "starred_actors", "director": "directed_by", "writer": "written_by", "year": "release_year",
    "language": "in_language", "genre": "has_genre", "tags": "has_tags", "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes", "tag": "has_tags",
}  # fmt: skip
MODES = ("ALL WALK {}", "ACYCLIC {}", "ALL WALK {} NOT BACK TO START")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about the node ``start``; its type names nodes on the way."""

    type: str
    start: str
    answers: frozenset[str]


def questions(hops: int) -> Iterator[Question]:
    """Those with so many hops."""
    types = (ROOT / f"qa_test_qtype_{hops}hop.txt").read_text(encoding="utf-8").split()
    lines = (ROOT / f"qa_test_{hops}hop.txt").read_text(encoding="utf-8").splitlines()
    for type_, line in zip(types, lines, strict=True):
        text, answers = line.split("\t")
        yield Question(type_, text[text.index("[") + 1 : text.index("]")], frozenset(answers.split("|")))


def expression(type_: str) -> str:
    """``actor_to_movie_to_year`` as a path of relations, which all begin at a movie."""
    kinds = type_.split("_to_")
    return "/".join(
        f":{RELATIONS[after]}" if before == "movie" else f"^:{RELATIONS[before]}" for before, after in pairwise(kinds)
    )


def answers(graph: Graph, asked: list[Question], mode: str) -> Mapping[tuple[str, str], set[str]]:
    """The ends of all paths by type and start, in one call."""
    starts = defaultdict(set)
    for one in asked:
        starts[one.type].add(one.start)
    queries = prepare(f"QUERY {name} {mode.format(expression(name))}" for name in starts)
    found = graph.match(queries, {name: sorted(some) for name, some in starts.items()})
    texts = [graph.terms.value(number).text for number in range(graph.node_count)]
    ends: dict[tuple[str, str], set[str]] = defaultdict(set)
    for number, first, last in zip(
        found.columns.queries.tolist(), *(one.tolist() for one in found.end_points()), strict=True
    ):
        ends[found.names[number], texts[first]].add(texts[last])
    return ends


def score(asked: list[Question], found: Mapping[tuple[str, str], set[str]]) -> tuple[float, float]:
    """Precision and recall of all answers."""
    right = given = wanted = 0
    for one in asked:
        mine = found.get((one.type, one.start), set())
        right += len(mine & one.answers)
        given += len(mine)
        wanted += len(one.answers)
    return right / given, right / wanted


def main(*hops: str) -> None:
    """Print precision and recall."""
    graph = Graph.load(ROOT / "kb.txt")
    print(graph)
    for number in map(int, hops or ("1", "2")):
        asked = list(questions(number))
        print(f"\n{len(asked):,} questions of {number} hops")
        for mode in MODES:
            started = time.process_time()
            precision, recall = score(asked, answers(graph, asked, mode))
            taken = time.process_time() - started
            print(f"  {mode.format('…'):<36} precision {precision:.4f}  recall {recall:.4f}  {taken:.2f} s of CPU")


if __name__ == "__main__":
    main(*sys.argv[1:])
