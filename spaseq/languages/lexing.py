"""lark's contextual lexer, made to be there at once: what a query does not come across is not built."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from typing import Any

from lark.common import LexerConf
from lark.lexer import AbstractBasicLexer, BasicLexer, ContextualLexer, Scanner, TerminalDef, _create_unless


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
    def _build_scanner(self) -> Scanner:
        terminals, self.callback = _create_unless(self.terminals, self.g_regex_flags, self.re, self.use_bytes)  # type: ignore[no-untyped-call]
        return _Scanner(terminals, self.g_regex_flags, self.re, self.use_bytes)  # type: ignore[no-untyped-call]


class _Scanner(Scanner):
    """Tries terminals one after the other.

    Of each there is one expression, which ``re`` remembers; an alternation for each state would be compiled anew.
    """

    def _build_mres(self, terminals: list[TerminalDef], max_size: int) -> Any:
        return super()._build_mres(terminals, 1)  # type: ignore[no-untyped-call]
