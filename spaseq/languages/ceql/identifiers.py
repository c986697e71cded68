"""Names and strings as they are written, both ways."""

from __future__ import annotations

import re

STRATEGIES = ("ALL", "ANY", "NEXT", "LAST", "MAX", "STRICT")
_CLAUSES = {"SELECT", "FROM", "WHERE", "FILTER", "PARTITION", "WITHIN", "LIMIT", "CONSUME"}
_OPERATORS = {"AS", "OR", "AND", "NOT", "IN", "LIKE", "IS", "NULL", "BETWEEN", "TRUE", "FALSE"}
RESERVED = frozenset(_CLAUSES | _OPERATORS)
_PLAIN = re.compile(r"[^\W\d]\w*")
_ESCAPE = re.compile(r"''|\\(.)")
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "'": "'", "\\": "\\"}
_ESCAPES = {character: "\\" + letter for letter, character in _CHARACTERS.items() if letter != "'"} | {"'": "''"}


def plain_name(token: str) -> str:
    """The name that ``token`` writes, with or without backquotes."""
    return token[1:-1].replace("``", "`") if token.startswith("`") else str(token)


def written_name(name: str) -> str:
    """``name`` as it can stand anywhere: in backquotes if it is no word, or a word that means something."""
    if _PLAIN.fullmatch(name) and name.upper() not in RESERVED.union(STRATEGIES):
        return name
    return "`" + name.replace("`", "``") + "`"


def plain_text(token: str) -> str:
    r"""The text of a string: ``''`` and ``\'`` are a quote, ``\\ \n \r \t`` as usual; other backslashes stay."""
    return _ESCAPE.sub(lambda match: _CHARACTERS.get(match[1], match[0]) if match[1] else "'", token[1:-1])


def written_text(text: str) -> str:
    """``text`` as a string in single quotes."""
    return "'" + re.sub(r"[\n\r\t'\\]", lambda match: _ESCAPES[match[0]], text) + "'"
