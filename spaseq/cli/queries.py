"""Query files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from spaseq.cli.languages import is_paths, reads_as
from spaseq.cli.misplaced import STDIN, check_is_query, check_size
from spaseq.cli.saying import say
from spaseq.cli.standard import read_standard_input
from spaseq.errors import LocatedError, Location, OptionError, QueryError, QuerySyntaxError, QueryWarning
from spaseq.languages.query_text import MOST_BYTES, text_of, text_of_file
from spaseq.languages.spaseq import ParsedQuery, parse

T = TypeVar("T")


class Warned(Protocol):
    """A query of any language."""

    @property
    def warnings(self) -> tuple[QueryWarning, ...]:
        """What its author should know."""


def read_query(path: str) -> ParsedQuery:
    """The query of a file (``-``: standard input).

    QuerySyntaxError, QueryError; OptionError if it cannot be read, or is in another language.
    """
    text, name = read_text(path)
    try:
        return parse(text, name)
    except (QuerySyntaxError, QueryError):
        from spaseq.languages import ceql

        if is_paths(text, name):
            raise OptionError(f"{name} has path queries, for graphs that stay as they are: try spaseq paths") from None
        if reads_as(ceql.parse, text):
            raise OptionError(f"{name} is a query in CEQL, for tables: try spaseq tuples") from None
        raise


def read_queries(paths: Sequence[str]) -> list[ParsedQuery]:
    """The queries of several files, each with a name of its own (that of its file).

    An ExceptionGroup of the errors if several files are wrong.
    """
    found = each_query(paths, read_query)
    return [replace(parsed, query=replace(parsed.query, name=name)) for name, parsed in found.items()]


def each_query(paths: Sequence[str], read: Callable[[str], T]) -> dict[str, T]:
    """What ``read`` makes of each file, by names of their own (those of the files).

    An ExceptionGroup of the errors if several files are wrong.
    """
    found: dict[str, T] = {}
    errors = []
    for path, name in zip(paths, _names(paths), strict=True):
        try:
            found[name] = read(path)
        except MemoryError:
            raise
        except Exception as error:
            errors.append(error)
    if len(errors) > 1:
        raise ExceptionGroup("several queries are wrong", errors)
    if errors:
        raise errors[0]
    return found


def show_warnings(parsed: Warned, err: bool = False, most: int = 10) -> None:
    """Print the warnings of a query, the first ``most`` of them."""
    for warning in parsed.warnings[:most]:
        say(warning.render(), err=err)
    if len(parsed.warnings) > most:
        say(f"… and {len(parsed.warnings) - most:,} more warnings", err=err)


@contextmanager
def about(path: str) -> Iterator[None]:
    """Within, errors without a place are about the query of that name."""
    try:
        yield
    except LocatedError as error:
        error.location = error.location if error.location.path else Location(path)
        raise


def read_text(path: str) -> tuple[str, str]:
    """The text of a query file (``-``: standard input), and what errors call it.  OptionError if it cannot be read."""
    return _text(path), STDIN if path == "-" else path


def _text(path: str) -> str:
    check_is_query(path)
    if path == "-":
        data = read_standard_input(MOST_BYTES + 1)
        check_size(STDIN, len(data))
        return text_of(data, path)
    with suppress(OSError):  # which reading tells
        check_size(path, Path(path).stat().st_size)
    return text_of_file(path)


def _names(paths: Sequence[str]) -> list[str]:
    names: list[str] = []
    for path in paths:
        stem = "query" if path == "-" else Path(path).stem
        taken = sum(name == stem or name.startswith(stem + "-") for name in names)
        names.append(f"{stem}-{taken + 1}" if taken else stem)
    return names
