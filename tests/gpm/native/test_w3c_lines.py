"""The W3C's suites for N-Quads and N-Triples (RDF 1.1): what is valid is read as by pyoxigraph, the rest refused."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph
import pytest

from gpm.native.tokens import read_lines
from nfa_native.terms.dictionary import Terms
from tests.data import folder
from tests.gpm.native.nquads import assert_same_terms

SUITES = folder("w3c-rdf-tests")
MANIFEST = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
RDF_TYPE = pyoxigraph.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
BASE = "http://tests/"


def cases() -> list[tuple[Path, bool]]:
    """The files and whether each is well-formed."""
    found = []
    for suite in ("rdf-n-quads", "rdf-n-triples"):
        for manifest in (SUITES / suite).glob("manifest.ttl"):
            store = pyoxigraph.Store()
            store.load(path=str(manifest), format=pyoxigraph.RdfFormat.TURTLE, base_iri=BASE)
            for action in store.quads_for_pattern(None, pyoxigraph.NamedNode(MANIFEST + "action"), None):
                (kind,) = store.quads_for_pattern(action.subject, RDF_TYPE, None)
                name = action.object.value.removeprefix(BASE)  # type: ignore[union-attr]
                found.append((manifest.parent / name, "Positive" in kind.object.value))  # type: ignore[union-attr]
    return sorted(found)


@pytest.mark.parametrize(("path", "positive"), cases(), ids=lambda value: value.name if isinstance(value, Path) else "")
def test_w3c(path: Path, positive: bool) -> None:
    text = path.read_bytes()
    lines = read_lines(text)
    assert all(line.kind >= 0 for line in lines) == positive
    if positive:
        quads = list(pyoxigraph.parse(text, pyoxigraph.RdfFormat.N_QUADS))
        assert_same_terms(Terms(), text, quads, [line for line in lines if line.kind == 1])


def test_there_are_both_suites() -> None:
    assert len(cases()) == 157 and sum(positive for _, positive in cases()) == 94
