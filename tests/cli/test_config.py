"""``--config FILE.toml``: a file has every option that a command has, with the same meaning."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import click
import pytest

from spaseq.cli import main
from spaseq.cli.config import has_names, is_path, is_repeated, key_of, number_of
from tests.cli.conftest import Invoke

COMMANDS = ("run", "tuples", "paths", "spark")


def command_of(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


def params_of(command: click.Command) -> list[click.Parameter]:
    return [one for one in command.params if one.name != "config"]


def value_of(param: click.Parameter) -> str:
    """A value that a parameter takes, which does not depend on a folder."""
    if isinstance(param.type, click.Choice):
        return str(list(param.type.choices)[-1])
    if number_of(param) is not None:
        return "1"
    return {"duration": "3s", "size": "4m"}.get(param.type.name, "/some/where")


def written(param: click.Parameter) -> tuple[str, list[str]]:
    """What gives a parameter a value: a line of a file, and words of the command line."""
    key, value = key_of(param), value_of(param)
    if isinstance(param, click.Argument):
        return f'{key} = ["{value}"]', [value]
    if isinstance(param, click.Option) and param.is_flag:
        return f"{key} = true", [f"--{key}"]
    if has_names(param):
        return f'{key}.some.name = "{value}"', [f"--{key}=some.name={value}"]
    text = value if number_of(param) is not None else f'"{value}"'
    if is_repeated(param):
        return f"{key} = [{text}, {text}]", [f"--{key}={value}"] * 2
    return f"{key} = {text}", [f"--{key}={value}"]


def parsed(command: click.Command, words: list[str]) -> dict[str, Any]:
    return command.make_context("it", words).params


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_one_of_files(name: str, folder: Path) -> None:
    command = command_of(name)
    every = {one.name: written(one) for one in params_of(command)}
    needed = [one.name for one in params_of(command) if one.required]
    for param in params_of(command):
        lines, words = zip(*(every[one] for one in {*needed, param.name}), strict=True)
        (folder / "it.toml").write_text("\n".join(lines))
        found = parsed(command, ["--config", "it.toml"])
        assert found == parsed(command, [*chain(*words)]), param
        if param.name not in needed:
            assert found != parsed(command, [*chain(*(every[one][1] for one in needed))]), param


@pytest.mark.parametrize("name", COMMANDS)
def test_all_options_together(name: str, folder: Path) -> None:
    command = command_of(name)
    lines, words = zip(*map(written, params_of(command)), strict=True)
    (folder / "it.toml").write_text("\n".join(lines))
    assert parsed(command, ["--config", "it.toml"]) == parsed(command, [*chain(*words)])


@pytest.mark.parametrize("name", COMMANDS)
def test_what_has_a_path_is_known(name: str) -> None:
    paths = {key_of(one) for one in params_of(command_of(name)) if is_path(one)}
    known = {
        "run": {"query", "stream", "map", "kb", "given", "output", "late", "checkpoint", "dead-letters"},
        "tuples": {"query", "events", "given", "output", "checkpoint"},
        "paths": {"query", "graph", "stream", "labels", "save", "output", "late"},
        "spark": {"query", "stream", "kb", "given", "output", "late", "checkpoint"},
    }
    assert paths >= known[name]
    assert not paths & {"columns", "separator", "null", "declare", "time-property", "format", "whole", "conf", "entail"}


# ── what a run does with a file ──────────────────────────────────────────────────────────────────────────
PIPELINE = """\
query = "q.spaseq"
format = "csv"
[stream]
s = "s.nq"
"""
FOUND = "x,v,w\nhttp://example.org/a,1,3\nhttp://example.org/b,2,4\n"


@pytest.fixture
def below(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder ``work``, in which nothing is, beside which all is, with ``PIPELINE`` in ``p.toml``."""
    (folder / "p.toml").write_text(PIPELINE)
    (folder / "work").mkdir()
    monkeypatch.chdir(folder / "work")
    return folder


def test_a_run(folder: Path, invoke: Invoke) -> None:
    (folder / "p.toml").write_text(PIPELINE)
    assert invoke("run", "--config", "p.toml").output == FOUND


def test_paths_are_those_of_the_folder_of_the_file(invoke: Invoke, below: Path) -> None:
    (below / "p.toml").write_text(PIPELINE.replace("[stream]", 'output = "out.csv"\n[stream]'))
    ran = invoke("run", "--config", "../p.toml")
    assert (ran.output, ran.exit_code) == ("", 0)
    assert (below / "out.csv").read_text() == FOUND


def test_those_of_the_command_line_are_as_ever(invoke: Invoke, below: Path) -> None:
    (below / "work" / "mine.nq").write_text((below / "s.nq").read_text())
    assert invoke("run", "--config", "../p.toml", "--stream", "s=mine.nq").output == FOUND


