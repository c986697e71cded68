"""Prepared queries: what they are, that they do what their texts do, and that what engines share stays as it was."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import spaseq
from spaseq.errors import OptionError, QueryError, QuerySyntaxError, SnapshotError
from tests.graphs.test_knowledge import NS, SECTOR, about, kb, sectors
from tests.graphs.test_run import QUERY, content, files
from tests.graphs.test_state import QUERIES, events_of, push

__all__ = ["files"]

ROOT = Path(__file__).parents[2]
STRINGS = QUERY.replace("?w }", "?w FILTER(REGEX(STR(?w + ?v), '[3-7]$')) }").replace(
    "?s ?v ?w", '?s ?v (CONCAT(STR(?w), "!") AS ?t)'
)
ALL = QUERIES | {"strings": STRINGS}


# ── what they are ────────────────────────────────────────────────────────────────────────────────────────────
def test_a_query_is_prepared_once_in_a_process() -> None:
    prepared = spaseq.prepare(QUERY)
    assert spaseq.prepare(QUERY) is prepared
    assert spaseq.prepare(prepared) is prepared
    assert pickle.loads(pickle.dumps(prepared)) is prepared
    assert prepared.query == spaseq.parse(QUERY).query


def test_what_parse_gives_and_files_are_prepared_too(tmp_path: Path) -> None:
    (tmp_path / "q.spaseq").write_text(QUERY)
    found = [
        spaseq.prepare(one) for one in (QUERY, spaseq.parse(QUERY), spaseq.parse(QUERY).query, tmp_path / "q.spaseq")
    ]
    assert len({one.fingerprint for one in found}) == 1
    assert all(pickle.loads(pickle.dumps(one)).query == found[0].query for one in found)


def test_the_fingerprint_is_of_the_meaning() -> None:
    assert spaseq.prepare(QUERY).fingerprint == spaseq.prepare(QUERY + "\n# a comment").fingerprint
    prints = [spaseq.prepare(text).fingerprint for text in ALL.values()]
    assert len(set(prints)) == len(prints)
    assert all(len(one) == 32 and int(one, 16) for one in prints)


def test_errors_are_those_of_the_query(tmp_path: Path) -> None:
    with pytest.raises(QuerySyntaxError, match="expected"):
        spaseq.prepare("SELECT")
    with pytest.raises(OptionError, match=r"spaseq\.prepare gives, not int"):
        spaseq.prepare(3)  # type: ignore[arg-type]
    (tmp_path / "bad.spaseq").write_text(QUERY.replace("SEQ(A ; B)", "SEQ(A ; C)"))
    with pytest.raises(QueryError) as raised:
        spaseq.prepare(tmp_path / "bad.spaseq")
    assert raised.value.location.path == str(tmp_path / "bad.spaseq")


# ── what they do ─────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("gpm", ["auto", "pyoxigraph", "verify"])
def test_they_do_what_their_texts_do(files: dict[str, str], gpm: str) -> None:
    prepared = {name: spaseq.prepare(text) for name, text in ALL.items()}
    mixed: Any = {name: prepared[name] if number % 2 else text for number, (name, text) in enumerate(ALL.items())}
    expected = content(list(spaseq.run(ALL, files, gpm=gpm)))
    assert expected
    assert content(list(spaseq.run(prepared, files, gpm=gpm))) == expected
    assert content(list(spaseq.run(mixed, files, gpm=gpm))) == expected


def test_registered_one_after_the_other(files: dict[str, str]) -> None:
    events = events_of(files)
    found = []
    for make in (str, spaseq.prepare):
        engine = spaseq.Engine()
        for name, text in ALL.items():
            assert engine.register(make(text), name) == name
        found.append(content(push(engine, events) + engine.close()))
    assert found[0] == found[1]


def test_one_query_under_two_names(files: dict[str, str]) -> None:
    prepared = spaseq.prepare(QUERY)
    found = list(spaseq.run({"one": prepared, "two": prepared}, files))
    one, two = ([match.bindings for match in found if match.query == name] for name in ("one", "two"))
    assert one == two
    assert one


def test_restored_anywhere(files: dict[str, str]) -> None:
    events = events_of(files)
    prepared: Any = {name: spaseq.prepare(text) for name, text in ALL.items()}
    engine = spaseq.Engine()
    for name, text in ALL.items():
        engine.register(text, name)
    found: list[spaseq.Match] = []
    for start, end in pairwise([*range(0, len(events), 37), len(events)]):
        found += push(engine, events[start:end])
        queries = prepared if start % 2 else ALL  # from the one to the other
        engine = spaseq.Engine.restore(engine.snapshot(), queries)
    assert content(found + engine.close()) == content(list(spaseq.run(ALL, files)))


def test_snapshots_are_the_same(files: dict[str, str]) -> None:
    taken = []
    for make in (str, spaseq.prepare):
        engine = spaseq.Engine()
        for name, text in ALL.items():
            engine.register(make(text), name)
        push(engine, events_of(files)[:100])
        taken.append(engine.snapshot())
    assert taken[0] == taken[1]


def test_restoring_plans_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = spaseq.prepare(QUERY)
    engine = spaseq.Engine()
    engine.register(prepared)
    data = engine.snapshot()

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("it is planned")

    for name in (
        "spaseq.plan.sequences.plan.Analysis",
        "spaseq.plan.sequences.assemble.assemble",
        "gpm.evaluator.Evaluator.compile",
    ):
        monkeypatch.setattr(name, refuse)
    restored = spaseq.Engine.restore(data, [prepared])
    assert restored.snapshot() == data
    monkeypatch.undo()
    with pytest.raises(SnapshotError, match="another query"):
        spaseq.Engine.restore(data, [spaseq.prepare(STRINGS)])


def test_another_process_prepares_them_again(tmp_path: Path) -> None:
    prepared = spaseq.prepare(SECTOR)
    engine = spaseq.Engine(kb("food"), lateness=10)
    engine.register(prepared)
    engine.push("s", about("q", "company", "a"), 100)
    (tmp_path / "state").write_bytes(pickle.dumps((prepared, prepared, engine.snapshot(), kb("food"))))
    code = (
        "import pickle, sys, spaseq; one, other, data, kb = pickle.load(open(sys.argv[1], 'rb')); assert one is other; "
        "engine = spaseq.Engine.restore(data, [one], spaseq.Background.load(kb)); "
        "print([str(match.bindings['sector']) for match in engine.close()])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "state")], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (ran.stdout.strip(), ran.stderr) == (f"['{NS}food']", "")


# ── what engines share ───────────────────────────────────────────────────────────────────────────────────────
def test_engines_share_what_does_not_change(files: dict[str, str]) -> None:
    background, prepared = spaseq.Background.load(kb("food")), spaseq.prepare(SECTOR)
    first, second = spaseq.Engine(background), spaseq.Engine(background)
    for engine in (first, second):
        engine.register(prepared)
    assert first.terms.base is second.terms.base
    assert first.terms.base is not None
    assert first.queries != {}
    assert [len(engine.terms) for engine in (first, second)] == [0, 0]
    assert sectors(first.push("s", about("q", "company", "a"), 1)) == ["food"]
    assert len(second.terms) == 0


def test_an_update_of_one_is_not_seen_by_another() -> None:
    background, prepared = spaseq.Background.load(kb("food")), spaseq.prepare(SECTOR)
    first, second = spaseq.Engine(background), spaseq.Engine(background)
    for engine in (first, second):
        engine.register(prepared)
    first.update_background(kb("steel"))
    found = [sectors(engine.push("s", about("q", "company", "a"), 1)) for engine in (first, second)]
    assert found == [["steel"], ["food"]]
    third = spaseq.Engine(background)
    third.register(prepared)
    assert sectors(third.push("s", about("q", "company", "a"), 1)) == ["food"]


def test_engines_in_many_threads(files: dict[str, str]) -> None:
    events = events_of(files)
    prepared: Any = {name: spaseq.prepare(text) for name, text in ALL.items()}
    background = spaseq.Background.load(kb("food"))
    expected = content(list(spaseq.run(ALL, files)))

    def work(number: int) -> list[str]:
        engine = spaseq.Engine(background)
        for name, query in prepared.items():
            engine.register(query, name)
        found = push(engine, events[: 50 + number])
        engine = spaseq.Engine.restore(engine.snapshot(), prepared, background)
        return content(found + push(engine, events[50 + number :]) + engine.close())

    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(work, range(8)))


def test_terms_are_forgotten_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.graphs.terms_in_use.FEW_TERMS", 200)
    background, prepared = spaseq.Background.load(kb("food")), spaseq.prepare(SECTOR)
    engine = spaseq.Engine(background)
    engine.register(prepared)
    engine.kind.forgetting.most_terms = 200
    for number in range(2_000):
        assert sectors(engine.push("s", about(f"q{number}", "company", "a"), number)) == ["food"]
    assert len(engine.terms) < 1_000


def test_background_knowledge_is_loaded_once(tmp_path: Path) -> None:
    (tmp_path / "kb.ttl").write_bytes(kb("food")[NS + "kb"])
    background = spaseq.Background.load({NS + "kb": tmp_path / "kb.ttl"})
    (tmp_path / "kb.ttl").unlink()
    assert isinstance(background, spaseq.Background)
    for _ in range(2):
        engine = spaseq.Engine(background)
        engine.register(SECTOR)
        assert sectors(engine.push("s", about("q", "company", "a"), 1)) == ["food"]
    with pytest.raises(OptionError, match="said where it is loaded"):
        spaseq.Engine(background, entail="rdfs")
    with pytest.raises(OptionError, match="mapping of IRIs"):
        spaseq.Background.load([1])  # type: ignore[arg-type]
