"""lark's contextual lexer, made to be there at once: what a query does not come across is not built."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from typing import Any

from lark.common import LexerConf
from lark.exceptions import UnexpectedCharacters
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
