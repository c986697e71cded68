"""Text to syntax tree: the grammar, loaded once, and a method for each of its rules, without state."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from lark import Lark, Token

from spaseq.languages.grammars import load_grammar
from spaseq.languages.node import Children, Span, has, nodes, span_of
from spaseq.languages.parsing import read_tree
from spaseq.languages.query_text import Problem
from spaseq.languages.sql import tree
from spaseq.languages.sql.expression_builder import SqlExpressionBuilder, tokens
from spaseq.languages.sql.slips import VOCABULARY, around

ORDER = {
    "partition": "PARTITION BY",
    "order": "ORDER BY",
    "measures": "MEASURES",
    "rows": "ONE ROW or ALL ROWS PER MATCH",
    "skip": "AFTER MATCH SKIP",
    "pattern": "PATTERN",
    "within": "WITHIN",
    "unions": "SUBSET",
    "definitions": "DEFINE",
}
_MOST_OF_BOUND = 9  # digits
_INSTEAD = {
    "pattern": "PATTERN says which rows follow each other, as in PATTERN (A B+ C)",
    "definitions": "DEFINE says what rows are, as in DEFINE B AS B.price < PREV(B.price); TRUE fits all",
}


class ParsedClause(NamedTuple):
    """A clause on its way to the query: the field that it fills, and its value."""

    field: str
    value: Any
    span: Span


class RowsBuilder(SqlExpressionBuilder):
    """Which rows follow each other."""

    def variable(self, children: Children) -> tree.Variable:
        return tree.Variable(self.name(children), span=span_of(children))

    def empty(self, children: Children) -> tree.Empty:
        return tree.Empty(span=span_of(children))

    def group(self, children: Children) -> tree.Pattern:
        body: tree.Pattern = nodes(children)[0]
        return body

    def anchor(self, children: Children) -> tree.Anchor:
        return tree.Anchor(str(children[0]), span=span_of(children))

    def sequence(self, children: Children) -> tree.Sequence:
        return tree.Sequence(*nodes(children), span=span_of(children))

    def alternation(self, children: Children) -> tree.Alternation:
        return tree.Alternation(*nodes(children), span=span_of(children))

    def permutation(self, children: Children) -> tree.Permutation:
        return tree.Permutation(tuple(nodes(children)), span=span_of(children))

    def exclusion(self, children: Children) -> tree.Exclusion:
        return tree.Exclusion(nodes(children)[0], span=span_of(children))

    def bounds(self, children: Children) -> ParsedClause:
        comma = next((at for at, child in enumerate(children) if child.type == "COMMA"), None)
        before = comma if comma is not None else 2
        low = _whole(children[1]) if before > 1 else 0
        behind = children[before - 1 if comma is None else before + 1]
        high = None if behind.type == "RBRACE" else _whole(behind)
        span = span_of(children)
        if high == 0:
            raise Problem("the greatest number of a quantifier is at least 1", span, "leave the part out, or write ()")
        if high is not None and low > high:
            raise Problem(f"the bounds are the wrong way round: {{{low},{high}}}", span, f"write {{{high},{low}}}")
        return ParsedClause("bounds", (low, high), span)

    def quantified(self, children: Children) -> tree.Quantified:
        body, quantifier = children[:2]
        low, high = quantifier.value if isinstance(quantifier, ParsedClause) else _BOUNDS[quantifier.type]
        reluctant = len(children) == 3 and low != high
        return tree.Quantified(body, low, high, reluctant, span=span_of(children))


_BOUNDS: dict[str, tuple[int, int | None]] = {"STAR": (0, None), "PLUS": (1, None), "QMARK": (0, 1)}


def _whole(token: Token) -> int:
    if not token.isdecimal() or len(token) > _MOST_OF_BOUND:
        place = Span(token.start_pos or 0, token.end_pos or 0)
        raise Problem(f"a quantifier takes whole numbers, not {token}", place, syntax=True)
    return int(token)


class RowPatternBuilder(RowsBuilder):
    """The clauses of a statement."""

    def item(self, children: Children) -> tree.Item:
        return tree.Item(*nodes(children), span=span_of(children))

    def select(self, children: Children) -> ParsedClause:
        return ParsedClause("items", None if has(children, "STAR") else tuple(nodes(children)), span_of(children))

    def alias(self, children: Children) -> ParsedClause:
        name, hint = nodes(children)[0], around(children[0].text) if len(children) == 1 else ""
        if hint and not name.quoted:
            raise Problem(f"{name.text} cannot stand here", name.span, hint, syntax=True)
        return ParsedClause("alias", name, span_of(children))

    def partition(self, children: Children) -> ParsedClause:
        return ParsedClause("partition", tuple(nodes(children)), span_of(children))

    def order(self, children: Children) -> ParsedClause:
        return ParsedClause("order", tuple(nodes(children)), span_of(children))

    def key(self, children: Children) -> tree.SortKey:
        descending = any(token.upper() == "DESC" for token in tokens(children, "DIRECTION"))
        first = any(token.upper() == "FIRST" for token in tokens(children, "ENDS"))
        return tree.SortKey(children[0], descending, first, span=span_of(children))

    def measures(self, children: Children) -> ParsedClause:
        return ParsedClause("measures", tuple(nodes(children)), span_of(children))

    def measure(self, children: Children) -> tree.Measure:
        return tree.Measure(*nodes(children), span=span_of(children))

    def rows(self, children: Children) -> ParsedClause:
        option = next((token.type for token in tokens(children, "SHOW", "OMIT", "WITH")), None)
        span = span_of(children)
        return ParsedClause("rows", tree.Rows(has(children, "ALL"), option, span=span), span)

    def skip(self, children: Children) -> ParsedClause:
        span, named = span_of(children), nodes(children)
        if named:
            to = next((token.upper() for token in tokens(children, "ENDS")), "LAST")
            return ParsedClause("skip", tree.Skip(to, named[0], span=span), span)
        return ParsedClause("skip", tree.Skip("PAST" if has(children, "PAST") else "NEXT", span=span), span)

    def search(self, children: Children) -> ParsedClause:
        word = str(children[0]).upper()
        message = f"{word} is about row patterns in windows, which are not supported"
        raise Problem(message, span_of(children), "leave it out")

    def pattern(self, children: Children) -> ParsedClause:
        found, span = nodes(children), span_of(children)
        if not found:
            raise Problem("the pattern is empty", span, "name rows, as in PATTERN (A B+), or write PATTERN (())")
        return ParsedClause("pattern", found[0], span)

    def within(self, children: Children) -> ParsedClause:
        return ParsedClause("within", nodes(children)[0], span_of(children))

    def subset(self, children: Children) -> ParsedClause:
        return ParsedClause("unions", tuple(nodes(children)), span_of(children))

    def union(self, children: Children) -> tree.Union:
        name, *variables = nodes(children)
        return tree.Union(name, tuple(variables), span=span_of(children))

    def define(self, children: Children) -> ParsedClause:
        return ParsedClause("definitions", tuple(nodes(children)), span_of(children))

    def definition(self, children: Children) -> tree.Definition:
        return tree.Definition(*nodes(children), span=span_of(children))

    def query(self, children: Children) -> tree.Query:
        table, span = nodes(children)[0], span_of(children)
        clauses = [child for child in children if isinstance(child, ParsedClause)]
        _check_order([clause for clause in clauses if clause.field in ORDER])
        found = {clause.field: clause.value for clause in clauses}
        for field, instead in _INSTEAD.items():
            if field not in found:
                closing = next(token for token in reversed(children) if isinstance(token, Token) and token == ")")
                raise Problem(f"there is no {ORDER[field]}", span_of([closing]), instead, syntax=True)
        return tree.Query(found.pop("items", None), table, **found, span=span)


def _check_order(clauses: list[ParsedClause]) -> None:
    """Problem if a clause is there twice, or behind one that it stands before."""
    places, before = list(ORDER), ""
    for clause in clauses:
        title = ORDER[clause.field]
        if clause.field == before or clause.field in [each.field for each in clauses[: clauses.index(clause)]]:
            raise Problem(f"{title} is given twice", clause.span, syntax=True)
        if before and places.index(clause.field) < places.index(before):
            raise Problem(f"{title} stands before {ORDER[before]}", clause.span, syntax=True)
        before = clause.field


# ── the grammar ──────────────────────────────────────────────────────────────────────────────────────────
GRAMMAR = Path(__file__).parent / "grammar"


def parse_tree(text: str) -> tree.Query:
    """The syntax tree of ``text``; Problem if it is not a statement, too long or nested too deeply."""
    return read_tree(text, grammar(), VOCABULARY, tree.Query)


@cache
def grammar() -> Lark:
    """The parser."""
    return load_grammar(GRAMMAR, RowPatternBuilder())
