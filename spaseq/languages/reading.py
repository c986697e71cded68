"""Text to syntax tree, for every language with its grammar in files: building the parser, limits on its input."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from importlib.resources import files
from typing import Any, TypeVar

from lark import Lark, Token, Transformer, UnexpectedInput
from lark.common import LexerConf
from lark.lexer import ContextualLexer

from spaseq.languages.expectation import Vocabulary, explain
from spaseq.languages.node import Node, Span, children
from spaseq.languages.problem import Problem

MOST_CHARACTERS = 1 << 20
MOST_DEPTH = 200
Tree = TypeVar("Tree", bound=Node)


def read_tree(text: str, grammar: Lark, vocabulary: Vocabulary, kind: type[Tree]) -> Tree:
    """The syntax tree of ``text``; Problem if it is not of the language, too long or nested too deeply."""
    if len(text) > MOST_CHARACTERS:
        raise Problem(f"the query has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read", Span(0, 1))
    try:
        tree = grammar.parse(text)
    except UnexpectedInput as error:
        raise explain(error, text, vocabulary) from None
    assert isinstance(tree, kind)
    check_depth(tree)
    return tree


def build_grammar(
    package: str, names: Iterable[str], builder: Transformer[Token, Any], check_terminals: bool = False
) -> Lark:
    """The LALR parser of the files ``names`` in the folder ``grammar`` of ``package``; a conflict is an error.

    ``check_terminals`` also looks for terminals that overlap: slow, and it needs the package interegular.
    """
    folder = files(package) / "grammar"
    text = "".join((folder / name).read_text(encoding="utf-8") for name in names)
    plugins = {} if check_terminals else {"ContextualLexer": _UncheckedLexer}
    return Lark(
        text,
        parser="lalr",
        strict=True,
        start="query",
        keep_all_tokens=True,
        transformer=builder,
        _plugins=plugins,
    )


class _UncheckedLexer(ContextualLexer):
    """The contextual lexer without the checks of terminals, which a test does once for all."""

    def __init__(
        self, conf: LexerConf, states: dict[int, Collection[str]], always_accept: Collection[str] = ()
    ) -> None:
        conf.skip_validation = True
        super().__init__(conf, states, always_accept)


def check_depth(root: Node, most: int = MOST_DEPTH) -> None:
    """Problem where nodes are nested more than ``most`` deep, so that recursion over the tree is safe."""
    level: list[Node] = [root]
    for _ in range(most):
        level = [child for node in level for child in children(node)]
        if not level:
            return
    message = f"nested more than {most} levels deep"
    raise Problem(message, level[0].span, "every operator of a chain counts; lists in IN and VALUES do not")
