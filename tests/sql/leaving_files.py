"""Files that say with which row, promise or end a match leaves (leaving/README.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow

from tests.sql.case_files import table_of

LEAVING = Path(__file__).parent / "leaving"
TIME = "at"
_SECTION = re.compile(r"^=== (query|rows|results|stream|futures)\n", re.MULTILINE)
_REASON = re.compile(r"\s+-- .*$")


@dataclass(frozen=True, slots=True)
class StreamStep:
    """What happens (``push``, ``promise`` or ``end``), what leaves then, and the error that comes behind it."""

    what: str
    given: pyarrow.Table  # the row that is pushed, the time that is promised; of an end nothing
    leaves: pyarrow.Table
    error: str

    @property
    def time(self) -> Any:
        """What is promised."""
        return self.given[TIME][0].as_py()


@dataclass(frozen=True, slots=True)
class LeavingCase:
    """What a file says; ``futures`` are rows that may come, with steps of time."""

    why: str
    query: str
    steps: tuple[StreamStep, ...]
    futures: pyarrow.Table | None

    @property
    def rows(self) -> pyarrow.Table:
        """All that are pushed."""
        return pyarrow.concat_tables([step.given for step in self.steps if step.what == "push"])

    @property
    def time(self) -> str | None:
        """The column that has the times."""
        return TIME if TIME in self.rows.column_names else None


def leaving_files() -> list[Path]:
    """All of them."""
    return sorted(LEAVING.glob("*/*.case"))


def read_leaving(path: Path) -> LeavingCase:
    """A file."""
    why, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    found = {name: text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}
    steps = tuple(_steps(found["stream"], found["rows"], found["results"]))
    futures = table_of(f"{_with_steps(found['rows'])}\n{found['futures']}") if "futures" in found else None
    return LeavingCase(why.strip(), found["query"], steps, futures)


def _steps(text: str, rows: str, results: str) -> Iterator[StreamStep]:
    """Each begins with a line that is not indented."""
    for step in re.split(r"\n(?=\S)", text):
        line, *indented = [_REASON.sub("", each) for each in step.split("\n")]
        what, _, values = line.partition(" ")
        head = {"push": rows, "promise": rows.split(" | ")[0], "end": ""}[what]
        told = [each.strip() for each in indented if not each.lstrip().startswith("!")]
        error = [each.partition("! ")[2] for each in indented if each.lstrip().startswith("!")]
        yield StreamStep(what, table_of(f"{head}\n{values}"), table_of("\n".join([results, *told])), "\n".join(error))


def _with_steps(rows: str) -> str:
    """The head of rows whose times count from the newest one."""
    return re.sub(rf"^{TIME} timestamp\b", f"{TIME} interval", rows)
