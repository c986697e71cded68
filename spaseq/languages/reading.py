"""Text to syntax tree, for every language with its grammar in files: errors in words, limits on the input."""

from __future__ import annotations

import re
from typing import TypeVar

from lark import Lark, UnexpectedInput

from spaseq.languages.expectation import Vocabulary, explain
from spaseq.languages.files import MOST_CHARACTERS
from spaseq.languages.node import Node, Span, children
from spaseq.languages.parsing import MOST_DEPTH, parsed, too_deep
from spaseq.languages.problem import Problem

Tree = TypeVar("Tree", bound=Node)
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_tree(text: str, grammar: Lark, vocabulary: Vocabulary, kind: type[Tree]) -> Tree:
    """The syntax tree of ``text``; Problem if it is not of the language, too long or nested too deeply."""
    if len(text) > MOST_CHARACTERS:
        raise Problem(f"the query has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read", Span(0, 1))
    if not text.isascii() and (found := _SURROGATE.search(text)):
        message = f"U+{ord(found[0]):04X} is a surrogate: half of a character, which no text has by itself"
        raise Problem(message, Span(*found.span()), syntax=True)
    try:
        tree = parsed(text, grammar, vocabulary.instead)
    except UnexpectedInput as error:
        raise explain(error, text, vocabulary) from None
    assert isinstance(tree, kind)
    check_depth(tree)
    return tree


def check_depth(root: Node, most: int = MOST_DEPTH) -> None:
    """Problem where nodes are nested more than ``most`` deep, so that recursion over the tree is safe."""
    level: list[Node] = [root]
    for _ in range(most):
        level = [child for node in level for child in children(node)]
        if not level:
            return
    raise too_deep(level[0].span)
