"""``spaseq check``."""

from __future__ import annotations

import click

from spaseq.cli.failures import fail
from spaseq.cli.queries import read_query, show_warnings
from spaseq.plan import compile_plan


@click.command()
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
def check(queries: tuple[str, ...]) -> None:
    """Check query files: errors on standard error (exit code 2), warnings and "ok" on standard output."""
    errors = [error for path in queries if (error := _check(path)) is not None]
    if errors:
        fail(ExceptionGroup("queries are wrong", errors))


def _check(path: str) -> Exception | None:
    """Print what there is to say about a file; its error, if it has one."""
    try:
        parsed = read_query(path)
        compile_plan(parsed.query)
    except Exception as error:
        return error
    show_warnings(parsed)
    click.echo(f"{path}: ok")
    return None
