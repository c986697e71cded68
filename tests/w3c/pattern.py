"""A SPARQL query as a graph pattern of ours: its WHERE group if that says it all, else the query as a sub-SELECT."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpm.algebra import Aggregate, Bind, Group, SubSelect, Variable
from gpm.rewrite import walk
from gpm.scope import in_scope
from spaseq.errors import LocatedError
from spaseq.languages.spaseq import parse

_DECLARATION = re.compile(r"\s*(#[^\n]*(\n|$)|BASE\s*<[^>]*>|PREFIX\s*(?:[\w.-]*):\s*<[^>]*>)", re.IGNORECASE)
_ASK = re.compile(r"ASK\b", re.IGNORECASE)


@dataclass(frozen=True)
class Pattern:
    """A graph pattern with the variables of its solutions that count; none for ASK."""

    group: Group
    variables: tuple[str, ...]


class InexpressibleError(Exception):
    """Why a query has no meaning as one graph pattern."""


def as_pattern(text: str, base: str) -> Pattern:
    """The pattern of a query.  InexpressibleError: it is CONSTRUCT or DESCRIBE, or the language refuses it."""
    prologue, body = _prologue(text)
    form = re.split(r"\W", body, maxsplit=1)[0].upper()
    if form not in ("SELECT", "ASK"):
        raise InexpressibleError(f"{form} gives no solutions")
    select = _sub_select(prologue, _ASK.sub("SELECT *", body, count=1) if form == "ASK" else body, base)
    group = _without_select(select)
    return Pattern(group, () if form == "ASK" else tuple(sorted(in_scope(Group((select,))))))


def _prologue(text: str) -> tuple[str, str]:
    """The declarations, and what follows them."""
    end = 0
    while declaration := _DECLARATION.match(text, end):
        end = declaration.end()
    return text[:end], text[end:].strip()


def _sub_select(prologue: str, body: str, base: str) -> SubSelect:
    """The query as SPAseq reads it, inside of a graph pattern."""
    query = (
        f"BASE <{base}>\n{prologue}\nSELECT (1 AS ?one) WITHIN 1 DAY FROM STREAM <http://w3c.test/s>\n"
        f"WHERE {{ SEQ(A) DEFINE GPM A ON <http://w3c.test/s> {{{{ {body}\n}}}}\n}}"
    )
    try:
        pattern = parse(query).query.atoms[0].pattern
    except LocatedError as error:
        raise InexpressibleError(error.message) from None
    return next(part for part in walk(pattern) if isinstance(part, SubSelect))


def _without_select(select: SubSelect) -> Group:
    """The same solutions, as a set, without SELECT if it only names and computes; its order has no meaning here."""
    computed = [one for one in select.projections or () if one.expression != Variable(one.name)]
    counts = select.group_by or select.having or any(isinstance(part, Aggregate) for part in walk(tuple(computed)))
    if counts or select.limit is not None or select.offset is not None:
        return Group((select,))
    binds = [Bind(one.expression, Variable(one.name)) for one in computed]
    if not binds and select.values is None:
        return select.group
    values = () if select.values is None else (select.values,)
    return Group((select.group, *values, *binds))
