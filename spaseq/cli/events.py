"""The tables that a query in CEQL reads: ``--events [STREAM=]PATH``, and how CSV is written."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spaseq.errors import OptionError

if TYPE_CHECKING:
    from spaseq.tuples import CsvFormat


def event_sources(options: Sequence[str], streams: Sequence[str]) -> str | dict[str, str]:
    """The one path, or paths by the names of streams; ``streams`` are those of FROM.

    OptionError: several paths without a name, a name twice.
    """
    if len(options) == 1 and _is_path(options[0], streams):
        return options[0]
    sources: dict[str, str] = {}
    for option in options:
        name, sign, path = option.partition("=")
        if not (sign and name and path):
            raise OptionError(f"--events {option}: of several streams, write --events STREAM=PATH for each")
        if name in sources:
            raise OptionError(f"--events names the stream {name} twice")
        sources[name] = path
    return sources


def _is_path(option: str, streams: Sequence[str]) -> bool:
    """Whether there is no name of a stream before it: one of FROM counts most, then a file that exists."""
    name, sign, path = option.partition("=")
    if not sign or name in streams:
        return not sign
    return Path(option).exists() or not Path(path).exists()


def csv_format(columns: str | None, separator: str | None, nulls: Sequence[str]) -> CsvFormat:
    """How CSV is written; OptionError for a separator of several characters, and for columns without a name."""
    from spaseq.tuples import CsvFormat

    delimiter = {None: ",", "tab": "\t"}.get(separator, separator or "")
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise OptionError(f"--separator {separator}: write one character, or tab")
    names = None if columns is None else tuple(name.strip() for name in next(csv.reader([columns]), []))
    if names is not None and not all(names):
        raise OptionError(f"--columns {columns}: write the names of all columns, as in type,time,price")
    return CsvFormat(delimiter, names, tuple(nulls) or ("",))
