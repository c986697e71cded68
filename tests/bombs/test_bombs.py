"""Bombs give a plan, or an error that says where and what; nothing that they are made of costs more than its size."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.languages import ceql, paths, spaseq
from tests.bombs import BOMBS
from tests.bombs.bomb import Bomb

LONGEST_MESSAGE = 3_000  # characters
MEMORY = 2 << 30  # bytes of addresses: Python, numpy and all its libraries take a third of it
READER = f"""
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
from tests.bombs.test_bombs import outcome
from tests.bombs import BOMBS
json.dump([outcome(bomb, bomb.small) for bomb in BOMBS], sys.stdout)
"""


def outcome(bomb: Bomb, size: int) -> str:
    """What ``spaseq check`` says of a bomb: ``ok``, or an error of ours."""
    try:
        _planned(bomb.language, bomb.make(size))
    except (QueryError, QuerySyntaxError) as error:
        return error.render()
    except Exception as error:
        return f"{bomb.name}: {type(error).__name__}"
    return "ok"


def _planned(language: str, text: str) -> None:
    from spaseq.cli.queries import recognized
    from spaseq.plan.sequences import compile_plan

    if language == "paths":
        paths.parse(text)
    elif language == "ceql":
        recognized(ceql.parse(text))
    else:
        compile_plan(spaseq.parse(text).query)


def test_there_are_more_than_a_hundred() -> None:
    assert len({(bomb.language, bomb.name) for bomb in BOMBS}) >= 125


def test_each_is_planned_or_refused_with_little_memory() -> None:
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run([sys.executable, "-c", READER], cwd=root, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert len(said) == len(BOMBS)
    assert [text for text in said if text != "ok" and "error: " not in text] == []
    assert max(map(len, said)) < LONGEST_MESSAGE


BEYOND = {
    "long iri": "this IRI has 900,011 characters; at most 65,536 are read",
    "long string": "this string has 900,002 characters; at most 65,536 are read",
    "long variable": "this word has 900,001 characters; at most 65,536 are read",
    "long list": "the query has more than 40,000 words, strings, numbers and signs",
    "nested groups": "nested more than 200 levels deep",
    "nested negations": "nested more than 200 levels deep",
    "beyond the bound of all": "at most 1,048,576 are read",
    "selected expressions that double": "more than 20,000 operations, once its names are written out",
}


@pytest.mark.parametrize("name", BEYOND)
def test_beyond_a_bound_the_error_names_it(name: str) -> None:
    bomb = next(bomb for bomb in BOMBS if bomb.name == name and bomb.language == "spaseq")
    assert BEYOND[name] in outcome(bomb, max(bomb.sizes))


def test_a_long_token_is_shown_as_far_as_a_line_goes() -> None:
    bomb = next(bomb for bomb in BOMBS if bomb.name == "long iri")
    first, line, caret = outcome(bomb, 100_000).splitlines()
    assert first.startswith("<query>:5:39: error: this IRI has")
    assert len(line) < 120
    assert line[caret.index("^")] == "<"


def test_a_long_name_is_cut_in_messages() -> None:
    text = "SELECT * WITHIN 9 SECONDS FROM STREAM s <s:s> WHERE { SEQ(" + "A" * 50_000 + ") }"
    with pytest.raises(QueryError) as caught:
        spaseq.parse(text)
    assert caught.value.message == "unknown GPM " + "A" * 100 + "…"


# ── growth: what is counted, not timed ───────────────────────────────────────────────────────────────────
def _calls(language: str, text: str) -> int:
    """How many functions of Python are called to plan a query."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    _planned(language, text)
    sys.setprofile(counted)
    try:
        _planned(language, text)
    finally:
        sys.setprofile(None)
    return count


GROWING = {
    ("ceql", "chain of filters"): 40,
    ("ceql", "filters of neighbours"): 20,
    ("ceql", "filters of repetitions"): 20,
    ("ceql", "filters inside"): 20,
    ("paths", "inverses"): 20,
    ("paths", "equal nodes"): 100,
    ("paths", "repetitions in each other"): 20,
    ("paths", "steps"): 100,
    ("spaseq", "binds in a chain"): 100,
    ("spaseq", "filters"): 100,
    ("spaseq", "counted repetition"): 100,
    ("spaseq", "unbound results"): 100,
    ("spaseq", "unused gpms"): 50,
}


@pytest.mark.parametrize(("language", "name"), GROWING)
def test_twice_the_size_takes_no_higher_power_of_the_steps(language: str, name: str) -> None:
    bomb = next(bomb for bomb in BOMBS if (bomb.language, bomb.name) == (language, name))
    size = GROWING[language, name]
    once, twice = (_calls(language, bomb.make(n)) for n in (size, 2 * size))
    # The square is four times as many, the fourth power sixteen: a filter of CEQL is pushed through all before it.
    assert twice < (5 if language == "ceql" else 3) * once
