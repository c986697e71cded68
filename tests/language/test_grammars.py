"""The tables of grammars: who has them reads them, and whatever is wrong with them, queries are read as without."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import lark
import pytest
from lark import Lark

from spaseq.errors import QuerySyntaxError
from spaseq.languages.grammars import TABLES, build_grammar, grammar_text, load_grammar, read_tables, write_tables
from spaseq.languages.parsing import read_tree
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import parse, tree
from spaseq.languages.spaseq.parser import GRAMMAR, QueryBuilder
from spaseq.languages.spaseq.slips import VOCABULARY

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("**/*.spaseq"))
BROKEN = sorted((ROOT / "tests" / "language" / "errors").glob("*.txt"))
V_SHAPE = (ROOT / "examples/stocks/v_shape.spaseq").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of SPAseq's grammar with tables that were just made."""
    folder = tmp_path_factory.mktemp("made") / "grammar"
    shutil.copytree(GRAMMAR, folder, ignore=shutil.ignore_patterns(TABLES))
    assert write_tables(folder)
    return folder


@pytest.fixture(scope="module")
def anew(made: Path) -> Lark:
    """The parser made without tables."""
    return build_grammar(grammar_text(made), QueryBuilder())


@pytest.fixture(scope="module")
def from_tables(made: Path) -> Lark:
    """The parser made from them."""
    return load_grammar(made, QueryBuilder())


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """The same, to be spoilt."""
    return Path(shutil.copytree(made, tmp_path / "grammar"))


def tables_of(folder: Path) -> str | None:
    return read_tables(folder, grammar_text(folder))


def reading(grammar: Lark, text: str) -> object:
    """The tree of a text, or all that the error says."""
    try:
        return read_tree(text, grammar, VOCABULARY, tree.Query)
    except Problem as problem:
        return problem.message, problem.span, problem.hint, problem.expected, problem.syntax


def test_tables_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.languages.grammars.build_grammar", None)  # it would be called otherwise
    assert load_grammar(folder, QueryBuilder()).parse(V_SHAPE) == parse(V_SHAPE).tree


@pytest.mark.parametrize("path", [*EXAMPLES, *BROKEN], ids=lambda path: path.stem)
def test_a_parser_from_tables_reads_as_one_made_anew(from_tables: Lark, anew: Lark, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert reading(from_tables, text) == reading(anew, text)


def cut_off(tables: bytes) -> bytes:
    return tables[: len(tables) // 2]


def one_letter_changed(tables: bytes) -> bytes:
    return tables.replace(b'"SELECT"', b'"SELECK"', 1)


def of_another_digest(tables: bytes) -> bytes:
    return b"0" * 64 + tables[64:]


def no_text(tables: bytes) -> bytes:
    return b"\xff\xfe" + tables


def empty(tables: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("damage", [cut_off, one_letter_changed, of_another_digest, no_text, empty])
def test_damaged_or_forged_tables_are_not_used(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    file = folder / TABLES
    file.write_bytes(damage(file.read_bytes()))
    assert tables_of(folder) is None
    assert load_grammar(folder, QueryBuilder()).parse(V_SHAPE) == parse(V_SHAPE).tree


def test_tables_of_another_grammar_are_not_used(folder: Path) -> None:
    with (folder / "query.lark").open("a", encoding="utf-8") as file:
        file.write('\nOTHER: "OTHER"\n')
    assert tables_of(folder) is None
    assert write_tables(folder)
    assert tables_of(folder) is not None


def test_a_grammar_reads_files_of_another_language(tmp_path: Path) -> None:
    (tmp_path / "query.lark").write_text("// reads spaseq/grammar/names.lark\nquery: iri\n", encoding="utf-8")
    names = (GRAMMAR / "names.lark").read_text(encoding="utf-8")
    assert grammar_text(tmp_path) == names + "// reads spaseq/grammar/names.lark\nquery: iri\n"


def test_tables_for_another_lark_are_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lark, "__version__", "1.99")
    assert tables_of(folder) is None


@pytest.mark.parametrize("is_folder", [False, True])
def test_without_tables(folder: Path, is_folder: bool) -> None:
    (folder / TABLES).unlink()
    if is_folder:
        (folder / TABLES).mkdir()
    assert tables_of(folder) is None
    assert load_grammar(folder, QueryBuilder()).parse(V_SHAPE) == parse(V_SHAPE).tree


def test_reading_writes_nothing(folder: Path) -> None:
    """So an installation, and the home of who runs it, may be read-only."""
    (folder / TABLES).unlink()
    before = sorted(folder.iterdir())
    load_grammar(folder, QueryBuilder())
    assert sorted(folder.iterdir()) == before


def test_tables_are_written_once_and_leave_nothing_else(folder: Path) -> None:
    before = sorted(folder.iterdir())
    assert not write_tables(folder)
    (folder / TABLES).unlink()
    assert write_tables(folder)
    assert sorted(folder.iterdir()) == before


def test_several_processes_write_at_once(folder: Path) -> None:
    (folder / TABLES).unlink()
    code = f"import pathlib, spaseq.languages.grammars as g; g.write_tables(pathlib.Path({str(folder)!r}))"
    writers = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert tables_of(folder) is not None
    assert not list(folder.glob(f"{TABLES}.*"))


def test_errors_are_those_of_the_language() -> None:
    with pytest.raises(QuerySyntaxError, match="SELECK"):
        parse(V_SHAPE.replace("SELECT", "SELECK"))
