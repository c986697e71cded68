"""Times that are written in a form of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest

from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.tuples import match

FORM = "%d.%m.%Y %H:%M"
QUERY = "SELECT * WHERE A AS a ; B AS b WITHIN 2 MINUTES"
CSV = "type,time\nA,31.12.2025 23:59\nB,01.01.2026 00:00\nB,01.01.2026 00:05\n"


def write(folder: Path, text: str = CSV) -> str:
    (folder / "some.csv").write_text(text)
    return str(folder / "some.csv")


def test_windows_measure_them(tmp_path: Path) -> None:
    found = match(QUERY, write(tmp_path), time="time", time_format=FORM).to_arrow()
    assert found.column("positions").to_pylist() == [[0, 1]]


def test_filters_and_attributes_have_times(tmp_path: Path) -> None:
    query = "SELECT b.time WHERE A AS a ; B AS b FILTER b[time > '2026-01-01T00:01:00']"
    found = match(query, write(tmp_path), time="time", time_format=FORM).to_arrow()
    assert [str(row["b.time"]) for row in found.to_pylist()] == ["2026-01-01 00:05:00"]


@pytest.mark.parametrize(
    ("form", "texts", "times"),
    [
        ("%Y%m%d", ["20260101", "20260102"], ["2026-01-01 00:00:00", "2026-01-02 00:00:00"]),
        ("%d/%b/%Y:%H:%M:%S %z", ["02/Jan/2026:09:30:00 +0100"], ["2026-01-02 08:30:00"]),
        ("%H:%M:%S.%f", ["09:30:00.25", "09:30:00.5"], ["1900-01-01 09:30:00.250000", "1900-01-01 09:30:00.500000"]),
    ],
)
def test_forms_are_those_of_strptime(form: str, texts: list[str], times: list[str], tmp_path: Path) -> None:
    path = write(tmp_path, "type,time\n" + "".join(f"A,{text}\n" for text in texts))
    for source in (path, pyarrow.table({"type": ["A"] * len(texts), "time": texts})):
        found = match("SELECT a.time WHERE A AS a", source, time="time", time_format=form).to_arrow()
        assert [str(time) for time in found.column("a.time").to_pylist()] == times


@pytest.mark.parametrize(
    "text", ["31.02.2026 00:00", "01.01.26 00:00", "01.01.2026 24:00", "01.01.2026 00:00:00", "soon"]
)
def test_what_does_not_have_the_form_is_named(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, CSV + f"A,{text}\n")
    with pytest.raises(StreamError) as error:
        match(QUERY, path, time="time", time_format=FORM).count()
    assert str(error.value) == (
        f"{path}:5: error: the time time is '{text}', which is not of the form {FORM}\n  A,{text}\n"
        'hint: events without a proper time can be skipped (on_error="skip")'
    )
    matches = match(QUERY, path, time="time", time_format=FORM, on_error="skip")
    assert (matches.count(), matches.skipped) == (1, 1)


def test_missing_times_are_still_missing(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="the time time is NULL"):
        match(QUERY, write(tmp_path, CSV + "A,\n"), time="time", time_format=FORM).count()


def test_times_of_several_streams(tmp_path: Path) -> None:
    streams = {"S": [{"type": "A", "time": "31.12.2025 23:59"}], "T": [{"type": "B", "time": "01.01.2026 00:00"}]}
    query = "SELECT * FROM S, T WHERE S>A AS a ; T>B AS b WITHIN 1 MINUTES"
    assert match(query, streams, time="time", time_format=FORM).count() == 1


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"time_format": FORM}, OptionError, "is about times: say which column has them"),
        ({"time": "time", "time_format": "%Q"}, OptionError, "%Q is no form of times: 'Q' is a bad directive"),
        ({"time": "time", "time_format": "%d %d"}, OptionError, "a part of it comes twice"),
        ({"time": "tiem", "time_format": FORM}, OptionError, "did you mean time"),
        (
            {"time": "time", "time_format": FORM, "types": {"time": "int64"}},
            QueryError,
            "is for texts, but the time time",
        ),
    ],
)
def test_what_is_wrong_with_a_form(options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        match("SELECT * WHERE A AS a", [{"type": "A", "time": "1"}], **options)
