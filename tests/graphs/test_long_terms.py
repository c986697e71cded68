"""Few terms may be long: what the past said of them is forgotten as that of many is."""

from __future__ import annotations

import pytest

import spaseq

QUERY = """SELECT {select} WITHIN 1 SECONDS SLIDING FROM STREAM s <urn:s> {parts} WHERE {{ SEQ(A ; B)
    DEFINE GPM A ON s {{ ?x <urn:b> ?y }} DEFINE GPM B ON s {{ ?x <urn:b> ?y }} }} {groups}"""
QUERIES = {
    "join": QUERY.format(select="?x ?y", parts="", groups=""),
    "partitions": QUERY.format(select="?x ?y", parts="PARTITION BY ?y", groups=""),
    "totals": QUERY.format(select="?y (COUNT(*) AS ?n)", parts="", groups="GROUP BY ?y"),
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=list(QUERIES))
@pytest.mark.parametrize(("at_once", "few"), [(1, 64), (5, 64), (5, 0)])
def test_memory_stays(query: str, at_once: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.graphs.terms_in_use.FEW_BYTES", 1 << 20)
    monkeypatch.setattr("spaseq.graphs.graph_engine.FEW_EVENTS", few)
    engine, most, found = spaseq.Engine(), 0, 0
    engine.register(query)
    for first in range(0, 300, at_once):
        items = [
            (n * 600_000, b"<urn:a> <urn:b> <urn:c:%d:%s> ." % (n // 2, b"x" * 50_000))
            for n in range(first, first + at_once)
        ]
        found += len(engine.push_batch("s", items))
        most = max(most, engine.terms.memory())
    assert most < 4 << 20  # of 7.5 MB
    assert found + len(engine.close()) >= 150
