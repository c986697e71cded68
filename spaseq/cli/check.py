"""``spaseq check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spaseq.cli import parameters
from spaseq.cli.queries import Warned, about, each_query, is_ceql, is_paths, read_text, recognized, show_warnings
from spaseq.cli.terminal import fail, say
from spaseq.errors import OptionError
from spaseq.languages import spaseq
from spaseq.languages.spaseq import ParsedQuery
from spaseq.plan.sequences import compile_plan

if TYPE_CHECKING:
    from spaseq.languages.ceql import ParsedFormulaQuery


@click.command()
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@parameters.given_option
def check(queries: tuple[str, ...], given: tuple[str, ...]) -> None:
    """Check query files, in SPAseq or CEQL, or of path queries; with --given also rows for their parameters.

    Errors go to standard error (exit code 2), warnings and "ok" to standard output.
    """
    errors = [error for path in queries if (error := _check(path)) is not None]
    if errors:
        fail(ExceptionGroup("queries are wrong", errors))
    if given:
        for name, count in parameters.checked(given, each_query(queries, _with_parameters)).items():
            say(f"{name}: {count:,} rows", err=False)


def _with_parameters(path: str) -> ParsedQuery | ParsedFormulaQuery:
    """A query that may have parameters.  OptionError: path queries have none."""
    text, name = read_text(path)
    if is_paths(text, name):
        raise OptionError(f"{name} has path queries, which have no parameters (GIVEN)")
    if not is_ceql(text, name):
        return spaseq.parse(text, name)
    from spaseq.languages import ceql

    return ceql.parse(text, name)


def _check(path: str) -> Exception | None:
    """Print what there is to say about a file; its error, if it has one."""
    try:
        parsed = _checked(*read_text(path))
    except MemoryError:
        raise
    except Exception as error:
        return error
    show_warnings(parsed)
    say(f"{path}: ok", err=False)
    return None


def _checked(text: str, path: str) -> Warned:
    if is_paths(text, path):
        from spaseq.languages import paths

        return paths.parse(text, path)
    if is_ceql(text, path):
        from spaseq.languages import ceql

        found = ceql.parse(text, path)
        with about(path):
            recognized(found)
        return found
    parsed = spaseq.parse(text, path)
    compile_plan(parsed.query)
    return parsed
