"""Computed strings have at most 16 MiB; longer ones are errors, whoever computes them."""

from __future__ import annotations

from typing import Any

import pytest
from pyoxigraph import Literal, NamedNode, Triple

import spaseq
from gpm.string_limits import LONGEST

QUERY = """
SELECT ?{name} FROM STREAM s <urn:s> WHERE {{
  SEQ(A)
  DEFINE GPM A ON s {{ ?s <urn:p> ?x {body} BIND(STRLEN(?y) AS ?n) }}
}}"""
EIGHT = "CONCAT(?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x)"
MODES = ["native", "pyoxigraph", "verify"]


def length(body: str, mode: str, *values: Literal) -> object:
    """What the query gives for an event with these values."""
    value = binding("n", body, mode, *values)
    return value and int(value)


def binding(name: str, body: str, mode: str, *values: Literal) -> Any:
    engine = spaseq.Engine(gpm=mode)
    engine.register(QUERY.format(name=name, body=body))
    found = engine.push("s", [Triple(NamedNode("urn:s"), NamedNode("urn:p"), value) for value in values], 1)
    (match,) = [*found, *engine.close()]
    return match.bindings.get(name)


def concat(count: int) -> str:
    return f"BIND(CONCAT({', '.join(['?x'] * count)}) AS ?y)"


MEGABYTE = Literal("x" * (1 << 20))


@pytest.mark.parametrize("mode", MODES)
def test_as_long_as_may_be(mode: str) -> None:
    assert length(concat(16), mode, MEGABYTE) == LONGEST


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "body",
    [
        concat(17),
        "BIND(CONCAT(?x, ?x, ?x, ?x) AS ?a) BIND(CONCAT(?a, ?a, ?a, ?a) AS ?b) BIND(CONCAT(?b, ?x) AS ?y)",
        f"BIND(STRLEN(CONCAT({EIGHT}, {EIGHT}, 'x')) AS ?y)",
        "BIND(UCASE(CONCAT(?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x)) AS ?y)",
    ],
)
def test_a_longer_one_is_an_error(mode: str, body: str) -> None:
    assert length(body, mode, MEGABYTE) is None


@pytest.mark.parametrize("mode", MODES)
def test_bytes_count(mode: str) -> None:
    assert length(concat(2), mode, Literal("ä" * (1 << 22))) == 1 << 23
    assert length(concat(3), mode, Literal("ä" * (1 << 22))) is None


def chain(function: str, times: int) -> str:
    value = "?x"
    for _ in range(times):
        value = function.format(value)
    return f"BIND({value} AS ?y)"


@pytest.mark.parametrize(
    "body",
    [
        chain("REPLACE({0}, 'x', 'xx')", 6),
        chain("REPLACE({0}, '', '0123456789abcdef')", 6),
        "BIND(REPLACE(?x, 'x', CONCAT(?x, ?x)) AS ?y)",
        "BIND(ENCODE_FOR_URI(REPLACE(?x, 'x', '%%%%%%')) AS ?y)",
        f"BIND(STR(IRI(CONCAT('urn:', {EIGHT}, {EIGHT}))) AS ?y)",
        f"BIND(STR(STRDT(CONCAT({EIGHT}, {EIGHT}, 'x'), <urn:t>)) AS ?y)",
        "{ SELECT (GROUP_CONCAT(?z) AS ?y) { { ?s <urn:p> ?v } UNION { ?s <urn:p> ?v } "
        "BIND(CONCAT(?v, ?v, ?v, ?v, ?v, ?v, ?v, ?v) AS ?z) } }",
    ],
)  # fmt: skip
def test_functions_that_only_pyoxigraph_knows(body: str) -> None:
    assert length(body, "auto", MEGABYTE) is None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("parts", "result"),
    [
        ("'a'@en, 'b'@en", '"ab"@en'),
        ("'a'@en, 'b'@EN", '"ab"@en'),
        ("'a'@en, 'b'", '"ab"'),
        ("'a'@en, 'b'@de", '"ab"'),
        ("'a', 1", None),
        ("'a', <urn:b>", None),
        ("'a'", '"a"'),
        ("", '""'),
        ("'a', STR(1), 'ä'", '"a1ä"'),
    ],
)
def test_concat_is_that_of_sparql(mode: str, parts: str, result: str | None) -> None:
    found = binding("y", f"BIND(CONCAT({parts}) AS ?y)", mode, Literal("x"))
    assert (None if found is None else found.n3()) == result
