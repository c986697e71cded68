"""Query files: their text, in which language it is, and what stands in the place of one by mistake.

A language is known by the ending of a file, else by what can be read, else by what it looks like.  It is imported
when a query may be in it: that takes as long as checking the query.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Protocol, TypeVar

from spaseq.cli.terminal import read_standard_input, say
from spaseq.errors import LocatedError, Location, OptionError, QueryError, QuerySyntaxError, QueryWarning
from spaseq.languages.query_text import MOST_BYTES, MOST_CHARACTERS, text_of, text_of_file
from spaseq.languages.spaseq import ParsedQuery, parse

if TYPE_CHECKING:
    from spaseq.languages import ceql
    from spaseq.languages.sql import ParsedRowPatternQuery
    from spaseq.plan.formulas.automaton import RecognitionPlan


_WHERE_OF_CEQL = re.compile(r"\bWHERE\b(?!\s*\{)", re.IGNORECASE)  # in SPAseq a brace follows
_DECLARATIONS = r"(?:\s++|#[^\n]*+\n|(?:PREFIX\s++[^\s<]*+\s*+|BASE\s*+)<[^>\n]*+>)*+"
_QUERY_OF_PATHS = re.compile(rf"{_DECLARATIONS}QUERY\b", re.IGNORECASE)  # the first word behind the declarations
_CLAUSE_OF_MAPPING = re.compile(rf"{_DECLARATIONS}(COLUMN|EACH|EVENT|AT)\b", re.IGNORECASE)
STDIN = "<standard input>"
_QUERIES = (".spaseq", ".ceql", ".paths", ".sql", ".map")
_TABLES = (".csv", ".tsv", ".ndjson", ".parquet", ".pq", ".arrow", ".feather", ".ipc")
T = TypeVar("T")


def is_paths(text: str, path: str) -> bool:
    """Whether a text, from a file of that name, has path queries."""
    ending = PurePath(path).suffix.lower()
    if ending in _QUERIES:
        return ending == ".paths"
    return _QUERY_OF_PATHS.match(text) is not None


def is_mapping(text: str, path: str) -> bool:
    """Whether a text, from a file of that name, is no query, but says what rows mean as events."""
    ending = PurePath(path).suffix.lower()
    if ending in _QUERIES:
        return ending == ".map"
    return _CLAUSE_OF_MAPPING.match(text) is not None


def is_sql(text: str, path: str) -> bool:
    """Whether a query, from a file of that name, is in SQL."""
    ending = PurePath(path).suffix.lower()
    if ending in _QUERIES:
        return ending == ".sql"
    if "MATCH_RECOGNIZE" not in text.upper():
        return False
    from spaseq.languages.sql import is_row_pattern

    return is_row_pattern(text)


def is_ceql(text: str, path: str) -> bool:
    """Whether a query, from a file of that name, is in CEQL and not in SPAseq."""
    ending = PurePath(path).suffix.lower()
    if ending in _QUERIES:
        return ending == ".ceql"
    from spaseq.languages import ceql, spaseq

    if reads_as(spaseq.parse, text):
        return False
    return reads_as(ceql.parse, text) or _WHERE_OF_CEQL.search(text) is not None


def reads_as(parse: Callable[[str], object], text: str) -> bool:
    """Whether the text is a query without error of the language that ``parse`` reads."""
    try:
        parse(text)
    except (QuerySyntaxError, QueryError):
        return False
    return True


def checked_row_pattern(text: str, path: str) -> ParsedRowPatternQuery:
    """A query in SQL, planned for any table.  QuerySyntaxError, QueryError."""
    from spaseq.languages import sql
    from spaseq.plan.rows.plan import checked_plan

    found = sql.parse(text, path)
    with about(path):
        plan = checked_plan(found.query, found.about)
        if find_spec("pyarrow") is not None:  # without which it cannot be run, but is right all the same
            from spaseq.tuples.row_patterns.prepared import check_conditions

            check_conditions(found, plan)
    return found


def recognized(parsed: ceql.ParsedFormulaQuery) -> RecognitionPlan:
    """What recognizes the matches of a query in CEQL; QueryError for a GROUP BY without one value for each match."""
    from spaseq.plan.formulas.aggregation import check_groups
    from spaseq.plan.formulas.automaton import planned

    query = parsed.query
    found = planned(query, parsed.normal_form)
    check_groups(query, found)
    return found


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
        if is_sql(text, name):
            raise OptionError(f"{name} is a query in SQL, for tables: try spaseq tuples") from None
        if is_mapping(text, name):
            raise OptionError(f"{name} is no query: it is a mapping, which says what rows mean") from None
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
