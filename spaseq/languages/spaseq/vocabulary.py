"""How messages call what the grammar of SPAseq names: terminals that are one thing to a reader, and plain words."""

from __future__ import annotations

import re

from spaseq.languages.expectation import Vocabulary, terminals
from spaseq.languages.spaseq.slips import hint_for

_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (terminals("LPAR NAME VAR IRIREF PNAME STRING NUMBER BOOLEAN UNARY NOT EXISTS"), "an expression"),
    (terminals("LPAR NAME IRIREF PNAME NOT EXISTS"), "an expression in parentheses"),
    (terminals("VAR IRIREF PNAME STRING NUMBER SIGNED_NUMBER BOOLEAN BLANK_NODE LPAR LSQB"), "a term"),
    (terminals("VAR IRIREF PNAME STRING NUMBER BOOLEAN BLANK_NODE LPAR LSQB"), "a triple"),
    (terminals("VAR IRIREF PNAME A BANG CIRCUMFLEX LPAR"), "a property"),
    (terminals("IRIREF PNAME A BANG CIRCUMFLEX LPAR"), "a property path"),
    (terminals("IRIREF PNAME STRING NUMBER SIGNED_NUMBER BOOLEAN UNDEF"), "a value"),
    (terminals("OPTIONAL MINUS GRAPH SERVICE FILTER BIND VALUES LBRACE"), "OPTIONAL, FILTER, BIND or the like"),
    (
        terminals("PLUS STAR QMARK BANG LBRACE ITERATED_PLUS ITERATED_STAR ITERATED_BRACE"),
        "a quantifier (+ * ? ! {n,m})",
    ),
    (terminals("PLUS STAR QMARK VBAR SLASH"), "a path operator"),
    (terminals("IRIREF PNAME"), "an IRI"),
    (terminals("IN OPERATOR NOT"), "an operator"),
    (terminals("NUMBER SIGNED_NUMBER"), "a number"),
    (terminals("UNIT EVENTS"), "a unit (MILLISECONDS, SECONDS, MINUTES, HOURS, DAYS or EVENTS)"),
    (terminals("LANGTAG __CARET"), "a language or datatype"),
)
_WORDS = {
    "NAME": "a name",
    "VAR": "a variable",
    "IRIREF": "<IRI>",
    "PNAME": "a prefixed name",
    "PNAME_NS": "a prefix such as ex:",
    "STRING": "a string",
    "NUMBER": "a number",
    "INTEGER": "a whole number",
    "SIGNED_NUMBER": "a number",
    "BOOLEAN": "true or false",
    "BLANK_NODE": "a blank node",
    "LANGTAG": "a language tag",
    "OPERATOR": "an operator",
    "UNARY": "a sign",
    "STRATEGY": "an operator , ; or :",
    "FROM_STREAM": "FROM STREAM",
    "A": "a",
    "$END": "the end of the query",
}
_WORD = re.compile(r"[?$]?\w[\w-]*(:[\w-]*)?|[+-]\d+|&&|\|\||->|=>|==|<>|[^\w\s]")
VOCABULARY = Vocabulary(_GROUPS, _WORDS, hint_for, _WORD, {"FROM": ("STREAM", "a date and time")})
