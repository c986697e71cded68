"""Each input that ever went wrong, and some nasty ones: an answer, or an error of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.door import CORPUS, NAMES, door, files
from tests.fuzz.worker import tried

MOST = 1_000_000  # bytes of the whole corpus
PATIENCE = 3.0  # with a machine that does something else at the same time


@pytest.mark.parametrize("path", [path for name in NAMES for path in files(name)], ids=lambda path: path.name)
def test_every_input_is_answered(path: Path) -> None:
    outcome = tried(door(path.parent.name), path.read_bytes(), PATIENCE)
    assert not outcome.is_finding, outcome


@pytest.mark.parametrize("name", NAMES)
def test_every_door_lets_its_seeds_in(name: str) -> None:
    entrance = door(name)
    seeds = entrance.seeds()
    kinds = [tried(entrance, data).kind for data in (seeds[0], seeds[-1])]
    assert "accepted" in kinds and not set(kinds) - {"accepted", "refused"}


def test_the_corpus_is_small_and_has_all_doors() -> None:
    assert sum(path.stat().st_size for path in CORPUS.rglob("*")) < MOST
    assert {path.name for path in CORPUS.iterdir() if path.is_dir()} == set(NAMES)
