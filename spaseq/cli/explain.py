"""``spaseq explain``."""

from __future__ import annotations

import click

from spaseq.cli.queries import read_query
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
def explain(query: str, format: str) -> None:
    """Show how a query is understood: its tree, its automaton, and what every state keeps and tests."""
    click.echo(compile_plan(read_query(query).query).explain(format).rstrip("\n"))
