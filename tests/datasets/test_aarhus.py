"""The mapping of the real Aarhus readings."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pyoxigraph
import pytest

from spaseq.datasets import citybench, workloads
from spaseq.errors import OptionError, StreamError
from tests.datasets.rows import slowing

AARHUS = workloads()["aarhus"]


@pytest.fixture
def shared() -> Path:
    try:
        return citybench.folder()
    except OptionError:
        pytest.skip("the shared data (citybench) is not at hand")


def test_every_row_is_an_event(shared: Path) -> None:
    events = list(AARHUS.events())
    assert all(before.time <= after.time for before, after in pairwise(events))
    assert len({event.name for event in events}) == len(events)
    counts = Counter(event.stream for event in events)
    assert counts == {"s182955": 15_625, "s195578": 16_690, "s195446": 15_538}


def test_the_first_reading(shared: Path) -> None:
    first = next(event for event in AARHUS.events() if event.stream == "s182955")
    assert first.time == 1_406_880_000_000_000  # 2014-08-01T08:00:00Z
    assert sum('"54"' in value for _, _, value in first.triples) == 1  # avgSpeed
    assert sum('"11"' in value for _, _, value in first.triples) == 1  # vehicleCount


def test_observed_properties_are_those_of_the_repository(shared: Path) -> None:
    facts = {
        (quad.subject, quad.predicate, quad.object)
        for quad in pyoxigraph.parse(input=AARHUS.knowledge(), format=pyoxigraph.RdfFormat.TURTLE)
    }
    for event in AARHUS.events(50):
        lines = "".join(f"{s} {p} {o} .\n" for s, p, o in event.triples)
        triples = [quad.triple for quad in pyoxigraph.parse(input=lines, format=pyoxigraph.RdfFormat.N_TRIPLES)]
        classes = [(t.subject, t.predicate, t.object) for t in triples if "Property" in t.subject.value]
        assert len(classes) == 2 and set(classes) <= facts


def test_query_5_matches_the_real_streams(shared: Path) -> None:
    assert slowing(",")(AARHUS.events(), AARHUS) == 7_881
    assert slowing(";")(AARHUS.events(), AARHUS) == 9_115


def test_absent_data_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(citybench.VARIABLE, str(tmp_path))
    with pytest.raises(OptionError, match="SPASEQ_SHARED"):
        AARHUS.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_broken_row_is_named(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "citybench"
    folder.mkdir()
    for path in shared.glob("*[!v]"):
        if path.is_file():
            (folder / path.name).symlink_to(path)
    broken = folder / "AarhusTrafficData182955.stream"
    broken.unlink()
    broken.write_text("TIMESTAMP,avgSpeed,vehicleCount\n2014-08-01T08:00:00,54,1\n2014-08-01T08:05:00,fast,1\n")
    monkeypatch.setenv(citybench.VARIABLE, str(tmp_path))
    with pytest.raises(StreamError, match=r"182955\.stream:3"):
        list(AARHUS.events())
