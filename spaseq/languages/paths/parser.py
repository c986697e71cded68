"""Text to syntax tree: the grammar, loaded once, and a method for each of its rules, without state."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from lark import Lark, Token

from spaseq.languages.grammars import load_grammar
from spaseq.languages.node import Children, Span, has, nodes, place_of, span_of
from spaseq.languages.parsing import read_tree
from spaseq.languages.paths import tree
from spaseq.languages.paths.slips import VOCABULARY
from spaseq.languages.paths.tree import RESERVED
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq.parser import ExpressionBuilder, whole_number
from spaseq.languages.spaseq.terms import unquote
from spaseq.pattern.paths import Restrictor, SelectorKind

MOST_REPETITIONS = 1_000
_BOUNDS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class _Bounds(NamedTuple):
    least: int
    most: int | None
    span: Span


class _Clause(NamedTuple):
    """A part of a query on its way there: the field that it fills, and its value."""

    field: str
    value: Any
    span: Span


class PathExpressionBuilder(ExpressionBuilder):
    """Path expressions."""

    def inverse(self, children: Children) -> tree.Inverse:
        return tree.Inverse(nodes(children)[0], span=span_of(children))

    def inverse_step(self, children: Children) -> tree.InverseIri:
        return tree.InverseIri(nodes(children)[0], span=span_of(children))

    def path_sequence(self, children: Children) -> tree.Sequence:
        return tree.Sequence(tuple(nodes(children)), span=span_of(children))

    def path_alternative(self, children: Children) -> tree.Alternatives:
        return tree.Alternatives(tuple(nodes(children)), span=span_of(children))

    def negated(self, children: Children) -> tree.Negated:
        return tree.Negated(tuple(nodes(children)), span=span_of(children))

    def bounds(self, children: Children) -> _Bounds:
        numbers = [_repetitions(child) for child in children if child.type == "INTEGER"]
        least = numbers[0] if children[1].type == "INTEGER" else 0
        most = numbers[-1] if children[-2].type == "INTEGER" else None
        if most is not None and most < least:
            message = f"at most {most} repetitions, but at least {least}"
            raise Problem(message, span_of(children), f"write {{{most},{least}}}")
        return _Bounds(least, most, span_of(children))

    def repeated(self, children: Children) -> tree.Repeated:
        last = children[-1]
        least, most = last[:2] if isinstance(last, _Bounds) else _BOUNDS[last]
        return tree.Repeated(nodes(children)[0], least, most, span=span_of(children))

    def condition(self, children: Children) -> tree.Condition:
        variable = self.variable(children[1:2])
        return tree.Condition(variable, nodes(children)[0], span=span_of(children))

    def exists(self, children: Children) -> NoReturn:
        raise exists_refused(span_of(children))


def _repetitions(token: Token) -> int:
    number = whole_number(token)
    if number > MOST_REPETITIONS:
        message = f"{number:,} repetitions are too many"
        hint = f"at most {MOST_REPETITIONS:,}; without a bound it is written {{1,}} or +"
        raise Problem(message, place_of(token), hint)
    return number


class PathQueryBuilder(PathExpressionBuilder):
    """The parts of a query."""

    def label(self, children: Children) -> tree.Label:
        return tree.Label(unquote(children[1], place_of(children[1]).start), span=span_of(children))

    def starts(self, children: Children) -> _Clause:
        return _Clause("starts", tuple(nodes(children)), span_of(children))

    def ends(self, children: Children) -> _Clause:
        return _Clause("ends", tuple(nodes(children)), span_of(children))

    def not_back(self, children: Children) -> _Clause:
        return _Clause("not_back", True, span_of(children))

    def selector(self, children: Children) -> _Clause:
        count = whole_number(children[-1]) if has(children, "INTEGER") else 1
        if not count:
            raise Problem(
                f"{children[0].upper()} 0 asks for no path", span_of(children), "the number of paths is 1 or more"
            )
        kind = SelectorKind(" ".join(child.upper() for child in children if child.type != "INTEGER"))
        return _Clause("selector", tree.Selector(kind, count, span=span_of(children)), span_of(children))

    def restrictor(self, children: Children) -> _Clause:
        kind = Restrictor(children[0].upper())
        return _Clause("restriction", tree.Restriction(kind, span=span_of(children)), span_of(children))

    def path_query(self, children: Children) -> tree.Query:
        name, path = nodes(children)
        if name.text.upper() in RESERVED:
            message = f"{name.text} is a word of the language, and no name of a query"
            raise Problem(message, name.span, f"name the query: QUERY name {name.text} …", syntax=True)
        parts = {part.field: part.value for part in children if isinstance(part, _Clause)}
        return tree.Query(name, path, **parts, span=span_of(children))

    def queries(self, children: Children) -> tree.Queries:
        return tree.Queries(tuple(children), span=span_of(children))


def exists_refused(span: Span) -> Problem:
    """What to say about an EXISTS."""
    message = "EXISTS cannot stand in the condition of a node: it is about one node, and not about its edges"
    return Problem(message, span, "follow edges by steps, as in :p/^:p")


# ── the grammar ──────────────────────────────────────────────────────────────────────────────────────────
GRAMMAR = Path(__file__).parent / "grammar"


def parse_tree(text: str) -> tree.Queries:
    """The syntax tree of ``text``; Problem if it has no queries, is too long or nested too deeply."""
    return read_tree(text, grammar(), VOCABULARY, tree.Queries)


@cache
def grammar() -> Lark:
    """The parser."""
    return load_grammar(GRAMMAR, PathQueryBuilder())
