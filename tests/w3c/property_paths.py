"""The tests of the W3C suites that are a single path pattern, as path queries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.w3c.manifests import BASE, EvaluationTest, evaluation_tests, file_of, triples
from tests.w3c.solutions import Solution, expected

FOLDER = "sparql11/property-path"
ONE_PATTERN = re.compile(
    r"(?P<prologue>.*?)(SELECT|ASK)[^{]*\{\s*(?P<s>\S+)\s+(?P<path>\S+)\s+(?P<o>\S+)\s*\}.*", re.I | re.S
)
DECLARED = re.compile(r"PREFIX\s+(\w*:)\s*<([^>]*)>", re.IGNORECASE)
NOT_IN_THE_GRAPH = "SPARQL has a path of length 0 at a constant that the graph has not, path queries have none"
LEFT_OUT = {
    f"{FOLDER}#pp06": "GRAPH with two named graphs",
    f"{FOLDER}#pp07": "GRAPH",
    f"{FOLDER}#pp34": "GRAPH with three named graphs",
    f"{FOLDER}#pp35": "GRAPH with three named graphs, and FILTER",
    f"{FOLDER}#values_and_path": "VALUES, and one variable at both ends",
    f"{FOLDER}#zero_or_more_set_start": NOT_IN_THE_GRAPH,
    f"{FOLDER}#zero_or_more_set_end": NOT_IN_THE_GRAPH,
    f"{FOLDER}#zero_or_one_set_start": NOT_IN_THE_GRAPH,
    f"{FOLDER}#zero_or_one_set_end": NOT_IN_THE_GRAPH,
}
# Of the working drafts, when SPARQL still had {n,m}.  No manifest lists them now; what belongs together is inferred.
UNLISTED = (
    ("pp04.rq", "pp03.ttl", "pp04.srx"),
    ("path-2-1.rq", "data-diamond.ttl", "diamond-1.srx"),
    ("path-2-3.rq", "data-diamond-tail.ttl", "diamond-tail-1.srx"),
    ("path-2-1.rq", "data-diamond-loop.ttl", "diamond-loop-1.srx"),
    ("path-3-1.rq", "data-diamond-loop.ttl", "diamond-loop-3.srx"),
    ("path-3-2.rq", "data-diamond-loop.ttl", "diamond-loop-4.srx"),
    ("path-3-4.rq", "data-diamond-loop.ttl", "diamond-loop-6.srx"),
)


@dataclass(frozen=True)
class PropertyPath:
    """``subject path object``; both ends are IRIs or None, and terms are as in N-Triples.

    ``pairs`` are the end points that the suite expects.
    """

    id: str
    edges: tuple[tuple[str, str, str], ...]
    prologue: str
    path: str
    subject: str | None
    object: str | None
    pairs: frozenset[tuple[str, str]]

    @property
    def text(self) -> str:
        """The path query; where the subject is None all nodes are its starts."""
        start = "" if self.subject is None else f"FROM {self.subject} "
        end = "" if self.object is None else f"TO {self.object} "
        return f"{self.prologue}\nQUERY q {start}{end}ANY SHORTEST {self.path}\n"

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(sorted({node for start, _, end in self.edges for node in (start, end)}))


def property_paths() -> Iterator[PropertyPath]:
    """The tests that are not left out."""
    for test in evaluation_tests():
        if test.folder == FOLDER and test.id not in LEFT_OUT:
            yield _of(test)


def unlisted() -> Iterator[PropertyPath]:
    """The tests of bounded repetitions that the suite has dropped."""
    for files in UNLISTED:
        query, data, result = (f"{BASE}{FOLDER}/{file}" for file in files)
        text = file_of(query).read_text(encoding="utf-8")
        yield _of(EvaluationTest(FOLDER, files[-1], text, query, (data,), (), result))


def _of(test: EvaluationTest) -> PropertyPath:
    found = ONE_PATTERN.fullmatch(test.query)
    assert found, f"{test.id} is not a single path pattern"
    ends = [_end(found[name], found["prologue"]) for name in "so"]
    edges = (tuple(map(str, triple)) for iri in test.data for triple in triples(iri))
    pairs = {
        tuple(_value(row, found[name], end) for name, end in zip("so", ends, strict=True))
        for row in expected(test.result)
    }
    prologue = found["prologue"].strip()
    return PropertyPath(test.id, tuple(edges), prologue, found["path"], *ends, frozenset(pairs))


def _end(word: str, prologue: str) -> str | None:
    """The IRI of a prefixed name; None of a variable."""
    prefix, colon, local = word.partition(":")
    return None if word.startswith("?") else f"<{dict(DECLARED.findall(prologue))[prefix + colon]}{local}>"


def _value(row: Solution, word: str, end: str | None) -> str:
    return str(dict(row)[word[1:]]) if end is None else end
