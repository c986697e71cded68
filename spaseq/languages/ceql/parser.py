"""Text to syntax tree: the grammar, loaded once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lark import Lark

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.builder import QueryBuilder
from spaseq.languages.ceql.vocabulary import VOCABULARY
from spaseq.languages.grammars import load_grammar
from spaseq.languages.reading import read_tree

GRAMMAR = Path(__file__).parent / "grammar"


def parse_tree(text: str) -> tree.Query:
    """The syntax tree of ``text``; Problem if it is not a query, too long or nested too deeply."""
    return read_tree(text, grammar(), VOCABULARY, tree.Query)


@cache
def grammar() -> Lark:
    """The parser."""
    return load_grammar(GRAMMAR, QueryBuilder())
