"""What the documentation claims and a program can check: options, targets, signatures, counts, bounds, figures.

The commands and programs that it shows are run by ``test_docs.py`` and ``tests/spark/test_docs.py``, those that stand
in ``sh`` blocks without their output by ``test_commands_without_output``.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from datetime import timedelta
from importlib.util import find_spec
from typing import Any

import click
import pytest

from spaseq.cli import main
from tests.docs.console import ROOT
from tests.docs.test_docs import MARKDOWN
from tests.fuzz.door import NAMES as DOORS

CHECKED = [file for file in MARKDOWN if file.startswith("docs/")] + ["README.md", "CONTRIBUTING.md"]
CODE = re.compile(r"`([^`\n]+)`")
TARGET = re.compile(r"\bmake ([a-z][a-z-]*)")
SIGNATURE = re.compile(r"((?:spaseq\.)?(?:\w+\.)*\w+)\((.*=.*)\)")
WORDS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen")


def text_of(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def code_of(file: str) -> list[str]:
    return CODE.findall(re.sub(r"^```.*?^```$", "", text_of(file), flags=re.MULTILINE | re.DOTALL))


def commands(group: click.Group) -> Iterator[click.Command]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield command


OPTIONS = {option for command in [main, *commands(main)] for param in command.params for option in param.opts}


@pytest.mark.parametrize("file", CHECKED)
def test_options_are_there(file: str) -> None:
    """Those of our commands: each that stands alone, or behind ``spaseq``."""
    named = [code for code in code_of(file) if code.startswith(("--", "spaseq "))]
    found = {option for code in named for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code)}
    assert (
        found - OPTIONS - {"--help", "--packages", "--force"} == set()
    )  # the last ones are of spark-submit and setup.py


@pytest.mark.parametrize("file", CHECKED)
def test_targets_are_there(file: str) -> None:
    there = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    assert {target for code in code_of(file) for target in TARGET.findall(code)} - there == set()


@pytest.mark.parametrize(
    ("file", "room"),
    [("docs/python.md", "spaseq"), ("docs/spark.md", "spaseq.spark"), ("docs/paths.md", "spaseq.paths"),
     ("docs/rag.md", "spaseq.paths.rag"), ("docs/ceql.md", "spaseq.tuples"),
     ("docs/sql.md", "spaseq.tuples")],
)  # fmt: skip
def test_signatures_are_those_of_the_code(file: str, room: str) -> None:
    """Written with all parameters: names in order, and defaults."""
    for name, written in (match.groups() for code in code_of(file) if (match := SIGNATURE.fullmatch(code))):
        if "…" in written or "{" in written or not name.startswith("spaseq."):
            continue
        module = importlib.import_module(room)
        function = pkgutil.resolve_name(name) if name.startswith("spaseq.") else getattr(module, name)
        assert written == shown(inspect.signature(function)), name


def shown(signature: inspect.Signature) -> str:
    """Parameters as the documents write them, without types."""
    kept = [one for one in signature.parameters.values() if one.name != "self"]
    stars = [one.name for one in kept if one.kind is inspect.Parameter.KEYWORD_ONLY]
    shown = []
    for one in kept:
        if stars and one.name == stars[0]:
            shown.append("*")
        shown.append(one.name if one.default is inspect.Parameter.empty else f"{one.name}={default(one.default)}")
    return ", ".join(shown)


def default(value: Any) -> str:
    if isinstance(value, timedelta):
        return f"timedelta({value.seconds})"
    return f"{type(value).__name__}()" if hasattr(value, "__dataclass_fields__") else repr(value).replace("'", '"')


# ── counts, versions, figures ────────────────────────────────────────────────────────────────────────────
def test_counts_of_things() -> None:
    modules = len([path for folder in ("nfa_native", "gpm") for path in (ROOT / folder).rglob("*.pyx")])
    assert f"{modules} modules of C++" in " ".join(text_of("README.md").split())
    doors = WORDS[len(DOORS) - 10]
    for file in ("CONTRIBUTING.md", "docs/security.md"):
        assert set(re.findall(r"(\w+) doors", text_of(file))) - {"all", "of"} == {doors}, file


def test_versions() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    assert f"Version {project['version']}, not released" in text_of("README.md")
    assert f"Python {project['requires-python'].removeprefix('>=')} or newer" in text_of("README.md")


def test_figures_of_the_readme_are_those_of_the_benchmarks() -> None:
    figures = re.findall(r"\d+,\d{3}", text_of("README.md").split("## How fast?")[1].split("\n## ")[0])
    assert figures
    assert [figure for figure in figures if figure not in text_of("docs/benchmarks.md")] == []


BOUNDS = {  # a row of limits.md: what says so in the code, and by what to divide it
    "characters of a query": ("spaseq.languages.query_text:MOST_CHARACTERS", 1),
    "words, strings, numbers and signs of a query": ("spaseq.languages.parsing:MOST_TOKENS", 1),
    "characters of one of them (an IRI, a string, a name)": ("spaseq.languages.parsing:MOST_OF_TOKEN", 1),
    "characters of the IRIs of a query, once prefixes and BASE are written out": (
        "spaseq.languages.spaseq.terms:MOST_WRITTEN", 1),
    "depth of a query's syntax tree": ("spaseq.languages.parsing:MOST_DEPTH", 1),
    "steps of a sequence, with `{n,m}` written out": ("spaseq.pattern.sequences:MOST_STEPS", 1),
    "Kleene operators of a query": ("spaseq.plan.sequences.analysis:MOST_KLEENES", 1),
    "alternatives of one conjunction": ("spaseq.plan.sequences.filters:MOST_ALTERNATIVES", 1),
    "ways past optional parts between two steps": ("spaseq.plan.sequences.graph:MOST_PATHS", 1),
    "edges of a graph of path queries": ("spaseq.paths.edges:MOST_EDGES", 1),
    "a line of N-Quads": ("spaseq.sources.rdf.nquads:LONGEST_LINE", 1_000_000),
    "a statement or graph of TriG": ("spaseq.sources.rdf.trig:LONGEST_UNIT", 1 << 20),
    "an event in N-Quads, or in TriG": ("spaseq.sources.rdf.graphs:LONGEST_TEXT", 1 << 20),
    "a row of CSV for CEQL": ("spaseq.sources.tables.raw:MOST", 1 << 20),
    "terms of a JSON-LD document's contexts": ("gpm.nested_json:LONGEST_CHAIN", 1),
    "strings that CONCAT": ("gpm.string_limits:LONGEST", 1 << 20),
    "events that wait for a stream that is silent": ("spaseq.runtime.live:AHEAD", 1),
    "times that wait for their graph": ("spaseq.sources.rdf.wire:REMEMBERED", 1),
}  # fmt: skip


@pytest.mark.parametrize("row", BOUNDS)
def test_bounds_are_those_of_the_code(row: str) -> None:
    (line,) = [line for line in text_of("docs/limits.md").splitlines() if line.startswith(f"| {row}")]
    where, unit = BOUNDS[row]
    bound = pkgutil.resolve_name(where) // unit
    assert re.search(rf"(?<![\d,]){bound:,}(?![\d,])", line.replace("\\|", "").split("|")[2])


# ── commands that stand without their output ─────────────────────────────────────────────────────────────
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = [line for file in CHECKED for block in SHELL.findall(text_of(file)) for line in block.splitlines()]


@pytest.mark.parametrize("line", [line for line in SHOWN if re.match(r"(spaseq|python -m (tests|benchmarks))\b", line)])
def test_commands_without_output(line: str) -> None:
    """Their words: a command of ours takes all of its options, and files are there; what is heavy is not run."""
    words = shlex.split(line, comments=True)
    if words[0] == "python":
        assert find_spec(words[2]) is not None
        return
    assert all((ROOT / word).exists() for word in words if word.startswith("examples/"))
    context = click.Context(main, **main.context_settings)  # with its names of --help, which commands remember
    command = main.get_command(context, words[1])
    assert command is not None
    command.make_context(words[1], words[2:], context, resilient_parsing=False)


@pytest.mark.parametrize("target", ["run", "test", "lint", "soak", "bench"])
def test_make_knows_what_the_readme_says(target: str) -> None:
    done = subprocess.run(["make", "-n", "-C", str(ROOT), target], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_readme_is_short() -> None:
    assert len(text_of("README.md").splitlines()) <= 250
