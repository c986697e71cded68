"""How messages call what the grammar of path queries names: terminals that are one thing to a reader, plain words."""

from __future__ import annotations

import re

from spaseq.languages.expectation import Vocabulary, terminals
from spaseq.languages.paths.slips import hint_for

_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (terminals("BOOLEAN EXISTS IRIREF LPAR NAME NOT NUMBER PNAME STRING UNARY VAR"), "an expression"),
    (terminals("A BANG CIRCUMFLEX IRIREF LPAR LSQB PNAME"), "a path expression"),
    (terminals("A BANG IRIREF LPAR LSQB PNAME"), "a step or parentheses"),
    (terminals("IRIREF LABEL PNAME"), 'an IRI or LABEL "…"'),
    (terminals("A CIRCUMFLEX IRIREF PNAME"), "an IRI or ^ and an IRI"),
    (terminals("A IRIREF PNAME"), "an IRI"),
    (terminals("IRIREF PNAME"), "an IRI"),
    (terminals("ALL ANY SHORTEST"), "a selector (ALL, ANY or SHORTEST)"),
    (terminals("LBRACE PLUS QMARK STAR"), "a repetition (* + ? {n,m})"),
    (terminals("SLASH VBAR"), "/ or |"),
    (terminals("BASE PREFIX QUERY"), "PREFIX, BASE or QUERY"),
    (terminals("IN OPERATOR NOT"), "an operator"),
    (terminals("LANGTAG __CARET"), "a language or datatype"),
)
_WORDS = {
    "BOOLEAN": "true or false",
    "COLON": "':'",
    "INTEGER": "a whole number",
    "IRIREF": "<IRI>",
    "LABEL": 'LABEL "…"',
    "LANGTAG": "a language tag",
    "NAME": "a name",
    "NOT": "NOT BACK TO START",
    "NUMBER": "a number",
    "OPERATOR": "an operator",
    "PATHS": "PATHS",
    "PNAME": "a prefixed name",
    "PNAME_NS": "a prefix such as ex:",
    "RESTRICTOR": "a restrictor (WALK, TRAIL, ACYCLIC or SIMPLE)",
    "STRING": "a string",
    "UNARY": "a sign",
    "VAR": "a variable",
    "$END": "the end of the queries",
}
_WORD = re.compile(r"[?$]?\w[\w-]*(:[\w-]*)?|:\w[\w-]*|-\[|<?->|<-|\.\.|&&|\|\||==|<>|[^\w\s]")
_MANY = "one query can have many starts; the program gives them if there is no FROM"
VOCABULARY = Vocabulary(_GROUPS, _WORDS, hint_for, _WORD, instead=_MANY)
