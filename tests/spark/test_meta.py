"""What a checkpoint says of its job, and when it is refused; labels, and the rows that events are packed in."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace

import pytest

import spaseq
from spaseq.errors import OptionError, SnapshotError
from spaseq.graphs.background import read_background
from spaseq.spark.job import Job
from spaseq.spark.log import Meta
from spaseq.spark.matching import job_of
from spaseq.spark.shards import labels, partition_of

QUERY = "SELECT * WITHIN 5 SECONDS FROM STREAM s <urn:s> WHERE { SEQ(A ; A) DEFINE GPM A ON s { ?a <urn:p> ?k } }"
ONE = {"query": "A"}


@pytest.mark.parametrize("partitions", [2, 3, 8, 200])
def test_each_partition_has_equally_many_labels(partitions: int) -> None:
    found = labels(4 * partitions, partitions)
    assert len(set(found)) == len(found)
    assert set(Counter(partition_of(label, partitions) for label in found).values()) == {4}


def test_the_state_comes_back() -> None:
    meta = Meta(ONE).added(5, 2, 100).done().added(9, 1, 50).done()
    assert Meta.from_bytes(meta.to_bytes(), ONE) == meta
    assert meta.needed(6).entries == meta.entries[1:]


def test_timers_are_those_of_what_is_due() -> None:
    meta = Meta(ONE).until(None)
    assert meta.timers == () and meta.until(2_001).timers == (3,)
    later = replace(meta, watermark=9_000)
    assert later.until(2_001).timers == (10,) and later.until(20_000).timers == (20,)


def test_a_state_of_an_earlier_version_does_not_know_its_timers() -> None:
    told = json.loads(Meta(ONE).to_bytes())
    del told["timers"]
    assert Meta.from_bytes(json.dumps(told).encode(), ONE).timers is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "the state of the checkpoint is damaged"),
        (b"[]", "the state of the checkpoint is damaged"),
        (json.dumps({"format": 99}).encode(), "the checkpoint has format 99"),
        (Meta({"query": "B"}).to_bytes(), "the checkpoint is of another job: query changed"),
        (Meta({**ONE, "the background": ""}).to_bytes(), "the checkpoint is of another job: the background changed"),
    ],
)
def test_another_state_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(SnapshotError, match=message):
        Meta.from_bytes(data, ONE)


def job(query: str = QUERY, buckets: int = 4, kb: bytes = b"", partitions: int = 2, whole: tuple[str, ...] = ()) -> Job:
    background = read_background({"urn:kb": kb} if kb else None)
    return job_of({"q": query}, background, buckets, whole, "stop", partitions)


def test_what_makes_it_another_job() -> None:
    same = job(QUERY.replace("  ", " ").replace("SELECT *", "PREFIX x: <urn:x>\nSELECT  *")).identity
    assert same == job().identity
    others = [
        (job(QUERY.replace("5 SECONDS", "6 SECONDS")), 'the query "q"'),
        (job(buckets=5), "the number of buckets"),
        (job(partitions=3), "the number of partitions"),
        (job(buckets=6, partitions=3), "the number of partitions"),  # from which that of buckets follows
        (job(kb=b"<urn:a> <urn:b> <urn:c> ."), "the background"),
        (job(whole=("q",)), "what is whole"),
    ]
    for other, name in others:
        with pytest.raises(SnapshotError, match=f"of another job: {name} changed"):
            Meta.from_bytes(Meta(job().identity).to_bytes(), other.identity)


def test_numbers_that_changed_are_told() -> None:
    """Also where an earlier version wrote the number of buckets first."""
    known = dict(reversed(job(buckets=8).identity.items()))
    with pytest.raises(SnapshotError) as caught:
        Meta.from_bytes(Meta(known).to_bytes(), job(buckets=12, partitions=3).identity)
    end = "the number of partitions changed from 2 to 3 (spark.sql.shuffle.partitions)"
    assert str(caught.value) == f"the checkpoint is of another job: {end}"


def test_names_of_batches_that_the_log_cannot_go_on_from_are_forgotten() -> None:
    meta = Meta(ONE)
    for batch in range(100):
        meta = meta.added(batch, 1, 10).needed(batch - 2).done()
    assert [number for _, number in meta.tokens] == [97, 98, 99, 100] and len(meta.entries) == 3


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"buckets": 0}, "buckets is a number of engines from 1 on, not 0"),
        ({"whole": ("r",)}, "whole names queries, but not r; here are q"),
    ],
)
def test_wrong_arguments(more: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        job(**more)  # type: ignore[arg-type]


def test_an_unknown_way_of_errors() -> None:
    with pytest.raises(OptionError, match='on_error is "stop" or "skip", not \'go\''):
        job_of(QUERY, spaseq.Background.load({}), None, (), "go", 2)


def test_a_pickled_job_knows_where_its_queries_are_cut() -> None:
    one = job(QUERY.replace("?a <urn:p> ?k", "?k <urn:p> ?v"))
    again = pickle.loads(pickle.dumps(one))
    assert "splits" in vars(again)
    assert (again.splits, again.labels, again.identity) == (one.splits, one.labels, one.identity)
    assert again.splits["q"].keys
