"""Text to syntax tree: the grammar, loaded once, and a method for each of its rules, without state."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from lark import Lark, Token, Transformer

from spaseq.languages.grammars import load_grammar
from spaseq.languages.node import Children, Span, has, nodes, place_of, span_of
from spaseq.languages.parsing import read_tree
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.precedence import ListOperator, shape
from spaseq.languages.spaseq.slips import VOCABULARY
from spaseq.languages.spaseq.terms import unquote

T = TypeVar("T")


class ClausePart(NamedTuple):
    """A piece of a clause on its way to the node that it belongs to."""

    kind: str
    value: Any
    span: Span


def _all(children: Children, kind: type[T]) -> list[T]:
    return [child for child in children if isinstance(child, kind)]


def _parts(children: Children) -> dict[str, Any]:
    """The values of the parts by kind; a kind given twice is a Problem."""
    found: dict[str, Any] = {}
    for part in _all(children, ClausePart):
        if part.kind in found:
            raise Problem(f"{part.kind} is given twice", part.span, syntax=True)
        found[part.kind] = part.value
    return found


def _items(children: Children) -> tuple[tree.Variable | tree.Named, ...] | None:
    if has(children, "STAR"):
        return None
    return tuple(child for child in children if isinstance(child, tree.Variable | tree.Named))


def _rows(children: Children) -> tuple[tree.Row, ...]:
    """The rows of a data block; values by themselves are rows of one."""
    found = [node for node in nodes(children) if not isinstance(node, tree.Variable)]
    return tuple(node if isinstance(node, tree.Row) else tree.Row((node,), span=node.span) for node in found)


class _Arguments(NamedTuple):
    items: tuple[tree.Expression, ...]
    distinct: bool
    star: bool
    separator: str | None
    span: Span


class TermBuilder(Transformer[Token, Any]):
    """Terms and declarations."""

    def name(self, children: Children) -> tree.Name:
        return tree.Name(str(children[0]), span=span_of(children))

    def variable(self, children: Children) -> tree.Variable:
        return tree.Variable(children[0][1:], span=span_of(children))

    def iri(self, children: Children) -> tree.Iri:
        return tree.Iri(str(children[0]), span=span_of(children))

    def literal(self, children: Children) -> tree.Literal:
        text = unquote(children[0], children[0].start_pos)
        last, span = children[-1], span_of(children)
        if isinstance(last, tree.Iri):
            return tree.Literal(text, last, span=span)
        return tree.Literal(text, None, last[1:].lower() if len(children) > 1 else None, span=span)

    def number(self, children: Children) -> tree.Number:
        return tree.Number(str(children[0]), span=span_of(children))

    def boolean(self, children: Children) -> tree.Boolean:
        return tree.Boolean(children[0].lower() == "true", span=span_of(children))

    signed = operand_number = number
    operand_variable, operand_iri, operand_literal, operand_boolean = variable, iri, literal, boolean

    def undefined(self, children: Children) -> tree.Undefined:
        return tree.Undefined(span=span_of(children))

    def blank_node(self, children: Children) -> tree.BlankNode:
        label = children[0][2:] if len(children) == 1 else ""
        return tree.BlankNode(label, span=span_of(children))

    def collection(self, children: Children) -> tree.Collection:
        return tree.Collection(tuple(nodes(children)), span=span_of(children))

    nil = collection

    def property_list(self, children: Children) -> tree.PropertyList:
        return tree.PropertyList(tuple(nodes(children)), span=span_of(children))

    def type(self, children: Children) -> tree.Iri:
        return tree.Iri("a", span=span_of(children))

    def base(self, children: Children) -> tree.Base:
        return tree.Base(self.iri(children[1:]), span=span_of(children))

    def prefix(self, children: Children) -> tree.Prefix:
        return tree.Prefix(children[1][:-1], self.iri(children[2:]), span=span_of(children))


class ExpressionBuilder(TermBuilder):
    """Expressions."""

    def expression(self, children: Children) -> tree.Expression:
        return shape([child for child in children if not _is_parenthesis(child)])

    def unary(self, children: Children) -> tree.Operation | tree.Number:
        sign, operand = children[0], nodes(children)[0]
        # As in SPARQL, a sign that touches its number belongs to it.
        is_number = isinstance(operand, tree.Number) and operand.text[0] not in "+-"
        if sign != "!" and is_number and operand.span.start == sign.end_pos:
            return tree.Number(sign + operand.text, span=span_of(children))
        return tree.Operation(str(sign), (operand,), span=span_of(children))

    def list(self, children: Children) -> ListOperator:
        return ListOperator(tuple(nodes(children)), span_of(children))

    def arguments(self, children: Children) -> _Arguments:
        separator = [child for child in children if isinstance(child, Token) and child.type == "STRING"]
        text = unquote(separator[0], place_of(separator[0]).start) if separator else None
        distinct, star = has(children, "DISTINCT"), has(children, "STAR")
        return _Arguments(tuple(nodes(children)), distinct, star, text, span_of(children))

    def call(self, children: Children) -> tree.Call:
        name, arguments = children
        function = tree.Name(name.upper(), span=place_of(name)) if isinstance(name, Token) else name
        return tree.Call(
            function, arguments.items, arguments.distinct, arguments.star, arguments.separator, span=span_of(children)
        )


def _is_parenthesis(child: Any) -> bool:
    return isinstance(child, Token) and child.type in ("LPAR", "RPAR")


class PathBuilder(TermBuilder):
    """Property paths."""

    def inverse(self, children: Children) -> tree.InversePath:
        return tree.InversePath(nodes(children)[0], span=span_of(children))

    inverse_step = inverse

    def path_sequence(self, children: Children) -> tree.SequencePath:
        return tree.SequencePath(tuple(nodes(children)), span=span_of(children))

    def path_alternative(self, children: Children) -> tree.AlternativePath:
        return tree.AlternativePath(tuple(nodes(children)), span=span_of(children))

    def repeated(self, children: Children) -> tree.RepeatedPath:
        return tree.RepeatedPath(nodes(children)[0], str(children[-1]), span=span_of(children))

    def negated(self, children: Children) -> tree.NegatedPath:
        return tree.NegatedPath(tuple(nodes(children)), span=span_of(children))


class PatternBuilder(PathBuilder, ExpressionBuilder):
    """Graph patterns."""

    def exists(self, children: Children) -> tree.Exists:
        return tree.Exists(children[-1], has(children, "NOT"), span=span_of(children))

    def group(self, children: Children) -> tree.Group:
        return tree.Group(tuple(nodes(children)), span=span_of(children))

    def union(self, children: Children) -> tree.Union | tree.Group:
        groups = _all(children, tree.Group)
        return groups[0] if len(groups) == 1 else tree.Union(tuple(groups), span=span_of(children))

    def optional(self, children: Children) -> tree.Optional:
        return tree.Optional(children[-1], span=span_of(children))

    def minus(self, children: Children) -> tree.Minus:
        return tree.Minus(children[-1], span=span_of(children))

    def graph(self, children: Children) -> tree.Graph:
        return tree.Graph(children[1], children[2], span=span_of(children))

    def service(self, children: Children) -> tree.Service:
        return tree.Service(children[-2], children[-1], has(children, "SILENT"), span=span_of(children))

    def filter(self, children: Children) -> tree.Filter:
        return tree.Filter(nodes(children)[0], span=span_of(children))

    def bind(self, children: Children) -> tree.Bind:
        return tree.Bind(*nodes(children), span=span_of(children))

    def row(self, children: Children) -> tree.Row:
        return tree.Row(tuple(nodes(children)), span=span_of(children))

    def values(self, children: Children) -> tree.Values:
        return tree.Values(tuple(_all(children, tree.Variable)), _rows(children), span=span_of(children))

    def property(self, children: Children) -> tree.Property:
        verb, *objects = nodes(children)
        return tree.Property(verb, tuple(objects), span=span_of(children))

    def statement(self, children: Children) -> tree.Statement:
        return tree.Statement(children[0], tuple(_all(children, tree.Property)), span=span_of(children))

    def triples(self, children: Children) -> tree.Triples:
        return tree.Triples(tuple(nodes(children)), span=span_of(children))

    def named(self, children: Children) -> tree.Named:
        return tree.Named(*nodes(children), span=span_of(children))

    def sub_select(self, children: Children) -> tree.SubSelect:
        parts, values = _parts(children), _all(children, tree.Values)
        return tree.SubSelect(
            _items(children),
            _all(children, tree.Group)[0],
            distinct=has(children, "DISTINCT"),
            reduced=has(children, "REDUCED"),
            group_by=parts.get("GROUP BY", ()),
            having=parts.get("HAVING", ()),
            order_by=parts.get("ORDER BY", ()),
            limit=parts.get("LIMIT"),
            offset=parts.get("OFFSET"),
            values=values[0] if values else None,
            span=span_of(children),
        )

    def grouping(self, children: Children) -> ClausePart:
        return ClausePart("GROUP BY", tuple(nodes(children)), span_of(children))

    def having(self, children: Children) -> ClausePart:
        return ClausePart("HAVING", tuple(nodes(children)), span_of(children))

    def order(self, children: Children) -> ClausePart:
        return ClausePart("ORDER BY", tuple(nodes(children)), span_of(children))

    def order_key(self, children: Children) -> tree.OrderKey:
        return tree.OrderKey(nodes(children)[0], has(children, "DESC"), span=span_of(children))

    def limit(self, children: Children) -> ClausePart:
        return ClausePart("LIMIT", whole_number(children[1]), span_of(children))

    def offset(self, children: Children) -> ClausePart:
        return ClausePart("OFFSET", whole_number(children[1]), span_of(children))


class SequenceBuilder(PatternBuilder):
    """SEQ( … )."""

    def reference(self, children: Children) -> tree.Reference:
        return tree.Reference(str(children[0]), span=span_of(children))

    def steps(self, children: Children) -> tree.Steps:
        left, right = nodes(children)
        operator = next(child for child in children if isinstance(child, Token) and child.type == "STRATEGY")
        return tree.Steps(left, str(operator), right, span=span_of(children), operator_span=place_of(operator))

    def alternatives(self, children: Children) -> tree.Alternatives:
        return tree.Alternatives(*nodes(children), span=span_of(children))

    def unordered(self, children: Children) -> tree.Unordered:
        return tree.Unordered(tuple(nodes(children)), span=span_of(children))

    def conjuncts(self, children: Children) -> tree.Conjuncts:
        return tree.Conjuncts(*nodes(children), span=span_of(children))

    def quantifier(self, children: Children) -> ClausePart:
        """Its value: the operator or None, and the bounds, or the symbol ``?`` or ``!``."""
        sign, span = str(children[0]), span_of(children)
        operator, symbol = (sign[0], sign[-1]) if sign[0] in ",;:" else (None, sign)
        bounds = {"+": (1, None), "*": (0, None), "{": None}.get(symbol, symbol)
        return ClausePart("quantifier", (operator, _bounds(children, span) if bounds is None else bounds), span)

    def quantified(self, children: Children) -> tree.Sequence:
        body, (operator, bounds) = nodes(children)[0], children[-1].value
        span = span_of(children)
        if isinstance(bounds, tuple):
            least, most = bounds
            return tree.Repeated(body, least, most, operator, span=span)
        return (tree.Possible if bounds == "?" else tree.Negated)(body, span=span)

    def sequence(self, children: Children) -> ClausePart:
        return ClausePart("SEQ", nodes(children)[0], span_of(children))


def whole_number(token: Token) -> int:
    """The number that a token of digits is; Problem if it is too large."""
    if len(token.lstrip("0")) > 9:
        raise Problem("the number is too large", place_of(token), "at most 999,999,999", syntax=True)
    return int(token)


def _bounds(children: Children, span: Span) -> tuple[int, int | None]:
    numbers = [whole_number(child) for child in children if child.type == "INTEGER"]
    least = numbers[0] if children[1].type == "INTEGER" else 0
    most = numbers[-1] if children[-2].type == "INTEGER" else None
    if most is not None and most < least:
        raise Problem(f"at most {most} iterations, but at least {least}", span, f"write {{{most},{least}}}")
    if most == 0:
        raise Problem("a repetition of 0 iterations can never match", span, "use {0,1}, or leave the element out")
    return least, most


class QueryBuilder(SequenceBuilder):
    """The clauses of a query."""

    def select(self, children: Children) -> tree.Select:
        return tree.Select(_items(children), has(children, "DISTINCT"), span=span_of(children))

    def template(self, children: Children) -> tree.Triples:
        return tree.Triples(tuple(nodes(children)), span=span_of(children))

    def construct(self, children: Children) -> tree.Construct:
        name = self.name([children[4]]) if len(children) == 6 else None
        return tree.Construct(children[1].statements, children[-1], name, span=span_of(children))

    def construct_into_name(self, children: Children) -> tree.Construct:
        return tree.Construct(children[1].statements, None, self.name(children[4:]), span=span_of(children))

    def from_stream(self, children: Children) -> tree.StreamClause:
        name = self.name([children[1]]) if len(children) == 3 else None
        return tree.StreamClause(children[-1], name, span=span_of(children))

    def length(self, children: Children) -> ClausePart:
        unit = children[1].upper()
        return ClausePart(
            "length", (_length(children[0]), unit if unit.endswith("S") else unit + "S"), span_of(children)
        )

    def origin(self, children: Children) -> ClausePart:
        return ClausePart("FROM", children[1], span_of(children))

    def within(self, children: Children) -> tree.Window:
        parts = _parts(children)
        length, unit = parts["length"]
        return tree.Window(length, unit, has(children, "SLIDING"), parts.get("FROM"), span=span_of(children))

    def given(self, children: Children) -> tree.Given:
        tokens = (child for child in children if isinstance(child, Token) and child.type == "VAR")
        variables = tuple(self.variable([token]) for token in tokens)
        if not has(children, "RBRACE"):
            return tree.Given(variables, span=span_of(children))
        return tree.Given(variables, _rows(children), span=span_of(children))

    def partition(self, children: Children) -> tree.Partition:
        groups = _all(children, tree.Group)
        using = groups[0] if groups else None
        return tree.Partition(tuple(_all(children, tree.Variable)), using, span=span_of(children))

    def definition(self, children: Children) -> tree.Definition:
        return tree.Definition(self.name([children[2]]), children[4], children[5], span=span_of(children))

    def where(self, children: Children) -> ClausePart:
        sequences = [part for part in _all(children, ClausePart) if part.kind == "SEQ"]
        if not sequences:
            message = "the query has no SEQ( … )"
            raise Problem(
                message, span_of(children), "say in which order the GPMs follow, as in SEQ(A ; B)", syntax=True
            )
        if len(sequences) > 1:
            raise Problem("the query has two SEQ( … )", sequences[1].span, "join them with , ; or :", syntax=True)
        return ClausePart("where", (sequences[0].value, tuple(_all(children, tree.Definition))), span_of(children))

    def group_by(self, children: Children) -> ClausePart:
        return ClausePart("GROUP BY", tuple(nodes(children)), span_of(children))

    def query(self, children: Children) -> tree.Query:
        parts, windows = _parts(children), _all(children, tree.Window)
        partitions, given = _all(children, tree.Partition), _all(children, tree.Given)
        if len(given) > 1:
            raise Problem("GIVEN stands twice", given[1].span, "name all parameters in one", syntax=True)
        if len(windows) > 1:
            raise Problem("WITHIN is given twice", windows[1].span, syntax=True)
        sequence, definitions = parts["where"]
        form = [child for child in children if isinstance(child, tree.Select | tree.Construct)]
        prologue = [child for child in children if isinstance(child, tree.Base | tree.Prefix)]
        return tree.Query(
            tuple(prologue),
            form[0],
            windows[0] if windows else None,
            tuple(_all(children, tree.StreamClause)),
            sequence,
            definitions,
            parts.get("GROUP BY", ()),
            partitions[0] if partitions else None,
            parts.get("HAVING", ()),
            given[0] if given else None,
            span=span_of(children),
        )


def _length(child: Token | tree.Variable) -> tree.Number | tree.Variable:
    """The number of a window."""
    return tree.Number(str(child), span=place_of(child)) if isinstance(child, Token) else child


# ── the grammar ──────────────────────────────────────────────────────────────────────────────────────────
GRAMMAR = Path(__file__).parent / "grammar"


def parse_tree(text: str) -> tree.Query:
    """The syntax tree of ``text``; Problem if it is not a query, too long or nested too deeply."""
    return read_tree(text, grammar(), VOCABULARY, tree.Query)


@cache
def grammar() -> Lark:
    """The parser."""
    return load_grammar(GRAMMAR, QueryBuilder())
