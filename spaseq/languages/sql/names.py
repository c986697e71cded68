"""Names and texts as SQL writes them, both ways, and which name a name fits."""

from __future__ import annotations

import re
from collections.abc import Iterable

from spaseq.languages.sql import tree

RESERVED = frozenset({
    "SELECT", "FROM", "AS", "OR", "AND", "NOT", "IN", "IS", "NULL", "LIKE", "BETWEEN", "DISTINCT", "CASE", "WHEN",
    "THEN", "ELSE", "END", "TRUE", "FALSE",
})  # fmt: skip
# Words that a clause begins with, or that follow a name somewhere: they are quoted when printed, and need not be.
_ELSEWHERE = frozenset({
    "ORDER", "PARTITION", "BY", "MEASURES", "ONE", "ALL", "AFTER", "PATTERN", "WITHIN", "SUBSET", "DEFINE",
    "MATCH_RECOGNIZE", "ASC", "DESC", "NULLS", "FIRST", "LAST", "NEXT", "ESCAPE", "FOR", "TO", "INITIAL", "SEEK",
    "PERMUTE", "CAST", "TRY_CAST", "EXTRACT", "DATE", "TIMESTAMP", "INTERVAL", "RUNNING", "FINAL",
})  # fmt: skip
_PLAIN = re.compile(r"[^\W\d]\w*")


def plain_name(token: str) -> tuple[str, bool]:
    """The name that a token writes, and whether it is in quotes."""
    quoted = token.startswith('"')
    return (token[1:-1].replace('""', '"'), True) if quoted else (str(token), False)


def written_name(name: tree.Name) -> str:
    """A name as it can stand anywhere and means the same."""
    is_plain = not name.quoted and _PLAIN.fullmatch(name.text) and name.text.upper() not in RESERVED | _ELSEWHERE
    return name.text if is_plain else quoted_name(name.text)


def quoted_name(text: str) -> str:
    """A name in double quotes."""
    return '"' + text.replace('"', '""') + '"'


def plain_text(token: str) -> str:
    """The text of a string."""
    return token[1:-1].replace("''", "'")


def written_text(text: str) -> str:
    """A text as a string in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def variable_of(name: tree.Name) -> str:
    """What a pattern variable is called: in capitals, unless in quotes."""
    return name.text if name.quoted else name.text.upper()


def fitting(name: tree.Name, columns: Iterable[str]) -> list[str]:
    """The columns that a name may mean: the one that is spelled so; else, without quotes, those that differ in case."""
    known = list(columns)
    if name.text in known:
        return [name.text]
    folded = name.text.casefold()
    return [] if name.quoted else [column for column in known if column.casefold() == folded]
