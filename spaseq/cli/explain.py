"""``spaseq explain``."""

from __future__ import annotations

import click

from spaseq.cli.options import gpm_option
from spaseq.cli.queries import read_query
from spaseq.engine.engine import new_evaluator
from spaseq.plan import compile_plan


@click.command()
@click.argument("query", metavar="QUERY")
@click.option(
    "--format",
    type=click.Choice(["text", "mermaid", "dot", "json"]),
    default="text",
    show_default=True,
    help="Text to read, diagrams for Mermaid and Graphviz, or data.",
)
@gpm_option
def explain(query: str, format: str, gpm: str) -> None:
    """Show how a query is understood: its tree, its automaton, and what every state keeps and tests.

    It says of every graph pattern whether it is evaluated natively, and why not.
    """
    plan = compile_plan(read_query(query).query)
    click.echo(plan.explain(format, new_evaluator(gpm)).rstrip("\n"))
