"""Query files."""

from __future__ import annotations

import os
from pathlib import Path

from spaseq.errors import OptionError

MOST_CHARACTERS = 1 << 20  # of a query
MOST_BYTES = 4 * MOST_CHARACTERS  # of UTF-8: what is longer is not read


def text_of_file(path: str | os.PathLike[str]) -> str:
    """The text of a query file; OptionError if it cannot be read, or is no text."""
    try:
        with Path(path).open("rb") as file:
            return text_of(file.read(MOST_BYTES + 1), path)
    except IsADirectoryError:
        raise OptionError(f"{path} is a directory, not a query file") from None
    except OSError as error:
        raise OptionError(f"cannot read the query {path}: {error.strerror}") from None


def text_of(data: bytes, path: str | os.PathLike[str]) -> str:
    """The text of a query that comes from ``path``; OptionError if it is none, or too long."""
    if len(data) > MOST_BYTES:
        most = f"a query at most {MOST_CHARACTERS:,} characters"
        raise OptionError(f"{path} has more than {MOST_BYTES:,} bytes, but {most}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OptionError(f"the query {path} is not UTF-8 text (byte {error.start})") from None
