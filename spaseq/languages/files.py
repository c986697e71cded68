"""Query files."""

from __future__ import annotations

import os
from pathlib import Path

from spaseq.errors import OptionError


def text_of_file(path: str | os.PathLike[str]) -> str:
    """The text of a query file; OptionError if it cannot be read, or is no text."""
    try:
        return text_of(Path(path).read_bytes(), path)
    except IsADirectoryError:
        raise OptionError(f"{path} is a directory, not a query file") from None
    except OSError as error:
        raise OptionError(f"cannot read the query {path}: {error.strerror}") from None


def text_of(data: bytes, path: str | os.PathLike[str]) -> str:
    """The text of a query that comes from ``path``; OptionError if it is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OptionError(f"the query {path} is not UTF-8 text (byte {error.start})") from None
