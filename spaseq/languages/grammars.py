"""Parsers from grammars, whose tables are made when the package is built: that takes a quarter of a second.

A grammar is a folder of ``.lark`` files, read as one; a line ``// reads spaseq/grammar/path.lark`` adds a file of
another language.  ``python -m spaseq.languages.grammars``, which ``setup.py``
calls, writes the tables beside them: a digest, and lark's own serialisation as JSON.  Where the digest is not that of
the grammar, of this lark and of the tables, or where there is no such file, they are made in memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import lark
from lark import Lark, Token, Transformer
from lark.grammar import Rule
from lark.lexer import TerminalDef

from spaseq.languages.lexing import QuickLexer
from spaseq.lasting import lasting

TABLES = "tables.json"
_LANGUAGES = Path(__file__).parent
_READS = re.compile(r"^// reads (\S+)$", re.MULTILINE)
_OPTIONS: Mapping[str, Any] = {"parser": "lalr", "strict": True, "start": "query", "keep_all_tokens": True}


def load_grammar(folder: Path, builder: Transformer[Token, Any]) -> Lark:
    """The LALR parser of a folder's grammar; a conflict is an error."""
    text = grammar_text(folder)
    tables = read_tables(folder, text)
    with lasting():
        return build_grammar(text, builder) if tables is None else _from_tables(tables, builder)


def build_grammar(text: str, builder: Transformer[Token, Any] | None = None, check_terminals: bool = False) -> Lark:
    """The LALR parser of a grammar, made anew; a conflict is an error.

    ``check_terminals`` also looks for terminals that overlap: slow, and it needs the package interegular.
    """
    plugins = {} if check_terminals else {"ContextualLexer": QuickLexer}
    return Lark(text, transformer=builder, _plugins=plugins, **_OPTIONS)


def grammar_text(folder: Path) -> str:
    """The files of a grammar as one text, behind those of other languages that it reads."""
    own = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.lark"))]
    read = [_LANGUAGES / name for text in own for name in _READS.findall(text)]
    return "".join([*(path.read_text(encoding="utf-8") for path in read), *own])


def write_tables(folder: Path) -> bool:
    """Write the tables of a folder's grammar, unless they are there; whether they were not.

    All at once: who reads meanwhile finds the old file, or the new one.
    """
    text = grammar_text(folder)
    if read_tables(folder, text) is not None:
        return False
    data, memo = build_grammar(text).memo_serialize([TerminalDef, Rule])
    data["options"] = dict(_OPTIONS) | {"start": ["query"], "lexer": "contextual"}
    tables = json.dumps({"data": data, "memo": memo}, separators=(",", ":"))
    draft = folder / f"{TABLES}.{os.getpid()}"
    draft.write_text(f"{_digest(text, tables)}\n{tables}", encoding="utf-8")
    draft.replace(folder / TABLES)
    return True


def read_tables(folder: Path, text: str) -> str | None:
    """The tables of a folder's grammar, which is ``text``; None if there are none of it that this lark can read."""
    try:
        digest, _, tables = (folder / TABLES).read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return tables if digest == _digest(text, tables) else None


def _digest(text: str, tables: str) -> str:
    parts = (lark.__version__, repr(_OPTIONS), text, tables)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _from_tables(tables: str, builder: Transformer[Token, Any]) -> Lark:
    found = json.loads(tables)
    data, parser = found["data"], found["data"]["parser"]["parser"]
    parser["tokens"] = _by_number(parser["tokens"])
    parser["states"] = {int(state): _by_number(actions) for state, actions in parser["states"].items()}
    plugins = {"ContextualLexer": QuickLexer}
    return Lark._load_from_dict(data, _by_number(found["memo"]), transformer=builder, _plugins=plugins)  # type: ignore[no-any-return, no-untyped-call]


def _by_number(entries: Mapping[str, Any]) -> dict[int, Any]:
    """A mapping whose keys JSON turned into text."""
    return {int(key): value for key, value in entries.items()}


if __name__ == "__main__":
    for grammar in sorted(_LANGUAGES.glob("*/grammar")):
        write_tables(grammar)
