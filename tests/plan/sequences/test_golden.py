"""Golden plans: each text of ``golden/`` is a query, a line of ``=``, and what ``explain`` says of it as text.

Beside some of them is what it says in another form: a file with the same name that ends as the form is called.

Run with SPASEQ_UPDATE_GOLDEN=1 to write them anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan

RULE = "=" * 40 + "\n"
FILES = sorted((Path(__file__).parent / "golden").glob("*.txt"))
OTHERS = sorted(path for path in (Path(__file__).parent / "golden").iterdir() if path.suffix != ".txt")
each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def plan_of(path: Path) -> Plan:
    return compile_plan(parse(path.read_text(encoding="utf-8").partition(RULE)[0]).query)


def described(name: str) -> dict[str, Any]:
    """The JSON form of the plan of a golden file."""
    path = next(one for one in FILES if one.stem == name)
    found = json.loads(plan_of(path).explain("json"))
    assert isinstance(found, dict)
    return found


def steps_in(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Transitions, and where sides of && meet."""
    return [*content["transitions"], *content.get("junctions", [])]


@each
def test_text(path: Path) -> None:
    query, _, golden = path.read_text(encoding="utf-8").partition(RULE)
    said = plan_of(path).explain("text") + "\n"
    if os.environ.get("SPASEQ_UPDATE_GOLDEN") or not golden:
        path.write_text(query + RULE + said, encoding="utf-8")
        return
    assert said == golden


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.name)
def test_other_forms(path: Path) -> None:
    said = plan_of(path.with_suffix(".txt")).explain(path.suffix[1:]) + "\n"
    if os.environ.get("SPASEQ_UPDATE_GOLDEN"):
        path.write_text(said, encoding="utf-8")
    assert said == path.read_text(encoding="utf-8")


@each
def test_json_agrees_with_text(path: Path) -> None:
    plan = plan_of(path)
    content, text = json.loads(plan.explain("json")), plan.explain("text")
    for state in content["states"]:
        assert f"state {state['number']}: {state['role']}" in text
        assert f"cells: {state['cells']} ({state['why']})" in text
        assert all(f"not {guard['absent']} in between; {guard['how']}" in text for guard in state["guards"])
    junctions = content.get("junctions", [])
    assert len(content["transitions"]) + len(junctions) == text.count("    --")
    assert all(f"junction {one['number']}: {one['element']}\n" in text for one in junctions)
    assert content["ambiguous"] == ("along several paths" in text)


@each
def test_mermaid(path: Path) -> None:
    plan = plan_of(path)
    content, lines = json.loads(plan.explain("json")), plan.explain("mermaid").splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert len([line for line in lines if re.match(r'    state ".*" as s\d+$', line)]) == len(content["states"])
    edges = [line for line in lines if re.match(r"    [sfj]\w+ --> s\d+: ", line)]
    assert len(edges) == sum(len(one["to"]) for one in steps_in(content))
    assert len([line for line in lines if line.endswith("<<join>>")]) == len(content.get("junctions", []))
    labels = [line.partition(": ")[2] for line in edges]
    assert not [label for label in labels if re.sub(r"#(\d+|quot);", "", label).strip(" ") != label and ":" in label]


@each
def test_dot(path: Path) -> None:
    plan = plan_of(path)
    content, text = json.loads(plan.explain("json")), plan.explain("dot")
    assert text.startswith("digraph plan {") and text.endswith("}")
    assert len(re.findall(r"^  s\d+ \[label=", text, re.MULTILINE)) == len(content["states"])
    assert len(re.findall(r" -> s\d+ \[label=", text)) == sum(len(one["to"]) for one in steps_in(content))
    drawn = set(re.findall(r"^  (\w+) \[", text, re.MULTILINE)) - {"node"}
    assert {name for pair in re.findall(r"^  (\w+) -> (\w+)", text, re.MULTILINE) for name in pair} <= drawn
    quotes = re.sub(r"\\.", "", text).count('"')
    assert quotes % 2 == 0


def test_every_kind_of_cell_and_guard_is_shown() -> None:
    states = [state for path in FILES for state in described(path.stem)["states"]]
    kinds = (
        "the empty match",
        "output",
        "one cell",
        "hash on the join key",
        "zone-mapped list",
        "groups by",
        "group list",
        "hash on what all sides have",
    )
    assert {kind for kind in kinds for state in states if state["cells"].startswith(kind)} == set(kinds)
    assert {guard["how"] for state in states for guard in state["guards"]} == {
        "drops cells when it matches",
        "checked on the finished match: it stands before the first event",
        "checked on the finished match: it stands before sides of &&",
        "checked on the finished match: it reads what comes later",
        "looked for when the next step comes",
    }
    assert {state["operator"] for state in states} == {
        None, "skip-till-any", "skip-till-next", "strict contiguity", "strict contiguity in its partition",
    }  # fmt: skip
    assert any(state["competes_with"] for state in states)


def test_unknown_format() -> None:
    with pytest.raises(KeyError):
        plan_of(FILES[0]).explain("picture")