def test_the_command_line_counts_more(invoke: Invoke, below: Path) -> None:
    ran = invoke("run", "--config", "../p.toml", "--format", "jsonl", "--limit", "1")
    assert ran.output.count('"bindings"') == 1


def test_arguments_replace_those_of_the_file(invoke: Invoke, below: Path) -> None:
    ran = invoke("run", "--config", "../p.toml", "../c.spaseq", "--format", "nquads")
    assert "http://example.org/sum" in ran.output


def test_names_are_added_and_replaced(invoke: Invoke, folder: Path) -> None:
    (folder / "p.toml").write_text('query = "q"\nnull = ["-", "?"]\n[declare]\nx = "string"\nv = "int64"\n')
    given = ["--config", "p.toml", "--declare", "v=double", "--declare", "w=date", "--null", "none"]
    found = parsed(command_of("run"), given)
    assert found["declared"] == ("x=string", "v=double", "w=date")
    assert found["nulls"] == ("none",)


def test_dots_in_names(folder: Path) -> None:
    text = 'query = "q"\n[conf]\nspark.driver.memory = "4g"\nspark.ui.enabled = false\n"spark.executor.cores" = 2\n'
    (folder / "p.toml").write_text(text)
    expected = ("spark.driver.memory=4g", "spark.ui.enabled=false", "spark.executor.cores=2")
    assert parsed(command_of("spark"), ["--config", "p.toml"])["settings"] == expected


def test_several_of_one_name(folder: Path) -> None:
    (folder / "p.toml").write_text('query = "q"\n[entail]\nrdfs = ["urn:a", "urn:b"]\n')
    assert parsed(command_of("run"), ["--config", "p.toml"])["entail"] == ("rdfs=urn:a", "rdfs=urn:b")


def test_a_flag_that_is_false_is_not_given(folder: Path) -> None:
    (folder / "p.toml").write_text('query = "q"\nfollow = false\nno-sharing = false\n')
    found = parsed(command_of("run"), ["--config", "p.toml"])
    assert (found["follow"], found["sharing"]) == (False, True)


def test_paths_know_what_goes_together_from_files_too(invoke: Invoke, folder: Path) -> None:
    (folder / "g.paths").write_text("QUERY q FROM <urn:a> <urn:p>+\n")
    (folder / "g.toml").write_text('query = "g.paths"\nstream = "s.nq"\ntime-limit = "1s"\nwindow = "1h"\n')
    assert invoke("paths", "--config", "g.toml").output == "error: --time-limit: not with --stream\n"
    (folder / "g.toml").write_text('query = "g.paths"\nstream = "s.nq"\n')
    assert "--stream needs --window" in invoke("paths", "--config", "g.toml").output


def test_variables(invoke: Invoke, below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORM", "csv")
    monkeypatch.setenv("DATA", str(below))
    text = PIPELINE.replace('"csv"', '"${FORM}"').replace("s.nq", "${DATA}/s.nq")
    (below / "p.toml").write_text(text)
    assert invoke("run", "--config", "../p.toml").output == FOUND


def test_two_characters_that_are_no_variable(folder: Path) -> None:
    (folder / "p.toml").write_text('query = "q"\nnull = "$${x}"\nseparator = "$"\n')
    found = parsed(command_of("run"), ["--config", "p.toml"])
    assert (found["nulls"], found["separator"]) == (("${x}",), "$")


def test_urls_stay_as_they_are_but_for_files_in_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK", "secret")
    (folder / "etc").mkdir()
    (folder / "etc" / "p.toml").write_text("""\
query = "q"
output = "https://h/${HOOK}?ca=x#ca=ca.pem&token_file=token&user=me"
dead-letters = "parts/"
[stream]
a = "kafka://h/t?ssl.ca.location=ca.pem&ssl.key.password_file=/run/word&start=latest"
b = "mqtts://h/t/#?ca=${HOOK}/ca.pem"
c = "-"
d = "wss://h/t"
""")
    found = parsed(command_of("run"), ["--config", "etc/p.toml"])
    assert found["output"] == "https://h/${HOOK}?ca=x#ca=etc/ca.pem&token_file=etc/token&user=me"
    assert found["dead_letters"] == "etc/parts/"
    assert found["streams"] == (
        "a=kafka://h/t?ssl.ca.location=etc/ca.pem&ssl.key.password_file=/run/word&start=latest",
        "b=mqtts://h/t/#?ca=${HOOK}/ca.pem", "c=-", "d=wss://h/t",
    )  # fmt: skip


def test_help_does_not_read_it(invoke: Invoke) -> None:
    assert "--config FILE.toml" in invoke("run", "--config", "none.toml", "--help").output
