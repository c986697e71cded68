"""Queries with `&&` on Spark, in batch and in microbatches, beside one engine (`test_cut` has many, without Spark)."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pyoxigraph
import pytest

import spaseq
from spaseq.sources.rdf.events import Event
from tests.spark.agreement import in_batch, in_microbatches
from tests.spark.cutting import Engines
from tests.spark.session import why_not
from tests.spark.whole_suite import in_process, table_of

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]
HEAD = "SELECT * WITHIN 9 SECONDS SLIDING FROM STREAM s <urn:s>"
GPMS = " ".join(f"DEFINE GPM {name} ON s {{ ?{name} <urn:of> ?k ; <urn:{name}> ?{name.lower()} }}" for name in "ABC")
QUERIES = {
    "by key": f"{HEAD} WHERE {{ SEQ(A ; (B && C)) {GPMS} }}",
    "each": f"{HEAD} PARTITION BY ?k WHERE {{ SEQ((A , B) && C) {GPMS} }}",
    "whole": f"{HEAD} WHERE {{ SEQ(A , (B && C)) {GPMS} }}",
}
CUT = {"by key": ("k",), "each": ("k",), "whole": ()}


def events() -> Iterator[Event]:
    """Events of three keys, some at one time."""
    chance = random.Random(1)
    for number, time in enumerate(sorted(chance.randrange(90) * 500_000 for _ in range(150))):
        key, kind = chance.randrange(3), chance.choice("ABC")
        text = f"<urn:{number}> <urn:of> <urn:k{key}> ; <urn:{kind}> {number} ."
        triples = tuple(quad.triple for quad in pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.TURTLE))
        yield Event("urn:s", time, f"urn:e{number}", triples)


def test_by_a_common_key_by_partitions_and_whole() -> None:
    queries = {name: spaseq.prepare(text) for name, text in QUERIES.items()}
    given = list(events())
    wanted = in_process(queries, {}, table_of(given))
    assert {part.queries[0].name: part.split.keys for part in Engines(queries, 3).job.parts} == CUT
    assert {row[0] for row in wanted} == queries.keys()
    assert in_batch(queries, table_of(given), ()) == wanted
    assert in_microbatches(queries, given, (), files=2) == wanted
