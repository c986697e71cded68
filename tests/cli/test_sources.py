"""``--stream`` and ``--kb``."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpm.algebra import Graph, Group, Iri
from spaseq.cli.sources import background_sources, background_warnings, stream_sources
from spaseq.errors import OptionError, StreamError
from spaseq.pattern.sequences import Atom, AtomDefinition, Construction, Query, Selection, Stream

IRI = "http://example.org/stream?a=b"
OTHER = "http://example.org/other"


def query(*streams: tuple[str, str], into: str | None = None, name: str = "q") -> Query:
    form = Construction((), into) if into else Selection(())
    pattern = Group((Graph(Iri("http://example.org/kb"), Group()),))
    atom = AtomDefinition("A", streams[0][0], pattern, ())
    return Query(form, tuple(Stream(*stream) for stream in streams), (atom,), Atom("A"), None, name)


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "a=b.nq"
    file.write_text("")
    return str(file)


@pytest.mark.parametrize("name", ["s", IRI, f"<{IRI}>"])
def test_by_name_or_iri_with_equals_signs(name: str, path: str) -> None:
    assert stream_sources([f"{name}={path}"], [query(("s", IRI))]) == {IRI: path}


def test_a_stream_has_one_source(path: str) -> None:
    with pytest.raises(OptionError, match="twice; a folder or a glob"):
        stream_sources([f"s={path}", f"{IRI}={path}"], [query(("s", IRI))])


def test_folders_and_globs(path: str) -> None:
    folder = str(Path(path).parent)
    for source in folder, f"{folder}/*.nq":
        assert stream_sources([f"s={source}"], [query(("s", IRI))]) == {IRI: source}


def test_unknown_name_gets_a_proposal(path: str) -> None:
    with pytest.raises(OptionError, match=r"no query reads .* did you mean stocks\?"):
        stream_sources([f"stock={path}"], [query(("stocks", IRI))])


def test_stream_without_source(path: str) -> None:
    with pytest.raises(OptionError, match=r"nothing supplies the stream t <http://example.org/other> of q"):
        stream_sources([f"s={path}"], [query(("s", IRI), ("t", OTHER))])


def test_derived_streams_need_no_source(path: str) -> None:
    queries = [query(("s", IRI), into=OTHER), query(("t", OTHER))]
    assert stream_sources([f"s={path}"], queries) == {IRI: path}


def test_name_with_two_meanings(path: str) -> None:
    with pytest.raises(OptionError, match="the queries mean different streams"):
        stream_sources([f"s={path}"], [query(("s", IRI)), query(("s", OTHER))])


@pytest.mark.parametrize("option", ["s", "s=", "=x", "="])
def test_malformed(option: str) -> None:
    with pytest.raises(OptionError, match="write --stream NAME=PATH"):
        stream_sources([option], [query(("s", IRI))])


def test_missing_file() -> None:
    with pytest.raises(OptionError, match=r"no such file: nowhere\.nq"):
        stream_sources(["s=nowhere.nq"], [query(("s", IRI))])
    with pytest.raises((OptionError, StreamError)):
        stream_sources(["s=nowhere*.nq"], [query(("s", IRI))])


def test_standard_input_once() -> None:
    two = query(("s", IRI), ("t", OTHER))
    assert stream_sources(["s=-"], [query(("s", IRI))]) == {IRI: "-"}
    with pytest.raises(OptionError, match="only one --stream can read standard input"):
        stream_sources(["s=-", "t=-"], [two])


def test_background(path: str, tmp_path: Path) -> None:
    assert background_sources([f"{IRI}={path}"]) == {IRI: path}
    with pytest.raises(OptionError, match="twice"):
        background_sources([f"{IRI}={path}", f"<{IRI}>={path}"])
    with pytest.raises(OptionError, match="no such file"):
        background_sources(["urn:kb=nowhere.ttl"])
    with pytest.raises(OptionError, match="a directory"):
        background_sources([f"urn:kb={tmp_path}"])


def test_background_that_does_not_fit() -> None:
    missing, unread = background_warnings({"urn:x": "kb.ttl"}, [query(("s", IRI))], [])
    assert "no --kb gives GRAPH <http://example.org/kb>" in missing
    assert "no query reads the --kb graph <urn:x>" in unread
