"""Options that several commands have."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from gpm.evaluator import Mode
from spaseq.errors import LocatedError, OptionError
from spaseq.streams.timestamps import parse_duration

Command = Callable[..., None]
PICTURES = ("svg", "mermaid", "dot")  # formats that draw paths
_DECLARATION = re.compile(r'\{"(.*?)": "(.+?)"\}')  # as hints write it for Python
_ARGUMENTS = (
    (re.compile(r'totals="(\w+)"'), r"--totals \1"),
    (re.compile(r'time_format="([^"]*)"'), r'--time-format "\1"'),
    (re.compile(r'\bunit="(\w+)"'), r"--time-unit \1"),
    (re.compile(r'on_error="(\w+)"'), r"--on-error \1"),
)

gpm_option = click.option(
    "--gpm",
    type=click.Choice([mode.value for mode in Mode]),
    default=Mode.AUTO.value,
    show_default=True,
    help="How graph patterns are evaluated: natively where that is possible (auto), natively or not at all (native), "
    "by pyoxigraph alone (pyoxigraph), or both ways and compared (verify).",
)

output_option = click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the results to this file."
)
limit_option = click.option("--limit", type=click.IntRange(min=0), help="Stop after this many results.")


def format_option(formats: Iterable[str]) -> Callable[[Command], Command]:
    """The option ``format``, of results in one of these."""
    said = "Format of the results.  [default: table on a terminal, else jsonl]"
    return click.option("--format", type=click.Choice(list(formats)), help=said)


def checkpoint_options(function: Command) -> Command:
    """The options ``checkpoint`` and ``checkpoint_every``."""
    file = click.option(
        "--checkpoint", type=click.Path(dir_okay=False, path_type=Path),
        help="Keep the state in this file, now and then and at the end, and go on from it if it is there.",
    )  # fmt: skip
    every = click.option(
        "--checkpoint-every", type=Duration(), default="10s", show_default=True,
        help="How often the state is kept while the run goes on.",
    )  # fmt: skip
    return file(every(function))


def declared_types(declared: Sequence[str]) -> dict[str, str]:
    """Types by column from ``COLUMN=TYPE``; OptionError if one is written otherwise."""
    found = {}
    for one in declared:
        column, sign, type_ = one.rpartition("=")
        if not (sign and column and type_):
            raise OptionError(f"--declare {one}: write COLUMN=TYPE, as in price=double")
        found[column] = type_
    return found


@contextmanager
def hints_with_options() -> Iterator[None]:
    """Within, hints of errors have options such as ``--declare`` instead of what Python has for them."""
    try:
        yield
    except LocatedError as error:
        hint = _DECLARATION.sub(lambda found: "--declare " + shlex.quote(f"{found[1]}={found[2]}"), error.hint)
        for pattern, option in _ARGUMENTS:
            hint = pattern.sub(option, hint)
        error.hint = hint
        raise


class Duration(click.ParamType[timedelta]):
    """``5s``, ``500ms``, ``2m``, ``1h``."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """The duration as a timedelta."""
        if isinstance(value, timedelta):
            return value
        try:
            return parse_duration(value)
        except OptionError as error:
            self.fail(str(error), param, ctx)
