"""The syntax tests of the W3C: every SELECT or ASK query of theirs as the body of a GPM."""

from __future__ import annotations

import re
from pathlib import Path

import pyoxigraph
import pytest

from spaseq.errors import LocatedError
from spaseq.languages.spaseq import format_query, parse
from tests.data import folder

SUITES = folder("w3c-sparql-tests")
FOLDERS = ["sparql11/syntax-query", *(f"sparql10/syntax-sparql{number}" for number in range(1, 6))]
MANIFEST = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
RDF_TYPE = pyoxigraph.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
DECLARATION = re.compile(r"\s*(#[^\n]*\n|BASE\s*<[^>]*>|PREFIX\s*[\w.-]*:\s*<[^>]*>)", re.IGNORECASE)

# What SPAseq refuses on purpose, by the words of its message, and what a sub-SELECT cannot have.
# syn-bad-26, `?x<?a&&?b>?y`: by the longest-token rule an IRI; the contextual lexer reads the comparison that is meant.
READ_AS_MEANT = ("syn-bad-26",)
REFUSED = ("SERVICE is not allowed", "GRAPH ?", "unknown function <", "UUID is not allowed", "RAND is not allowed")


def cases() -> list[tuple[Path, bool]]:
    """The queries and whether each is well-formed."""
    found = []
    for suite in FOLDERS:
        for manifest in (SUITES / suite).glob("manifest.ttl"):
            store = pyoxigraph.Store()
            base = "http://tests/"
            store.load(path=str(manifest), format=pyoxigraph.RdfFormat.TURTLE, base_iri=base)
            for quad in store.quads_for_pattern(None, pyoxigraph.NamedNode(MANIFEST + "action"), None):
                kinds = {str(each.object.value) for each in store.quads_for_pattern(quad.subject, RDF_TYPE, None)}
                if any("Syntax" in kind for kind in kinds) and isinstance(quad.object, pyoxigraph.NamedNode):
                    path = manifest.parent / quad.object.value.removeprefix(base)
                    found.append((path, not any("Negative" in kind for kind in kinds)))
    return sorted(case for case in found if can_ask(case[0]))


def can_ask(path: Path) -> bool:
    """Whether a query is a SELECT or ASK on the default data set, and not one that SPAseq reads as it is meant."""
    return path.stem not in READ_AS_MEANT and as_query(path.read_text(encoding="utf-8")) is not None


def as_query(text: str) -> str | None:
    """The SPARQL query ``text`` as a GPM of a SPAseq query; None if its form does not allow that."""
    end = 0
    while declaration := DECLARATION.match(text, end):
        end = declaration.end()
    prologue, rest = text[:end], text[end:].strip()
    if re.search(r"\bFROM\b", rest, re.IGNORECASE) or not re.match(r"SELECT|ASK", rest, re.IGNORECASE):
        return None
    asked = re.match(r"ASK\s*(WHERE\b)?", rest, re.IGNORECASE)
    body = rest[asked.end() :] if asked else "{" + rest + "\n}"
    return (
        f"BASE <http://example.org/>\n{prologue}\nSELECT (1 AS ?one) WITHIN 1 DAY FROM STREAM <http://example.org/s>\n"
        f"WHERE {{ SEQ(A) DEFINE GPM A ON <http://example.org/s> {body} }}"
    )


@pytest.mark.parametrize(("path", "positive"), cases(), ids=lambda value: value.stem if isinstance(value, Path) else "")
def test_w3c_syntax(path: Path, positive: bool) -> None:
    query = as_query(path.read_text(encoding="utf-8"))
    assert query is not None
    try:
        parsed = parse(query)
    except LocatedError as error:
        if positive and not any(word in error.message for word in REFUSED):
            raise
        return
    assert positive, "a malformed pattern was accepted"
    assert parse(format_query(parsed.tree)).tree == parsed.tree
