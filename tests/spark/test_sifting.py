"""What the first stage of a job makes of rows: pruned, packed, named; and what it leaves out."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow
import pytest

import spaseq
from spaseq.errors import StreamError
from spaseq.spark.job import Job
from spaseq.spark.map_stage import NOBODY, sift, sift_counted
from spaseq.spark.matching import job_of
from spaseq.spark.packing import EVENT, unpacked

QUERY = """SELECT * WITHIN 5 SECONDS FROM STREAM s <urn:s> WHERE { SEQ(A ; B)
    DEFINE GPM A ON s { ?a <urn:A> ?k } DEFINE GPM B ON s { ?b <urn:B> ?k } }"""
A, OTHER = b"<urn:a> <urn:A> <urn:k> .", b"<urn:a> <urn:C> <urn:k> ."


def job(query: str = QUERY, buckets: int = 4, on_error: str = "stop") -> Job:
    return job_of({"q": query}, spaseq.Background.load({}), buckets, (), on_error, 2)


def rows(*graphs: bytes, **more: Any) -> pyarrow.RecordBatch:
    found = [
        {"stream": "s", "time": number, "event": f"urn:e{number}", "graph": graph} | more
        for number, graph in enumerate(graphs)
    ]
    return pyarrow.RecordBatch.from_pylist(found, EVENT)


def sifted(one: Job, batch: pyarrow.RecordBatch, ticks: bool = False) -> list[dict[str, Any]]:
    return [row for found in sift(one, [batch], ticks) for row in found.to_pylist()]


def events(row: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = unpacked(row["data"]).to_pylist()
    return found


def test_lines_and_events_that_nobody_needs_are_left_out() -> None:
    (row,) = sifted(job(), rows(A + b"\n" + OTHER, OTHER, A))
    assert row["events"] == 2
    assert [(one["event"], one["graph"].strip()) for one in events(row)] == [("urn:e0", A), ("urn:e2", A)]


def test_events_go_by_their_keys() -> None:
    graphs = [A.replace(b"urn:k", b"urn:k%d" % number) for number in range(40)]
    found = sifted(job(), rows(*graphs, *graphs))
    assert len(found) == 4 and {row["label"] for row in found} == set(job().labels)
    keys = [{one["graph"] for one in events(row)} for row in found]
    assert sum(map(len, keys)) == len(set().union(*keys)) == 40


def test_what_goes_to_one_engine_is_packed_by_about_a_mebibyte() -> None:
    text = b"<urn:a> <urn:B> <urn:k> .\n<urn:a> <urn:A> <urn:k> . # " + b"a" * 1_000
    batches = [rows(*[text] * 1_000) for _ in range(7)]
    found = [row for one in sift(job(), batches) for row in one.to_pylist()]
    sizes = [unpacked(row["data"]).nbytes for row in found]
    assert sum(row["events"] for row in found) == 7_000 and len({row["label"] for row in found}) == 1
    assert min(sizes) > 2**19 and max(sizes) < 2**21


def test_strict_steps_count_all_events() -> None:
    (row,) = sifted(job(QUERY.replace("A ; B", "A , B")), rows(A, OTHER))
    assert [len(one["graph"]) > 0 for one in events(row)] == [True, True]


def test_events_without_a_name_are_called_by_what_they_are() -> None:
    (first,), (second,) = (sifted(job(), rows(A, event=None)) for _ in range(2))
    (name,) = {one["event"] for row in (first, second) for one in events(row)}
    assert name.startswith("urn:spaseq:event:")
    (turtle,) = sifted(job(), rows(b"@prefix u: <urn:> . u:a u:A u:k .", event=None))
    assert events(turtle)[0]["event"].startswith("urn:spaseq:event:")


def test_a_tick_tells_how_far_the_streams_are() -> None:
    (tick,) = sifted(job(), rows(OTHER, OTHER), ticks=True)
    assert tick["label"] == NOBODY and tick["last"].microsecond == 1 and not tick["events"]


def test_rows_that_are_no_events(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(spaseq.RowError, match="row 1"):
        sifted(job(), rows(A, b"no"))
    (row, tick) = sifted(job(on_error="skip"), rows(A, b"no", b""), ticks=True)
    assert row["events"] == 1 and tick["skipped"] == 2
    assert capsys.readouterr().err.startswith("spaseq: 2 rows were no events: ")
    (tick,) = sifted(job(on_error="skip"), rows(b"no"), ticks=True)
    assert tick["skipped"] == 1 and tick["last"] is None


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({}, "<rows>, row 3 (s, 1970-01-01T00:00:00.000001Z, urn:e1):1:1: error: "),
        ({"event": None}, "<rows>, row 3 (s, 1970-01-01T00:00:00.000001Z):1:1: error: "),
        ({"time": None, "graph": A}, "<rows>, row 2 (s, urn:e0): error: the time is missing"),
        ({"time": 2**62}, f"<rows>, row 3 (s, {2**62} µs, urn:e1):1:1: error: "),
    ],
)
def test_a_row_that_is_no_event_is_named_by_what_it_says(more: dict[str, Any], place: str) -> None:
    with pytest.raises(spaseq.RowError) as caught:
        list(sift(job(), [rows(A, A), rows(A, b"no", **more)]))
    assert str(caught.value).startswith(place)


def test_an_event_with_several_keys() -> None:
    graph = b"".join(A.replace(b"urn:k", b"urn:k%d" % number) + b"\n" for number in range(40))
    with pytest.raises(
        StreamError, match=r'<urn:e0> of the stream <urn:s> has several \?k, by which the query "q" is cut'
    ):
        sifted(job(), rows(graph))


class Counted:
    """Losses without Spark."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()

    def add(self, **counts: int) -> None:
        self.found.update(counts)


def test_what_a_bounded_job_leaves_out_is_counted() -> None:
    losses: Any = Counted()
    (row,) = sift_counted(job(on_error="skip"), losses, [rows(A, b"no", OTHER), rows(b"", OTHER)])
    assert row["events"][0].as_py() == 1
    assert losses.found == {"skipped": 2, "dropped": 2}
