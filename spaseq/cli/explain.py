"""``spaseq explain``."""

from __future__ import annotations

from pathlib import Path

import click

from spaseq.cli import options, queries, terminal
from spaseq.cli.pattern_statistics import of_patterns
from spaseq.graphs.kind import new_evaluator
from spaseq.languages import ceql, spaseq
from spaseq.plan.formulas.bounded import explained as explain_bound
from spaseq.plan.formulas.explain import explain as explain_formula
from spaseq.plan.sequences import compile_plan
from spaseq.plan.sequences.bounded import explained


@click.command()
@click.argument("query", metavar="QUERY")
@click.option(
    "--format",
    type=click.Choice(["text", "mermaid", "dot", "json"]),
    default="text",
    show_default=True,
    help="Text to read, diagrams for Mermaid and Graphviz, or data.",
)
@click.option("--stream", "streamed", is_flag=True, help="Path queries: how they are kept up to date as edges come.")
@click.option(
    "--stats", "told", type=click.Path(path_type=Path), metavar="FILE",
    help="Also what a run told of the query's graph patterns, from what --stats has printed, as text.",
)  # fmt: skip
@click.option("--bounded", is_flag=True, help="Also what may be left out where work has a bound, as text.")
@options.gpm_option
def explain(query: str, format: str, streamed: bool, told: Path | None, bounded: bool, gpm: str) -> None:
    """Show how a query is understood: its tree, its automaton, and what every state keeps and tests.

    It says of every graph pattern whether it is evaluated natively, and why not.  Of a query in CEQL it says its normal
    form, and how its strategy is evaluated; of one in SQL what its variables read, and how matches are found; of path
    queries their automata, and how paths are searched for; of a mapping the columns that it reads, and how triples are
    made.
    """
    text, path = queries.read_text(query)
    if queries.is_mapping(text, path):
        terminal.say(explain_mapping(text, path, format), err=False)
        return
    for option, is_given, others in (("--bounded", bounded, " or CEQL"), ("--stats", told is not None, "")):
        is_ceql = queries.is_ceql(text, path)
        is_other = queries.is_paths(text, path) or queries.is_sql(text, path)
        if is_given and (format != "text" or is_other or (is_ceql and option == "--stats")):
            raise click.UsageError(f"{option} is for queries in SPAseq{others}, and text.")
    if queries.is_paths(text, path):
        found = explain_paths(text, path, format, streamed)
    elif streamed:
        raise click.UsageError("--stream is for path queries: others are always of streams.")
    elif queries.is_sql(text, path):
        found = explain_row_pattern(text, path, format)
    elif queries.is_ceql(text, path):
        found = explain_ceql(text, path, format, bounded)
    else:
        plan = compile_plan(spaseq.parse(text, path).query)
        parts = [plan.explain(format, new_evaluator(gpm)).rstrip("\n")]
        parts += [explained(plan)] if bounded else []
        parts += [] if told is None else [of_patterns(told, Path(path).stem, [atom.name for atom in plan.atoms])]
        found = "\n\n".join(parts)
    terminal.say(found.rstrip("\n"), err=False)


def explain_mapping(text: str, path: str, format: str) -> str:
    """What a mapping reads and makes."""
    from spaseq.cli.mapping_explanation import explained as explain_mapped
    from spaseq.languages import mappings

    return explain_mapped(mappings.parse(text, path), format)


def explain_ceql(text: str, path: str, format: str, is_bounded: bool = False) -> str:
    """The same of a query in CEQL."""
    parsed = ceql.parse(text, path)
    with queries.about(path):
        plan = queries.recognized(parsed)
        found = explain_formula(parsed.query, parsed.normal_form, plan, format)
    return f"{found.rstrip()}\n\n{explain_bound(parsed.query, plan)}" if is_bounded else found


def explain_row_pattern(text: str, path: str, format: str) -> str:
    """The same of a query in SQL."""
    from spaseq.languages.sql import printer
    from spaseq.languages.sql.names import variable_of
    from spaseq.plan.rows.explain import ExplainedRows, explain as explain_rows
    from spaseq.plan.rows.plan import row_pattern_plan

    parsed = queries.checked_row_pattern(text, path)
    pattern = printer.pattern(parsed.tree.pattern)
    written = {variable_of(one.variable): printer.expression(one.condition) for one in parsed.tree.definitions}
    return explain_rows(ExplainedRows(parsed.query, row_pattern_plan(parsed.query), pattern, written), format)


def explain_paths(text: str, path: str, format: str, streamed: bool) -> str:
    """The same of path queries, on a graph or on a stream of edges."""
    from spaseq.paths import parse, prepare
    from spaseq.plan.paths.explain import ExplainedPath, explain as explain_path

    prepared = prepare(parse(text, path))
    return explain_path([ExplainedPath(one.query, one.automaton, streamed) for one in prepared], format)
