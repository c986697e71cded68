"""What stands where a query is expected, and is none: a stream whose ``--stream`` was forgotten, or a file of data."""

from __future__ import annotations

import os
from pathlib import Path

from spaseq.errors import OptionError
from spaseq.languages.query_text import MOST_BYTES, MOST_CHARACTERS

STDIN = "<standard input>"
_QUERIES = (".spaseq", ".ceql", ".paths")
_TABLES = (".csv", ".tsv", ".parquet", ".pq")


def check_is_query(path: str) -> None:
    """OptionError if what was given as the path of a query can be none."""
    place = Path(path)
    if path == "-" or place.suffix in _QUERIES:
        return
    _, sign, source = path.partition("=")
    if sign and not _exists(path) and (_exists(source) or _is_data(source)):
        raise OptionError(f"{path} is no query: an option is missing before it, as in {_option(source)} {path}")
    if _is_data(path):
        raise OptionError(f"{path} holds data, no query: write {_option(path)} NAME={path}")


def check_size(path: str, size: int) -> None:
    """OptionError if no query is so long."""
    if size > MOST_BYTES:
        number = f"more than {MOST_BYTES:,}" if path == STDIN else f"{size:,}"
        hint = "" if path == STDIN else f"; a stream is given as {_option(path)} NAME={path}"
        raise OptionError(f"{path} has {number} bytes, but a query at most {MOST_CHARACTERS:,} characters{hint}")


def _option(path: str) -> str:
    return "--events" if Path(path.removesuffix(".gz")).suffix.lower() in _TABLES else "--stream"


def _is_data(path: str) -> bool:
    from spaseq.sources.rdf.files import ENDINGS  # only here: a query as such needs no readers

    return Path(path.removesuffix(".gz")).suffix.lower() in (*ENDINGS, *_TABLES)


def _exists(path: str) -> bool:
    try:
        return bool(path) and os.path.lexists(path)
    except ValueError:  # a name that no file can have
        return False
