"""Golden explanations of CEQL: a file of ``golden/`` is a query, a line of ``=``, and what ``explain`` says of it.

Run with SPASEQ_UPDATE_GOLDEN=1 to write them anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import RecognitionPlan, planned, twin_paths
from spaseq.plan.formulas.explain import SECTIONS, explain
from tests.oracle.ceql.generate import random_pair
from tests.oracle.ceql.text import to_text
from tests.plan.sequences.test_golden import RULE
from tests.recognition.harness import is_recognized

FILES = sorted((Path(__file__).parent / "golden").glob("*.txt"))
each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def explained(path: Path, form: str = "text") -> str:
    parsed = parse(path.read_text(encoding="utf-8").partition(RULE)[0])
    return explain(parsed.query, parsed.normal_form, plan_of(parsed), form)


def plan_of(parsed: Any) -> RecognitionPlan:
    return planned(parsed.query, parsed.normal_form)


@each
def test_text(path: Path) -> None:
    query, _, golden = path.read_text(encoding="utf-8").partition(RULE)
    said = explained(path) + "\n"
    if os.environ.get("SPASEQ_UPDATE_GOLDEN") or not golden:
        path.write_text(query + RULE + said, encoding="utf-8")
        return
    assert said == golden


@each
def test_json_has_what_the_text_has(path: Path) -> None:
    content, text = json.loads(explained(path, "json")), explained(path)
    assert len(content) == len(SECTIONS)
    assert content["normal_form"] in text
    states, transitions = content["automaton"]["states"], content["automaton"]["transitions"]
    assert all(f"  state {one['number']}: {one['role']}" in text for one in states)
    assert len(transitions) == text.count("    --")
    assert content["automaton"]["ambiguous"] == ("  ambiguous: " in text)


@each
def test_pictures_have_all_states_and_transitions(path: Path) -> None:
    automaton = json.loads(explained(path, "json"))["automaton"]
    mermaid, dot = explained(path, "mermaid"), explained(path, "dot")
    assert len(re.findall(r"^    state ", mermaid, re.MULTILINE)) == len(automaton["states"])
    assert len(re.findall(r"^    s\d+ --> s\d+: ", mermaid, re.MULTILINE)) == len(automaton["transitions"])
    assert len(re.findall(r"^  s\d+ \[label=", dot, re.MULTILINE)) == len(automaton["states"])
    assert len(re.findall(r"^  s\d+ -> s\d+ ", dot, re.MULTILINE)) == len(automaton["transitions"])


def test_twin_paths_are_paths_of_ambiguous_automata() -> None:
    """There are some if and only if the automaton is ambiguous, or not all of its picks are selected."""
    found = 0
    for seed in range(1000):
        query = random_pair(seed).query
        if not is_recognized(query):
            continue
        plan = plan_of(parse(to_text(query)))
        twins, states = twin_paths(plan), plan.automaton.states
        if all(state.marked for state in states):
            assert (twins is not None) == plan.automaton.ambiguous, seed
        for path in twins or ():
            found += 1
            assert states[path[0]].initial and states[path[-1]].final
            assert all(a in (*states[b].after, *states[b].directly_after) for a, b in pairwise(path))
        assert twins is None or (len(twins[0]) == len(twins[1]) and twins[0] != twins[1])
    assert found > 50
