"""Text to syntax tree: the grammar, loaded once, and a method for each of its rules, without state."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from lark import Lark, Token, Transformer

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.printer import plain_name, plain_text
from spaseq.languages.ceql.slips import VOCABULARY
from spaseq.languages.grammars import load_grammar
from spaseq.languages.node import Children, Node, Span, has, nodes, span_of
from spaseq.languages.parsing import read_tree
from spaseq.languages.query_text import Problem

_SPELLINGS = {"==": "=", "<>": "!="}


class Clause(NamedTuple):
    """A clause on its way to the query: the field that it fills, and its value."""

    field: str
    value: Any
    span: Span


def _tokens(children: Children, *kinds: str) -> list[Token]:
    return [child for child in children if isinstance(child, Token) and child.type in kinds]


class ConditionBuilder(Transformer[Token, Any]):
    """Conditions and values."""

    def name(self, children: Children) -> tree.Name:
        return tree.Name(plain_name(children[0]), span=span_of(children))

    def reference(self, children: Children) -> tree.Reference:
        names = [plain_name(token) for token in _tokens(children, "NAME")]
        return tree.Reference(names[-1], names[0] if len(names) == 2 else None, span=span_of(children))

    def bare(self, children: Children) -> tree.Attribute:
        return tree.Attribute(plain_name(children[0]), span=span_of(children))

    def attribute(self, children: Children) -> tree.Attribute:
        name = ".".join(part.text for part in nodes(children))
        return tree.Attribute(name, plain_name(children[0]), span=span_of(children))

    def test(self, children: Children) -> tree.Test:
        return tree.Test(self.reference(children[:1]), nodes(children)[0], span=span_of(children))

    def number(self, children: Children) -> tree.Number:
        return tree.Number(str(children[0]), span=span_of(children))

    def text(self, children: Children) -> tree.Text:
        return tree.Text(plain_text(children[0]), span=span_of(children))

    def boolean(self, children: Children) -> tree.Boolean:
        return tree.Boolean(children[0].upper() == "TRUE", span=span_of(children))

    def null(self, children: Children) -> tree.Null:
        return tree.Null(span=span_of(children))

    def parameter(self, children: Children) -> tree.Parameter:
        return tree.Parameter(children[0][1:], span=span_of(children))

    def operation(self, children: Children) -> tree.Operation:
        operator = next(token for token in children if isinstance(token, Token) and token.type not in ("LPAR", "RPAR"))
        return tree.Operation(operator.upper(), tuple(nodes(children)), span=span_of(children))

    negation = operation

    def unary(self, children: Children) -> tree.Operation | tree.Number:
        sign, operand = children[0], nodes(children)[0]
        is_number = isinstance(operand, tree.Number) and operand.text[0] not in "+-"
        if is_number and operand.span.start == sign.end_pos:
            return tree.Number(sign + operand.text, span=span_of(children))
        return tree.Operation(str(sign), (operand,), span=span_of(children))

    def signed(self, children: Children) -> tree.Number:
        sign, number = children
        return tree.Number(sign + number.text, span=span_of(children))

    def comparison(self, children: Children) -> tree.Operation | tree.Test:
        left, right = nodes(children)
        operator = str(_tokens(children, "COMPARISON", "MORETHAN")[0])
        if operator == ">" and _is_stream(left) and isinstance(right, tree.Test) and right.variable.stream is None:
            span = span_of(children)
            reference = tree.Reference(right.variable.name, left.name, span=Span(span.start, right.variable.span.end))
            return tree.Test(reference, right.condition, span=span)
        return tree.Operation(_SPELLINGS.get(operator, operator), (left, right), span=span_of(children))

    def like(self, children: Children) -> tree.Like:
        operand, pattern = nodes(children)
        return tree.Like(operand, pattern, has(children, "NOT"), span=span_of(children))

    def is_null(self, children: Children) -> tree.IsNull:
        return tree.IsNull(nodes(children)[0], has(children, "NOT"), span=span_of(children))

    def membership(self, children: Children) -> tree.Membership:
        operand, *items = nodes(children)
        return tree.Membership(operand, tuple(items), has(children, "NOT"), span=span_of(children))

    def range(self, children: Children) -> Clause:
        low = children[0] if isinstance(children[0], Node) else None
        high = children[-1] if isinstance(children[-1], Node) else None
        return Clause("range", (low, high), span_of(children))

    def interval(self, children: Children) -> tree.Interval:
        operand, *bounds = nodes(children)
        ranges = [child for child in children if isinstance(child, Clause)]
        low, high = ranges[0].value if ranges else bounds
        return tree.Interval(operand, low, high, has(children, "NOT"), span=span_of(children))


def _is_stream(node: Node) -> bool:
    return isinstance(node, tree.Attribute) and node.variable is None


class FormulaBuilder(ConditionBuilder):
    """Which events follow each other."""

    def named(self, children: Children) -> tree.Named:
        return tree.Named(*nodes(children), span=span_of(children))

    def repeated(self, children: Children) -> tree.Repeated:
        return tree.Repeated(nodes(children)[0], has(children, "CONTIGUOUS_PLUS"), span=span_of(children))

    def steps(self, children: Children) -> tree.Steps:
        left, right = nodes(children)
        operator = _tokens(children, "SEMICOLON", "COLON")[0]
        place = span_of([operator])
        return tree.Steps(left, operator == ":", right, span=span_of(children), operator_span=place)

    def unordered(self, children: Children) -> tree.Unordered:
        return tree.Unordered(*nodes(children), span=span_of(children))

    def alternatives(self, children: Children) -> tree.Alternatives:
        return tree.Alternatives(*nodes(children), span=span_of(children))

    def filtered(self, children: Children) -> tree.Filtered:
        return tree.Filtered(*nodes(children), span=span_of(children))


class FormulaQueryBuilder(FormulaBuilder):
    """The clauses of a query."""

    def aggregate(self, children: Children) -> tree.Aggregate:
        argument = None if isinstance(children[2], Token) and children[2].type == "STAR" else nodes(children)[0]
        return tree.Aggregate(children[0].upper(), argument, span=span_of(children))

    def shown(self, children: Children) -> tree.Shown:
        value, *name = nodes(children)
        return tree.Shown(value, name[0] if name else None, span=span_of(children))

    def select(self, children: Children) -> Clause:
        strategy = _tokens(children, "STRATEGY")
        items = None if has(children, "STAR") else tuple(nodes(children))
        span = span_of(children)
        return Clause("select", tree.Select(strategy[0].upper() if strategy else None, items, span=span), span)

    def streams(self, children: Children) -> Clause:
        return _listed("streams", children)

    def row(self, children: Children) -> tree.Row:
        return tree.Row(tuple(nodes(children)), span=span_of(children))

    def given(self, children: Children) -> Clause:
        found, span = nodes(children), span_of(children)
        parameters = tuple(node for node in found if isinstance(node, tree.Parameter))
        rows = [node for node in found if not isinstance(node, tree.Parameter)]
        its = tuple(row if isinstance(row, tree.Row) else tree.Row((row,), span=row.span) for row in rows)
        return Clause("given", tree.Given(parameters, its if has(children, "RBRACE") else None, span=span), span)

    def where(self, children: Children) -> Clause:
        return Clause("formula", nodes(children)[0], span_of(children))

    def partition(self, children: Children) -> Clause:
        return _listed("partition", children)

    def group_by(self, children: Children) -> Clause:
        return _listed("group_by", children)

    def limit(self, children: Children) -> Clause:
        return Clause("limit", children[1], span_of(children))

    def consume(self, children: Children) -> Clause:
        span = span_of(children)
        return Clause("consume", tree.Consume(children[-1].upper(), span=span), span)

    def duration(self, children: Children) -> tree.Duration:
        unit = children[1].upper()
        return tree.Duration(children[0], unit if unit.endswith("S") else unit + "S", span=span_of(children))

    def time_window(self, children: Children) -> Clause:
        return _window(tree.TimeWindow(tuple(nodes(children)), span=span_of(children)))

    def event_window(self, children: Children) -> Clause:
        return _window(tree.EventWindow(children[1], span=span_of(children)))

    def attribute_window(self, children: Children) -> Clause:
        return _window(tree.AttributeWindow(*nodes(children), span=span_of(children)))

    def query(self, children: Children) -> tree.Query:
        found: dict[str, Any] = {"streams": ()}
        for clause in children:
            if clause.field in found and clause.field != "streams":
                raise Problem(f"{_TITLES[clause.field]} is given twice", clause.span, syntax=True)
            found[clause.field] = clause.value
        return tree.Query(**found, span=span_of(children))


_TITLES = {
    "partition": "PARTITION BY",
    "window": "WITHIN",
    "limit": "LIMIT",
    "consume": "CONSUME BY",
    "group_by": "GROUP BY",
}


def _listed(field: str, children: Children) -> Clause:
    return Clause(field, tuple(nodes(children)), span_of(children))


def _window(window: tree.Window) -> Clause:
    return Clause("window", window, window.span)


# ── the grammar ──────────────────────────────────────────────────────────────────────────────────────────
GRAMMAR = Path(__file__).parent / "grammar"


def parse_tree(text: str) -> tree.Query:
    """The syntax tree of ``text``; Problem if it is not a query, too long or nested too deeply."""
    return read_tree(text, grammar(), VOCABULARY, tree.Query)


@cache
def grammar() -> Lark:
    """The parser."""
    return load_grammar(GRAMMAR, FormulaQueryBuilder())
