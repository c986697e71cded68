"""A checkpoint of an earlier version goes on, or is refused in one line; so is one of another job."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spaseq.spark import finish
from tests.spark import upgrading
from tests.spark.session import session, why_not
from tests.spark.upgrading import FIXTURE, HALF, QUERY, background, told
from tests.spark.whole_suite import in_process

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]


def going_on(folder: Path) -> tuple[Path, Path]:
    """The fixture, and the second half of the events, where a job may go on."""
    shutil.copytree(FIXTURE / "checkpoint", folder / "checkpoint")
    upgrading.moved(folder / "checkpoint", upgrading.NOWHERE, f"file:{folder}/checkpoint")
    upgrading.written(upgrading.rows().slice(HALF), folder / "in", 3)
    return folder, folder / "checkpoint"


def wanted(kb: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """All matches as one engine gives them."""
    import spaseq

    rows = in_process({"query1": spaseq.prepare(QUERY)}, kb, upgrading.rows())
    plain = ({"events": {g: list(e) for g, e in row[3]}, "bindings": dict(row[4])} for row in rows.elements())
    return sorted(plain, key=lambda row: json.dumps(row, sort_keys=True))


def ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def test_it_goes_on(tmp_path: Path) -> None:
    before = json.loads((FIXTURE / "given.json").read_text())
    after = upgrading.run(*going_on(tmp_path))
    left = finish(session(), str(tmp_path / "checkpoint"), QUERY, background(), buckets=upgrading.BUCKETS)
    found = [*before, *after, *told(left.toArrow().to_pylist())]
    assert ordered(found) == wanted(background()) and len(before) > 2 and len(after) > 2


def test_with_a_new_background_windows_are_matched_again(tmp_path: Path) -> None:
    """Of matches that end in the second half, those that begin in the first half have the new names, too."""
    after = upgrading.run(*going_on(tmp_path), background=background("new"), new_background=True)
    given = finish(
        session(), str(tmp_path / "checkpoint"), QUERY, background("new"), buckets=upgrading.BUCKETS,
        new_background=True,
    )  # fmt: skip
    found = [*after, *told(given.toArrow().to_pylist())]
    before = {json.dumps(row["events"], sort_keys=True) for row in json.loads((FIXTURE / "given.json").read_text())}
    rest = [row for row in wanted(background("new")) if json.dumps(row["events"], sort_keys=True) not in before]
    assert ordered(found) == rest and all('"new ' in row["bindings"]["name"] for row in found)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"query": QUERY.replace("5 SECONDS", "6 SECONDS")}, 'the query "query1" changed'),
        pytest.param({"buckets": 3}, "the number of buckets changed", marks=pytest.mark.deep),
        pytest.param({"background": background("new")}, "the background changed", marks=pytest.mark.deep),
    ],
)
def test_another_job_is_refused(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=f"SnapshotError: the checkpoint is of another job: {message}"):
        upgrading.run(*going_on(tmp_path), **more)


@pytest.mark.deep
def test_blanks_and_prefixes_are_no_other_query(tmp_path: Path) -> None:
    text = QUERY.replace("PREFIX : <urn:>", "PREFIX u:   <urn:>").replace(" :", "  u:")
    assert text != QUERY
    assert upgrading.run(*going_on(tmp_path), query=text)
