"""However events come in and whatever evaluates them, the matches are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

import spaseq
from spaseq.datasets import Workload, workloads
from spaseq.datasets.workload import EXAMPLES, KNOWLEDGE
from spaseq.errors import QueryError
from spaseq.graphs import Run
from spaseq.sources.rdf.events import Event
from spaseq.streams import WireOptions, WireReport, read_source

QUERIES = sorted(EXAMPLES.glob("*/*.spaseq"))
EVENTS = 240


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streams")


class Case:
    """An example query with generated streams; one that reads another's stream comes with that."""

    def __init__(self, path: Path, folder: Path) -> None:
        workload: Workload = next(one for one in workloads().values() if path in one.queries)
        files = workload.write(folder, EVENTS, 1)
        paths = [path.with_name("drops.spaseq"), path] if path.stem == "falling_market" else [path]
        text = "".join(path.read_text(encoding="utf-8") for path in paths)
        self.queries = {path.stem: spaseq.parse(path.read_text(encoding="utf-8"), str(path)) for path in paths}
        self.iris = {name: iri for name, iri in workload.streams.items() if f"FROM STREAM {name} " in text}
        self.files: Mapping[str, Path] = {name: files[name] for name in self.iris}
        self.given = {path.stem: path.with_suffix(".csv") for path in paths if path.with_suffix(".csv").exists()}
        self.background = {workload.knowledge_iri: files[KNOWLEDGE]} if workload.knowledge_iri else {}

    def run(self, gpm: str = "auto") -> list[str]:
        """The matches over the files."""
        return content(Run(self.queries, self.files, self.background, gpm=gpm, given=self.given))

    def engine(self) -> spaseq.Engine:
        """An engine of its own."""
        engine = spaseq.Engine(self.background)
        for name, query in self.queries.items():
            engine.register(query, name, given=self.given.get(name))
        return engine

    def events(self) -> list[Event]:
        """All events in the order of time, those of the first stream first."""
        found = []
        for name, file in self.files.items():
            for events in read_source(str(file), self.iris[name], WireOptions(), WireReport()):
                found += list(events)
        return sorted(found, key=lambda event: event.timestamp)


def content(matches: Iterable[spaseq.Match]) -> list[str]:
    """Matches as text; all are made before the first is read."""
    return sorted(str(match.to_dict()) for match in list(matches))


@contextmanager
def forgetful() -> Iterator[None]:
    """Terms are collected at every push."""
    with patch("spaseq.graphs.terms_in_use.FEW_TERMS", -1):
        yield


@contextmanager
def small_blocks() -> Iterator[None]:
    """Sources are read in pieces of odd sizes."""
    nquads, others = "spaseq.sources.rdf.nquads", "spaseq.sources.rdf.text"
    with (
        patch(f"{nquads}.FIRST_BLOCK", 61), patch(f"{nquads}.BLOCK", 997),
        patch(f"{others}.FIRST_READ", 61), patch(f"{others}.READ", 997),
    ):  # fmt: skip
        yield


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_examples(path: Path, folder: Path) -> None:
    case = Case(path, folder)
    expected = case.run("pyoxigraph")
    assert case.run() == case.run("verify") == expected
    try:
        assert case.run("native") == expected
    except QueryError as error:
        assert "cannot be evaluated natively" in str(error)
    with small_blocks(), forgetful():
        assert case.run() == expected
    pushed: list[spaseq.Match] = []
    restored: list[spaseq.Match] = []
    with forgetful():
        engine, fragile = case.engine(), case.engine()
        for number, event in enumerate(case.events()):
            item = event.stream, event.triples, event.timestamp, event.name
            pushed += engine.push(*item)
            restored += fragile.push(*item)
            if number % 29 == 0:
                data = fragile.snapshot()
                fragile = spaseq.Engine.restore(data, case.queries, case.background)
        assert content([*pushed, *engine.close()]) == expected
        assert content([*restored, *fragile.close()]) == expected
