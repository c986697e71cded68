"""``spaseq spark --map`` prints what ``spaseq run --map`` prints."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from spaseq.cli import main
from tests.mapped.test_doors import JSON, MAPPING, QUERY, TABLE, TRADES
from tests.spark.session import why_not
from tests.spark.test_command import here


def results(text: str) -> list[str]:
    """Without the names of events: they have none of their own here, and are called in another way."""
    return sorted(str({**json.loads(line), "events": None}) for line in text.splitlines())


def several(folder: Path) -> Path:
    """A folder of files in three formats, which follow each other."""
    folder.mkdir()
    pyarrow.csv.write_csv(TABLE.slice(0, 20), folder / "a.csv")
    lines = JSON.splitlines(keepends=True)[20:40]
    (folder / "b.jsonl.zst").write_bytes(pyarrow.compress(b"".join(lines), "zstd", asbytes=True))
    pyarrow.parquet.write_table(TABLE.slice(40), folder / "c.parquet")
    return folder


@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_a_folder_of_tables(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """In three formats; a line that is no row is skipped, as of ``run``."""
    folder = several(tmp_path / "parts")
    with (folder / "a.csv").open("a") as file:
        file.write('"NORD",no time,50.1,7\n')
    given = ("--map", f"stock={MAPPING}", "--format", "jsonl", "--stream", f"stock={folder}", "--on-error", "skip")
    wanted = CliRunner().invoke(main, ["run", str(QUERY), *given])
    code, out, _ = here(capfd, *given, query=str(QUERY))  # workers say what they skipped where those began that are
    assert (code, results(out)) == (0, results(wanted.stdout)) and len(results(out)) == 17
    assert "a.csv:22: " in wanted.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--map", f"stocks={MAPPING}"],
        ["--map", f"stock={MAPPING}"],
        ["--map", f"stock={MAPPING}", "--stream", "stock=examples/streams/stocks.nq"],
        ["--map", f"stock={MAPPING}", "--map", f"stock={MAPPING}", "--stream", f"stock={TRADES}"],
        ["--map", f"stock={MAPPING}", "--stream", f"stock={TRADES}", "--separator", ";;"],
        ["--separator", ";", "--stream", "stock=examples/streams/stocks.nq"],
        ["--map", f"stock={QUERY}", "--stream", f"stock={TRADES}"],
        ["--map", "stock=nowhere.map", "--stream", f"stock={TRADES}"],
    ],
    ids=" ".join,
)
def test_options_that_make_no_sense(arguments: list[str]) -> None:
    found, wanted = (CliRunner().invoke(main, [name, str(QUERY), *arguments]) for name in ("spark", "run"))
    assert found.exit_code == wanted.exit_code == 2 and found.stderr == wanted.stderr != ""
