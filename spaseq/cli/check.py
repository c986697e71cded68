"""``spaseq check``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from spaseq.cli import parameters
from spaseq.cli.queries import (
    Warned,
    about,
    checked_row_pattern,
    each_query,
    is_ceql,
    is_mapping,
    is_paths,
    is_sql,
    read_text,
    recognized,
    show_warnings,
)
from spaseq.cli.terminal import fail, say
from spaseq.errors import OptionError
from spaseq.languages import spaseq
from spaseq.languages.spaseq import ParsedQuery
from spaseq.plan.sequences import Plan, compile_plan
from spaseq.plan.sequences.bounded import check_bounded

if TYPE_CHECKING:
    from spaseq.languages.ceql import ParsedFormulaQuery
    from spaseq.pattern.formulas.query import FormulaQuery


@click.command()
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@parameters.given_option
@click.option(
    "--bounded",
    is_flag=True,
    help="Also whether their work may have a bound, as run and tuples have it with --work-bound.",
)
def check(queries: tuple[str, ...], given: tuple[str, ...], bounded: bool) -> None:
    """Check query files, in SPAseq, CEQL or SQL, or of path queries, and mappings of rows to events.

    With --given also rows for the parameters of queries.

    Errors go to standard error (exit code 2), warnings and "ok" to standard output.
    """
    found = {path: _check(path) for path in queries}
    errors = [one for one in found.values() if isinstance(one, Exception)]
    if errors:
        fail(ExceptionGroup("queries are wrong", errors))
    if bounded:
        _check_bounded(found)
    if given:
        for name, count in parameters.checked(given, each_query(queries, _with_parameters)).items():
            say(f"{name}: {count:,} rows", err=False)


def _check_bounded(found: Mapping[str, Warned | Exception]) -> None:
    """OptionError: the work of one of these queries may have no bound."""
    from spaseq.languages.ceql import ParsedFormulaQuery

    sequences: dict[str, Plan] = {}
    formulas: dict[str, FormulaQuery] = {}
    for path, parsed in found.items():
        if isinstance(parsed, ParsedQuery):
            sequences[path] = compile_plan(replace(parsed.query, name=path))
        elif isinstance(parsed, ParsedFormulaQuery):
            formulas[path] = parsed.query
        else:
            raise OptionError(f"{path} {_without_bound(*read_text(path))}")
    check_bounded(sequences.values())
    if formulas:
        from spaseq.plan.formulas import bounded as bounded_formulas

        bounded_formulas.check_bounded(formulas)


def _without_bound(text: str, path: str) -> str:
    if is_mapping(text, path):
        return "is a mapping, no query"
    return f"{'is in SQL' if is_sql(text, path) else 'has path queries'}, whose work has no bound yet"


def _with_parameters(path: str) -> ParsedQuery | ParsedFormulaQuery:
    """A query that may have parameters.  OptionError: path queries have none."""
    text, name = read_text(path)
    if is_paths(text, name):
        raise OptionError(f"{name} has path queries, which have no parameters (GIVEN)")
    if is_sql(text, name):
        raise OptionError(f"{name} is in SQL, which has no parameters (GIVEN)")
    if is_mapping(text, name):
        raise OptionError(f"{name} is a mapping, which has no parameters (GIVEN)")
    if not is_ceql(text, name):
        return spaseq.parse(text, name)
    from spaseq.languages import ceql

    return ceql.parse(text, name)


def _check(path: str) -> Warned | Exception:
    """Print what there is to say about a file; the query in it, or its error."""
    try:
        parsed = _checked(*read_text(path))
    except MemoryError:
        raise
    except Exception as error:
        return error
    show_warnings(parsed)
    say(f"{path}: ok", err=False)
    return parsed


def _checked(text: str, path: str) -> Warned:
    if is_paths(text, path):
        from spaseq.languages import paths

        return paths.parse(text, path)
    if is_sql(text, path):
        return checked_row_pattern(text, path)
    if is_mapping(text, path):
        from spaseq.languages import mappings

        return mappings.parse(text, path)
    if is_ceql(text, path):
        from spaseq.languages import ceql

        found = ceql.parse(text, path)
        with about(path):
            recognized(found)
        return found
    parsed = spaseq.parse(text, path)
    compile_plan(parsed.query)
    return parsed
