"""Queries with parameters (semantics.md 3.7): constants become parameters, and each row is a query of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .chooser import Chooser, Seeded
from .evaluate import Result, evaluate
from .expressions import Binary, Const, Iri, Var
from .generate import BASE, Maker, Size
from .model import Column, Event, Gpm, Query, Select
from .text import to_text
from .values import XSD

LENGTH = 987_654  # stands for a window's length that is given
NAMES = re.compile(r":[A-Za-z]\w*")


@dataclass(frozen=True)
class GivenCase:
    """A query as text, its parameters and distinct rows (terms as the query writes them), and events.

    ``queries`` are what the rows mean, one for each.
    """

    text: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    queries: tuple[Query, ...]
    events: tuple[Event, ...]

    @property
    def with_rows(self) -> str:
        """The text with its rows in it."""
        rows = " ".join(f"({' '.join(row)})" for row in self.rows)
        return self.text.replace(self.head, f"GIVEN ({' '.join('?' + name for name in self.names)}) {{ {rows} }}")

    @property
    def head(self) -> str:
        """The clause as it stands in the text."""
        return "GIVEN " + " ".join(f"?{name}" for name in self.names)

    def wanted(self) -> list[list[Result]]:
        """The results of each row, with the parameters where ``*`` shows them."""
        return [self._wanted(query, row) for query, row in zip(self.queries, self.rows, strict=True)]

    def _wanted(self, query: Query, row: tuple[str, ...]) -> list[Result]:
        found = evaluate(query, self.events)
        if query.select.items is not None:
            return found
        given = [(name, canonical(term)) for name, term in zip(self.names, row, strict=True)]
        return [replace(one, row=tuple(sorted((*one.row, *given)))) for one in found]


def canonical(term: str) -> str:
    """A term of a row as results show it."""
    return f"<{BASE}{term[1:]}>" if term.startswith(":") else f'"{term}"^^<{XSD}integer>'


def random_case(seed: int, size: Size | None = None) -> GivenCase:
    """The case of a seed."""
    return make_case(Seeded(seed), size or Size())


def make_case(chooser: Chooser, size: Size) -> GivenCase:
    """A case made by a chooser's choices."""
    pair = Maker(chooser, size).pair()
    template, row = _Template(chooser).of(pair.query)
    names = [f"given{number}" for number in range(len(row))] + ["label"] * (not row or chooser.chance(30))
    first = row + ["1"] * (len(names) - len(row))
    rows = [first, *([_other(chooser, term, pair.query) for term in first] for _ in range(chooser.integer(0, 3)))]
    distinct = tuple(dict.fromkeys(map(tuple, rows)))
    queries = tuple(_bound(template, one) for one in distinct)
    return GivenCase(_text(template, names), tuple(names), distinct, queries, pair.events)


class _Template:
    """Puts placeholders where a query has constants."""

    def __init__(self, chooser: Chooser) -> None:
        self.chooser = chooser
        self.row: list[str] = []

    def of(self, query: Query) -> tuple[Query, list[str]]:
        """The query with placeholders, and the terms that stood there."""
        gpms = tuple(self.filtered(self.pattern(gpm)) for gpm in query.gpms)
        found = replace(query, gpms=gpms, select=self.select(query.select))
        if query.window and query.window.unit != "SECOND" and self.chooser.chance(40):
            self.row.append(str(query.window.length))
            found = replace(found, window=replace(query.window, length=LENGTH + len(self.row) - 1))
        return found, self.row

    def place(self, term: str) -> str:
        """A new placeholder."""
        self.row.append(term)
        return f":given{len(self.row) - 1}"

    def pattern(self, gpm: Gpm) -> Gpm:
        """A constant of the pattern, now and then."""
        found = list(NAMES.finditer(gpm.pattern))
        if not found or not self.chooser.chance(60):
            return gpm
        one = self.chooser.pick(tuple(found))
        return replace(gpm, pattern=gpm.pattern[: one.start()] + self.place(one[0]) + gpm.pattern[one.end() :])

    def filtered(self, gpm: Gpm) -> Gpm:
        """One more filter, now and then."""
        if not self.chooser.chance(50):
            return gpm
        operator = self.chooser.pick((">", "<", "!=", ">=", "="))
        limit = Const(Iri(BASE + self.place(str(self.chooser.integer(1, 3)))[1:]))
        return replace(gpm, filters=(*gpm.filters, Binary(operator, Var(self.chooser.pick(gpm.variables)), limit)))

    def select(self, select: Select) -> Select:
        """A parameter among other items, now and then."""
        if not self.row or select.items is None or select.distinct or not self.chooser.chance(30):
            return select
        return replace(select, items=(*select.items, Column(Const(Iri(BASE + "given0")), "given0")))


def _other(chooser: Chooser, term: str, query: Query) -> str:
    """Another term of the same kind, or the same."""
    if not term.startswith(":"):
        return str(chooser.integer(1, 4))
    return chooser.pick(tuple(dict.fromkeys(name for gpm in query.gpms for name in NAMES.findall(gpm.pattern))))


def _text(template: Query, names: list[str]) -> str:
    """The template as text, with the parameters."""
    text = to_text(template)
    for number, name in enumerate(names):
        iri = f"<{BASE}{name}>"
        text = text.replace(f"({iri} AS ?{name})", f"?{name}").replace(iri, f"?{name}")
        text = re.sub(rf":{name}\b", f"?{name}", text).replace(f"WITHIN {LENGTH + number} ", f"WITHIN ?{name} ")
    return text.replace("WHERE {", "GIVEN " + " ".join(f"?{name}" for name in names) + "\nWHERE {", 1)


# ── what a row means ─────────────────────────────────────────────────────────────────────────────────────
def _bound(template: Query, row: tuple[str, ...]) -> Query:
    terms = {f"given{number}": term for number, term in enumerate(row)}
    gpms = tuple(replace(gpm, pattern=_put(gpm.pattern, terms), filters=_filters(gpm, terms)) for gpm in template.gpms)
    items = template.select.items
    select = template.select if items is None else replace(template.select, items=tuple(_items(items, terms)))
    window = template.window
    if window is not None and window.length >= LENGTH:
        window = replace(window, length=int(row[window.length - LENGTH]))
    return replace(template, gpms=gpms, select=select, window=window)


def _put(pattern: str, terms: dict[str, str]) -> str:
    for name, term in terms.items():
        pattern = re.sub(rf":{name}\b", term, pattern)
    return pattern


def _filters(gpm: Gpm, terms: dict[str, str]) -> tuple[object, ...]:
    return tuple(
        replace(one, right=_constant(one.right, terms)) if isinstance(one, Binary) else one for one in gpm.filters
    )


def _items(items: tuple[str | Column, ...], terms: dict[str, str]) -> Iterator[str | Column]:
    for item in items:
        yield item if isinstance(item, str) else replace(item, expression=_constant(item.expression, terms))


def _constant(expression: object, terms: dict[str, str]) -> object:
    if isinstance(expression, Const) and isinstance(expression.value, Iri):
        term = terms.get(expression.value.text.removeprefix(BASE))
        if term is not None:
            return Const(Iri(BASE + term[1:])) if term.startswith(":") else Const(int(term))
    return expression
