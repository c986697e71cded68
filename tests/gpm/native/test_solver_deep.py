"""Random patterns of the whole native grammar on random graphs: what is native is what pyoxigraph answers."""

from __future__ import annotations

import pytest

from tests.gpm.native.deep import Report, run


def check(report: Report) -> None:
    assert not report.disagreements, report
    assert report.undecided < report.pairs / 20, report
    assert report.solved > report.pairs / 5, report


def test_random_patterns_agree() -> None:
    check(run(4_000))


@pytest.mark.deep
def test_very_many_random_patterns_agree() -> None:
    report = run(200_000, seed=1)
    check(report)
    for name in ("Optional", "Union", "Minus", "Exists", "Bind", "Values", "SequencePath", "NegatedPath", "NOW"):
        assert report.operators[name] > 100, report
