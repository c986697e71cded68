"""Text to syntax tree: the grammar, built once."""

from __future__ import annotations

from functools import cache

from lark import Lark

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.builder import QueryBuilder
from spaseq.languages.ceql.vocabulary import VOCABULARY
from spaseq.languages.reading import build_grammar, read_tree

GRAMMAR_FILES = ("query.lark", "formula.lark", "expression.lark", "terminals.lark")


def parse_tree(text: str) -> tree.Query:
    """The syntax tree of ``text``; Problem if it is not a query, too long or nested too deeply."""
    return read_tree(text, grammar(), VOCABULARY, tree.Query)


@cache
def grammar(check_terminals: bool = False) -> Lark:
    """The parser; ``check_terminals`` looks for overlapping terminals too, which is slow."""
    return build_grammar("spaseq.languages.ceql", GRAMMAR_FILES, QueryBuilder(), check_terminals)
