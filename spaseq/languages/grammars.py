"""Parsers from grammars, whose tables are made when the package is built: that takes a quarter of a second.

A grammar is a folder of ``.lark`` files, read as one; a line ``// reads spaseq/grammar/path.lark`` adds a file of
another language.  ``python -m spaseq.languages.grammars``, which ``setup.py``
calls, writes the tables beside them: a digest, and lark's own serialisation as JSON.  Where the digest is not that of
the grammar, of this lark and of the tables, or where there is no such file, they are made in memory.  lark's contextual
lexer is made to be there at once: what a query does not come across is not built.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import lark
from lark import Lark, Transformer
from lark.common import LexerConf
from lark.exceptions import UnexpectedCharacters
from lark.grammar import Rule
from lark.lexer import (
    AbstractBasicLexer,
    BasicLexer,
    ContextualLexer,
    LexerState,
    Scanner,
    TerminalDef,
    Token,
    _create_unless,
)
from lark.utils import TextSlice

from spaseq.memory import lasting

_MANY = 1_000  # tokens, until it pays to compile what a state accepts as one expression


class QuickLexer(ContextualLexer):
    """A lexer for each state of the parser, made when the parser first comes there.

    Terminals are not checked; a test does that once for all.
    """

    def __init__(
        self, conf: LexerConf, states: Mapping[int, Collection[str]], always_accept: Collection[str] = ()
    ) -> None:
        conf.skip_validation = True
        self.root_lexer = _StateLexer(conf)
        self.lexers = _StateLexers(conf, states, always_accept)


class _StateLexers(dict[int, AbstractBasicLexer]):
    """The lexers by state; states that accept the same terminals share one."""

    def __init__(self, conf: LexerConf, states: Mapping[int, Collection[str]], always_accept: Collection[str]) -> None:
        super().__init__()
        self._conf = conf
        self._states = states
        self._always = {*conf.ignore, *always_accept}
        self._known: dict[frozenset[str], AbstractBasicLexer] = {}

    def __missing__(self, state: int) -> AbstractBasicLexer:
        accepted = frozenset(self._states[state])
        if accepted not in self._known:
            self._known[accepted] = self._lexer(accepted | self._always)
        lexer = self[state] = self._known[accepted]
        return lexer

    def _lexer(self, names: Collection[str]) -> BasicLexer:
        conf = copy(self._conf)
        conf.terminals = [one for one in self._conf.terminals if one.name in names]
        return _StateLexer(conf)


class _StateLexer(BasicLexer):
    def next_token(self, lex_state: LexerState, parser_state: Any = None) -> Token:
        """The next token, without lines and columns, which nobody reads; EOFError, or lark's UnexpectedCharacters."""
        text, counter, match = lex_state.text, lex_state.line_ctr, self.scanner.match
        place, end = counter.char_pos, text.end
        while place < end:
            found = match(text, place)
            if found is None:
                raise self._unexpected(text, place, parser_state)
            value, kind = found
            begin, place = place, place + len(value)
            if kind not in self.ignore_types:
                counter.char_pos = place
                token = Token._future_new(kind, value, begin, 0, 0, 0, 0, place)  # type: ignore[no-untyped-call]
                lex_state.last_token = token = self.callback[kind](token) if kind in self.callback else token
                return token
        counter.char_pos = place
        raise EOFError(self)

    def _unexpected(self, text: TextSlice[str], place: int, state: Any) -> UnexpectedCharacters:
        allowed = self.scanner.allowed_types - self.ignore_types or {"<END-OF-FILE>"}
        return UnexpectedCharacters(text.text, place, 0, 0, allowed=allowed, state=state)  # type: ignore[no-untyped-call]

    def _build_scanner(self) -> Scanner:
        terminals, self.callback = _create_unless(self.terminals, self.g_regex_flags, self.re, self.use_bytes)  # type: ignore[no-untyped-call]
        return _Scanner(terminals, self.g_regex_flags, self.re, self.use_bytes)  # type: ignore[no-untyped-call]


class _Scanner(Scanner):
    """Tries terminals one after the other; all at once where that has come to be worth it.

    Of each there is one expression, which ``re`` remembers; an alternation for each state would be compiled anew.
    """

    _tries = 0

    def _build_mres(self, terminals: list[TerminalDef], max_size: int) -> Any:
        return super()._build_mres(terminals, max_size if self._tries else 1)  # type: ignore[no-untyped-call]

    def match(self, text: TextSlice[str], pos: int) -> Any:
        """The token at a place, and its terminal; None if there is none."""
        self._tries += 1
        if self._tries == _MANY:
            self._mres = self._build_mres(self.terminals, len(self.terminals))
        for expression in self._mres:
            if found := expression.match(text.text, pos, text.end):
                return found.group(), found.lastgroup
        return None


# ── grammars and their tables ────────────────────────────────────────────────────────────────────────────
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
