"""A SPARQL query as a graph pattern of ours: its WHERE group if that says it all, else the query as a sub-SELECT."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpm.algebra import Group
from gpm.scope import in_scope
from spaseq.errors import LocatedError
from spaseq.languages.spaseq import parse
from spaseq.pattern.query import AtomDefinition

_DECLARATION = re.compile(r"\s*(#[^\n]*(\n|$)|BASE\s*<[^>]*>|PREFIX\s*(?:[\w.-]*):\s*<[^>]*>)", re.IGNORECASE)
_PLAIN_SELECT = re.compile(
    r"SELECT\s+(?:DISTINCT\s+|REDUCED\s+)?(\*|(?:[?$]\w+\s*)+)\s*(?:WHERE\b)?\s*(?=\{)", re.IGNORECASE
)
_ASK = re.compile(r"ASK\s*(?:WHERE\b)?", re.IGNORECASE)


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
    if asked := _ASK.match(body):
        return Pattern(_group(prologue, body[asked.end() :], base), ())
    form = re.split(r"\W", body, maxsplit=1)[0].upper()
    if form != "SELECT":
        raise InexpressibleError(f"{form} gives no solutions")
    if plain := _PLAIN_SELECT.match(body):
        try:
            return _plain(plain[1], _group(prologue, body[plain.end() :], base))
        except InexpressibleError:
            pass  # something follows the group, or it is refused, which the sub-SELECT will be too
    group = _group(prologue, "{{" + body + "\n}}", base)
    return Pattern(group, tuple(sorted(in_scope(group))))


def _prologue(text: str) -> tuple[str, str]:
    """The declarations, and what follows them."""
    end = 0
    while declaration := _DECLARATION.match(text, end):
        end = declaration.end()
    return text[:end], text[end:].strip()


def _plain(selected: str, group: Group) -> Pattern:
    names = sorted(in_scope(group)) if selected == "*" else re.findall(r"\w+", selected)
    return Pattern(group, tuple(names))


def _group(prologue: str, body: str, base: str) -> Group:
    """The group as SPAseq reads it: a filter on what the pattern does not bind is one of the sequence's, so within."""
    definition = _definition(prologue, body, base)
    return definition.pattern if not definition.stateful else _definition(prologue, "{" + body + "\n}", base).pattern


def _definition(prologue: str, body: str, base: str) -> AtomDefinition:
    query = (
        f"BASE <{base}>\n{prologue}\nSELECT (1 AS ?one) WITHIN 1 DAY FROM STREAM <http://w3c.test/s>\n"
        f"WHERE {{ SEQ(A) DEFINE GPM A ON <http://w3c.test/s> {body}\n}}"
    )
    try:
        return parse(query).query.atoms[0]
    except LocatedError as error:
        raise InexpressibleError(error.message) from None
