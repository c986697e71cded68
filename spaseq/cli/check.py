"""``spaseq check``."""

from __future__ import annotations

import click

from spaseq.cli import parameters
from spaseq.cli.queries import Warned, about, is_ceql, is_paths, read_queries, read_text, recognized, show_warnings
from spaseq.cli.terminal import fail, say
from spaseq.languages import spaseq
from spaseq.plan.sequences import compile_plan


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
        for name, count in parameters.checked(given, [each.query for each in read_queries(queries)]).items():
            say(f"{name}: {count:,} rows", err=False)


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
