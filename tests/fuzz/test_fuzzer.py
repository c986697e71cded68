"""The fuzzer finds what is to be found, makes it small, keeps it, and does the same again with the same seed."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.fuzz.campaign import Campaign
from tests.fuzz.child import Child
from tests.fuzz.door import NAMES, door
from tests.fuzz.doors.example import DOOR
from tests.fuzz.mutate import LARGEST, mutated
from tests.fuzz.outcome import Outcome
from tests.fuzz.shrink import shrunk
from tests.fuzz.worker import tried


@pytest.mark.parametrize(
    ("data", "kind", "detail"),
    [
        (b"good", "accepted", "0"),
        (b"refuse", "refused", "StreamError not this"),
        (b"raw", "raw error", "KeyError in example.py:enter"),
        (b"differ", "disagreement", "two answers"),
        (b"print", "printed", "standard error"),
        (b"crash", "crash", "SIGABRT"),
    ],
)
def test_what_becomes_of_an_input(data: bytes, kind: str, detail: str) -> None:
    with Child("example") as child:
        outcome = child.ask(data)
    assert outcome.kind == kind and detail in outcome.detail
    assert outcome.is_finding == (kind not in ("accepted", "refused"))


def test_what_takes_too_much_is_a_finding() -> None:
    with patch("tests.fuzz.worker.SLOW", -1.0):
        assert tried(DOOR, b"good").kind == "slow"
    with patch("tests.fuzz.worker.LARGE", -1):
        assert tried(DOOR, b"good").kind == "large"


def test_a_child_goes_on_after_findings() -> None:
    with Child("example") as child:
        assert [child.ask(data).kind for data in (b"raw", b"good", b"print", b"good")] == [
            "raw error", "accepted", "printed", "accepted",
        ]  # fmt: skip


@pytest.mark.parametrize("word", [b"crash", b"raw"])
def test_findings_become_small_files(tmp_path: Path, word: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    data = b"." * 20 + word + b"." * 180
    campaign = Campaign(replace(DOOR, mutate=lambda *_: data), 1, save=tmp_path)
    with patch("tests.fuzz.campaign.FEW_TRIES", 4):
        tally = campaign.run(inputs=1)
    (finding,) = tally.findings
    assert finding.alone and word in finding.data and len(finding.data) < 200
    assert (tmp_path / "example" / finding.name).read_bytes() == finding.data
    assert "1 findings" in tally.line() and str(tmp_path / "example") in capsys.readouterr().out


def test_the_same_seed_tries_the_same(tmp_path: Path) -> None:
    def tries(seed: int) -> list[bytes]:
        found: list[bytes] = []
        campaign = Campaign(DOOR, seed, save=tmp_path)
        with patch.object(
            Campaign, "_ask", lambda _, data: (found.append(data), Outcome("accepted", str(len(data))))[1]
        ):
            campaign.run(inputs=60)
        return found

    assert tries(1) == tries(1) != tries(2)


def test_small_inputs_keep_what_matters() -> None:
    data = bytes(range(256)) * 40 + b"needle" + bytes(range(256)) * 40
    assert shrunk(data, lambda some: b"needle" in some, tries=500).count(b"needle") == 1
    assert len(shrunk(data, lambda some: b"needle" in some, tries=500)) <= 64


@pytest.mark.parametrize("name", NAMES)
def test_changed_inputs(name: str) -> None:
    entrance = door(name)
    pool = entrance.inputs()
    for number in range(6):
        choose, again = random.Random(number), random.Random(number)
        data, other = pool[number % len(pool)], pool[-1 - number % len(pool)]
        changed = entrance.mutate(data, other, entrance.words, choose)
        assert changed == entrance.mutate(data, other, entrance.words, again)


def test_changes_are_bounded() -> None:
    choose, data = random.Random(1), b'SEQ(A ; "b" , <c> 12)\n'
    for _ in range(150):
        data = mutated(data, b"{ other }\n", (b"word",), choose)
        assert len(data) <= LARGEST
