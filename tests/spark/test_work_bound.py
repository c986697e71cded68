"""A bound on work in jobs: engines that are made again leave out what they would have left out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyoxigraph
import pytest

from spaseq import Bound, OptionError
from spaseq.sources.rdf.events import Event
from spaseq.spark import Losses, match
from spaseq.spark.matching import job_of
from tests.graphs.test_work_bound import ONE, TWO, WINDOW, items
from tests.spark.session import session, why_not
from tests.spark.streaming import Cluster
from tests.spark.whole_suite import table_of

QUERIES = {name: text.replace(f"{WINDOW} EVENTS", "1 SECOND") for name, text in {"one": ONE, "two": TWO}.items()}
BATCH, EVENTS = 300, 2400


def events() -> list[Event]:
    return [
        Event("urn:s", time, f"urn:event:{time}", tuple(pyoxigraph.parse(graph, pyoxigraph.RdfFormat.TURTLE)))
        for time, graph in items()[:EVENTS]
    ]


def found(bound: Bound | None, seed: int, death: float = 0.2) -> tuple[Counter[str], Cluster]:
    """The results of a streaming job whose workers die now and then."""
    cluster = Cluster(QUERIES, {}, 2, random.Random(seed), workers=1 if death == 0 else 2, bound=bound, death=death)
    rows: list[Any] = []
    for start in range(0, EVENTS, BATCH):
        some = events()[start : start + BATCH]
        rows += [row for table in cluster.batch(some, some[-1].timestamp - BATCH * 1000) for row in table.to_pylist()]
    rows += [row for table in cluster.finish() for row in table.to_pylist()]
    return Counter(map(repr, rows)), cluster


def test_engines_that_are_made_again_leave_out_the_same() -> None:
    exact, _ = found(None, 1)
    bound = Bound(20, {"two": 2})
    wanted, steady = found(bound, 1, death=0)
    assert not wanted - exact
    assert 0 < wanted.total() < exact.total()
    assert steady.left_out > 1000
    for seed in (1, 2):
        again, cluster = found(bound, seed, death=0.5)
        assert Counter(cluster.how)["rebuilt"] > 2
        assert again == wanted


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        (5, "on Spark a bound is one on work"),
        (Bound(latency=1000), "on Spark a bound is one on work"),
        (Bound(5, sample=0.1), "on Spark it is not estimated which part of all results is found"),
        (Bound(5, {"too": 2}), "there is no query too to have a priority; did you mean two"),
    ],
)
def test_wrong_bounds(bound: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        job(QUERIES, bound)


def test_what_may_have_no_bound() -> None:
    with pytest.raises(OptionError, match="the work of sums may have no bound: it aggregates"):
        job({"sums": ONE.replace("SELECT *", "SELECT (COUNT(*) AS ?n)")}, Bound(5))


def job(queries: dict[str, str], bound: Any) -> Any:
    from spaseq.graphs.background import read_background

    return job_of(queries, read_background(None, ()), 2, (), "stop", 2, bound=bound)


def test_a_state_is_of_its_bound() -> None:
    assert job(QUERIES, Bound(5)).identity != job(QUERIES, Bound(6)).identity
    assert job(QUERIES, Bound(5)).identity == job(QUERIES, Bound(5.0)).identity


@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_a_bounded_input() -> None:
    df, losses = session().createDataFrame(table_of(events()).to_pandas()), Losses(session())
    exact = texts(match(df, QUERIES, buckets=2).toArrow().to_pylist())
    some = texts(match(df, QUERIES, buckets=2, bound=Bound(20), losses=losses).toArrow().to_pylist())
    assert not some - exact
    assert 0 < some.total() < exact.total()
    assert losses.counts["left_out"] > 1000


def texts(rows: Sequence[Any]) -> Counter[str]:
    return Counter(map(repr, rows))
