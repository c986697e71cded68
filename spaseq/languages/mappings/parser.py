"""Text to syntax tree: the grammar, loaded once, and a method for each of its rules, without state."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import get_args

from lark import Lark, Token

from spaseq.languages.grammars import load_grammar
from spaseq.languages.mappings import tree
from spaseq.languages.mappings.slips import VOCABULARY
from spaseq.languages.node import Children, nodes, span_of
from spaseq.languages.parsing import read_tree
from spaseq.languages.spaseq.parser import PatternBuilder
from spaseq.languages.spaseq.terms import unquote
from spaseq.languages.spaseq.tree import Base, Group, Prefix


class MappingBuilder(PatternBuilder):
    """The clauses of a mapping."""

    def iri_template(self, children: Children) -> tree.IriTemplate:
        return tree.IriTemplate(str(children[0]), span=span_of(children))

    def column(self, children: Children) -> tree.Column:
        return tree.Column(_text(children[1]), children[-1], span=span_of(children))

    def each(self, children: Children) -> tree.Each:
        return tree.Each(_text(children[1]), children[-1], span=span_of(children))

    def event(self, children: Children) -> tree.Event:
        return tree.Event(children[1], span=span_of(children))

    def time(self, children: Children) -> tree.Time:
        variable, *said = children[1:]
        if not said:
            return tree.Time(variable, span=span_of(children))
        word, value = said
        if word.type == "UNIT_OF":
            return tree.Time(variable, unit=str(value), span=span_of(children))
        return tree.Time(variable, form=_text(value), span=span_of(children))

    def construct(self, children: Children) -> tree.Construct:
        return tree.Construct(tuple(nodes(children)), span=span_of(children))

    def where(self, children: Children) -> Group:
        (group,) = nodes(children)
        assert isinstance(group, Group)
        return group

    def mapping(self, children: Children) -> tree.Mapping:
        (construct,) = [child for child in children if isinstance(child, tree.Construct)]
        groups = [child for child in children if isinstance(child, Group)]
        return tree.Mapping(
            tuple(child for child in children if isinstance(child, Base | Prefix)),
            tuple(child for child in children if isinstance(child, get_args(tree.Clause))),
            construct,
            groups[0] if groups else None,
            span=span_of(children),
        )


def _text(token: Token) -> str:
    return unquote(token, token.start_pos or 0)


# ── the grammar ──────────────────────────────────────────────────────────────────────────────────────────
GRAMMAR = Path(__file__).parent / "grammar"


def parse_tree(text: str) -> tree.Mapping:
    """The syntax tree of ``text``; Problem if it is no mapping, too long or nested too deeply."""
    return read_tree(text, grammar(), VOCABULARY, tree.Mapping)


@cache
def grammar() -> Lark:
    """The parser."""
    return load_grammar(GRAMMAR, MappingBuilder())
