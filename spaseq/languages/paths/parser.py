"""Text to syntax tree: the grammar, loaded once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lark import Lark

from spaseq.languages.grammars import load_grammar
from spaseq.languages.paths import tree
from spaseq.languages.paths.builder import PathQueryBuilder
from spaseq.languages.paths.vocabulary import VOCABULARY
from spaseq.languages.reading import read_tree

GRAMMAR = Path(__file__).parent / "grammar"


def parse_tree(text: str) -> tree.Queries:
    """The syntax tree of ``text``; Problem if it has no queries, is too long or nested too deeply."""
    return read_tree(text, grammar(), VOCABULARY, tree.Queries)


@cache
def grammar() -> Lark:
    """The parser."""
    return load_grammar(GRAMMAR, PathQueryBuilder())
