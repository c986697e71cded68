"""The query evaluation tests of the W3C SPARQL suites, as their manifests list them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, RdfFormat, Store, parse

from tests.data import folder

SUITES = folder("w3c-sparql-tests")
BASE = "http://w3c.test/"  # the suites are read as if they lay here

_MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
_QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_FROM = re.compile(r"\bFROM\s+(NAMED\s+)?<([^>]*)>", re.IGNORECASE)


@dataclass(frozen=True)
class EvaluationTest:
    """One test: ``query`` is its text without FROM clauses, whose files are among ``data`` and ``named``.

    All names of files are IRIs below ``BASE``.
    """

    folder: str
    name: str
    query: str
    query_iri: str
    data: tuple[str, ...]
    named: tuple[str, ...]
    result: str

    @property
    def id(self) -> str:
        """Unique among all tests."""
        return f"{self.folder}#{self.name}"


def file_of(iri: str) -> Path:
    """The file that an IRI below ``BASE`` means."""
    return SUITES / iri.removeprefix(BASE)


@cache
def triples(iri: str) -> list[Any]:
    """The triples of a file of the suites."""
    file = file_of(iri)
    kind = RdfFormat.from_extension(file.suffix[1:])
    return [quad.triple for quad in parse(file.read_bytes(), kind, base_iri=iri, rename_blank_nodes=True)]


def evaluation_tests() -> list[EvaluationTest]:
    """All tests, sorted by folder and name."""
    manifests = [f"{BASE}{path.relative_to(SUITES)}" for path in SUITES.glob("*/*/manifest.ttl")]
    tests = {test.id: test for manifest in manifests for test in _tests(manifest)}
    return [tests[name] for name in sorted(tests)]


def _tests(manifest: str) -> Iterator[EvaluationTest]:
    store = Store()
    store.load(file_of(manifest).read_bytes(), format=RdfFormat.TURTLE, base_iri=manifest)
    folder = str(Path(manifest.removeprefix(BASE)).parent)
    for quad in store.quads_for_pattern(None, _TYPE, NamedNode(_MF + "QueryEvaluationTest")):
        (action,) = _objects(store, quad.subject, _MF + "action")
        (query,) = (node.value for node in _objects(store, action, _QT + "query"))
        (result,) = (node.value for node in _objects(store, quad.subject, _MF + "result"))
        text = file_of(query).read_text(encoding="utf-8")
        default, named = _from(text, query)
        data = (*(node.value for node in _objects(store, action, _QT + "data")), *default)
        graphs = (*(node.value for node in _objects(store, action, _QT + "graphData")), *named)
        name = re.split("[#/]", str(quad.subject)[1:-1])[-1]
        yield EvaluationTest(folder, name, _FROM.sub("", text), query, data, graphs, result)


def _objects(store: Store, subject: Any, predicate: str) -> list[Any]:
    return [quad.object for quad in store.quads_for_pattern(subject, NamedNode(predicate), None)]


def _from(text: str, base: str) -> tuple[list[str], list[str]]:
    """The files of FROM and of FROM NAMED."""
    folder = base.rpartition("/")[0] + "/"
    found = [(bool(named), folder + file) for named, file in _FROM.findall(text)]
    return [file for named, file in found if not named], [file for named, file in found if named]
