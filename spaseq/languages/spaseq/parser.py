"""Text to syntax tree: the grammar, built once, and the limits on what it is given."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.resources import files

from lark import Lark, UnexpectedInput
from lark.common import LexerConf
from lark.lexer import ContextualLexer

from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.builder import QueryBuilder
from spaseq.languages.spaseq.expectation import explain
from spaseq.languages.spaseq.problem import Problem
from spaseq.languages.spaseq.tree import Span

MOST_CHARACTERS = 1 << 20
MOST_DEPTH = 200
GRAMMAR_FILES = ("query.lark", "sequence.lark", "pattern.lark", "expression.lark", "terminals.lark")


def parse_tree(text: str) -> tree.Query:
    """The syntax tree of ``text``; Problem if it is not a query, too long or nested too deeply."""
    if len(text) > MOST_CHARACTERS:
        raise Problem(f"the query has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read", Span(0, 1))
    try:
        query = grammar().parse(text)
    except UnexpectedInput as error:
        raise explain(error, text) from None
    assert isinstance(query, tree.Query)
    check_depth(query)
    return query


@cache
def grammar(check_terminals: bool = False) -> Lark:
    """The LALR parser; a conflict in the grammar is an error.

    ``check_terminals`` also looks for terminals that overlap: slow, and it needs the package interegular.
    """
    folder = files(__package__) / "grammar"
    text = "".join((folder / name).read_text(encoding="utf-8") for name in GRAMMAR_FILES)
    plugins = {} if check_terminals else {"ContextualLexer": _UncheckedLexer}
    return Lark(
        text,
        parser="lalr",
        strict=True,
        start="query",
        keep_all_tokens=True,
        transformer=QueryBuilder(),
        _plugins=plugins,
    )


class _UncheckedLexer(ContextualLexer):
    """The contextual lexer without the checks of terminals, which a test does once for all."""

    def __init__(
        self, conf: LexerConf, states: dict[int, Collection[str]], always_accept: Collection[str] = ()
    ) -> None:
        conf.skip_validation = True
        super().__init__(conf, states, always_accept)


def check_depth(root: tree.Node, most: int = MOST_DEPTH) -> None:
    """Problem where nodes are nested more than ``most`` deep, so that recursion over the tree is safe."""
    level: list[tree.Node] = [root]
    for _ in range(most):
        level = [child for node in level for child in children(node)]
        if not level:
            return
    message = f"nested more than {most} levels deep"
    hint = "every operator of a chain counts; lists in IN and VALUES do not"
    raise Problem(message, level[0].span, hint)


def children(node: tree.Node) -> list[tree.Node]:
    """The nodes directly below ``node``."""
    found: list[tree.Node] = []
    names: tuple[str, ...] = type(node).__match_args__  # all fields but the spans
    for name in names:
        value: object = getattr(node, name)
        if isinstance(value, tree.Node):
            found.append(value)
        elif type(value) is tuple:
            found.extend(value)
    return found


__all__ = ["GRAMMAR_FILES", "check_depth", "children", "grammar", "parse_tree"]
