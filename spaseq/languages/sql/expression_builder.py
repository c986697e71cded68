"""The reductions of conditions and values."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer

from spaseq.languages.node import Children, Span, has, nodes, place_of, span_of
from spaseq.languages.query_text import Problem
from spaseq.languages.sql import tree
from spaseq.languages.sql.names import plain_name, plain_text

_SPELLINGS = {"!=": "<>"}
_CUTS = ("SUBSTRING", "SUBSTR")
_MOST_OF_LENGTH = 9  # digits


def tokens(children: Children, *kinds: str) -> list[Token]:
    """The tokens of these kinds."""
    return [child for child in children if isinstance(child, Token) and child.type in kinds]


class SqlExpressionBuilder(Transformer[Token, Any]):
    """Conditions and values."""

    def name(self, children: Children) -> tree.Name:
        return tree.Name(*plain_name(children[0]), span=span_of(children))

    def column(self, children: Children) -> tree.Column:
        *qualifier, name = nodes(children)
        return tree.Column(name, qualifier[0] if qualifier else None, span=span_of(children))

    def number(self, children: Children) -> tree.Number:
        return tree.Number(str(children[0]), span=span_of(children))

    def text(self, children: Children) -> tree.Text:
        return tree.Text(plain_text(children[0]), span=span_of(children))

    def boolean(self, children: Children) -> tree.Boolean:
        return tree.Boolean(children[0].upper() == "TRUE", span=span_of(children))

    def null(self, children: Children) -> tree.Null:
        return tree.Null(span=span_of(children))

    def literal(self, children: Children) -> tree.Literal:
        found: tree.Literal = children[0]
        return found

    def dated(self, children: Children) -> tree.Dated:
        kind, text = children
        return tree.Dated(kind.upper(), plain_text(text), span=span_of(children))

    def interval(self, children: Children) -> tree.Interval:
        text = plain_text(tokens(children, "STRING")[0])
        unit, *to = [str(name).upper() for name in tokens(children, "NAME")]
        sign = "-" if tokens(children, "MINUS") else ""
        return tree.Interval(sign, text, unit, to[0] if to else None, span=span_of(children))

    # ── operators ────────────────────────────────────────────────────────────────────────────────────────
    def operation(self, children: Children) -> tree.Operation:
        operator = next(token for token in children if isinstance(token, Token) and token.type not in ("LPAR", "RPAR"))
        sign = operator.upper()
        return tree.Operation(_SPELLINGS.get(sign, sign), tuple(nodes(children)), span=span_of(children))

    def unary(self, children: Children) -> tree.Operation:
        return tree.Operation(str(children[0]), tuple(nodes(children)), span=span_of(children))

    def membership(self, children: Children) -> tree.Membership:
        operand, *items = nodes(children)
        return tree.Membership(operand, tuple(items), has(children, "NOT"), span=span_of(children))

    def between(self, children: Children) -> tree.Between:
        operand, low, high = nodes(children)
        return tree.Between(operand, low, high, has(children, "NOT"), span=span_of(children))

    def like(self, children: Children) -> tree.Like:
        operand, pattern, *escape = nodes(children)
        kept = escape[0] if escape else None
        return tree.Like(operand, pattern, kept, has(children, "NOT"), span=span_of(children))

    def is_null(self, children: Children) -> tree.IsNull:
        return tree.IsNull(nodes(children)[0], has(children, "NOT"), span=span_of(children))

    def distinct(self, children: Children) -> tree.IsDistinct:
        left, right = nodes(children)
        return tree.IsDistinct(left, right, has(children, "NOT"), span=span_of(children))

    # ── what is written like a call ──────────────────────────────────────────────────────────────────────
    def all_rows(self, children: Children) -> tree.AllRows:
        return tree.AllRows(nodes(children)[0], span=span_of(children))

    def call(self, children: Children) -> tree.Call:
        stars = [tree.AllRows(span=place_of(star)) for star in tokens(children, "STAR")]
        return _call(children, (*stars, *nodes(children)))

    def distinct_call(self, children: Children) -> tree.Call:
        word = place_of(tokens(children, "DISTINCT")[0])
        raise Problem("DISTINCT in aggregates is not supported", word, "leave it out")

    def substring(self, children: Children) -> tree.Call:
        function = tokens(children, "FUNCTION")[0]
        if function.upper() not in _CUTS:
            raise Problem(f"{function} has no FROM", place_of(tokens(children, "FROM")[0]), "write commas", syntax=True)
        return _call(children, tuple(nodes(children)))

    def case(self, children: Children) -> tree.Case:
        found = nodes(children)
        branches = tuple(node for node in found if isinstance(node, tree.Branch))
        operand = None if isinstance(found[0], tree.Branch) else found[0]
        otherwise = None if isinstance(found[-1], tree.Branch) else found[-1]
        return tree.Case(operand, branches, otherwise, span=span_of(children))

    def branch(self, children: Children) -> tree.Branch:
        return tree.Branch(*nodes(children), span=span_of(children))

    def type(self, children: Children) -> tree.Type:
        words = [token.upper() for token in tokens(children, "NAME", "TYPED")]
        numbers = tokens(children, "NUMBER")
        for number in numbers:
            if not number.isdecimal() or len(number) > _MOST_OF_LENGTH:
                raise Problem(f"a type takes small whole numbers, not {number}", place_of(number), syntax=True)
        its = tuple(tree.Number(str(number), span=place_of(number)) for number in numbers)
        return tree.Type(" ".join(words), its, span=span_of(children))

    def cast(self, children: Children) -> tree.Cast:
        operand, its = nodes(children)
        return tree.Cast(operand, its, children[0].upper().startswith("TRY"), span=span_of(children))

    def extract(self, children: Children) -> tree.Extract:
        field, operand = nodes(children)
        return tree.Extract(field.text.upper(), operand, span=span_of(children))


def _call(children: Children, operands: tuple[Any, ...]) -> tree.Call:
    function = tokens(children, "FUNCTION")[0]
    processing = next((token.upper() for token in tokens(children, "PROCESSING")), None)
    span: Span = span_of(children)
    return tree.Call(function.upper(), operands, processing, span=span)
