"""How messages call what the grammar of CEQL names: terminals that are one thing to a reader, and plain words."""

from __future__ import annotations

import re

from spaseq.languages.ceql.slips import hint_for
from spaseq.languages.expectation import Vocabulary, terminals

_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (terminals("BOOLEAN LPAR MINUS NAME NOT NULL NUMBER PLUS STRING"), "a condition"),
    (terminals("BOOLEAN LPAR MINUS NAME NULL NUMBER PLUS STRING"), "a value"),
    (terminals("BOOLEAN MINUS NULL NUMBER PLUS STRING"), "a constant"),
    (terminals("MINUS NUMBER PLUS"), "a number"),
    (terminals("MINUS PERCENT PLUS SLASH STAR"), "an arithmetic operator"),
    (terminals("BETWEEN COMPARISON IN IS LIKE MORETHAN NOT"), "a comparison"),
    (terminals("BETWEEN IN LIKE"), "BETWEEN, IN or LIKE"),
    (terminals("MINUS PLUS"), "+ or -"),
    (terminals("CONTIGUOUS_PLUS PLUS"), "+ or :+"),
    (terminals("COLON SEMICOLON"), "; or :"),
    (terminals("CONSUME GROUP LIMIT PARTITION WITHIN"), "PARTITION BY, WITHIN, LIMIT, CONSUME BY or GROUP BY"),
    (terminals("EVENTS LSQB UNIT"), "a unit (MILLISECONDS, SECONDS, MINUTES, HOURS, DAYS, EVENTS or [attribute])"),
)
_WORDS = {
    "AGGREGATE": "COUNT(*), SUM(…), AVG(…), MIN(…) or MAX(…)",
    "BOOLEAN": "TRUE or FALSE",
    "COMPARISON": "a comparison",
    "CONTIGUOUS_PLUS": ":+",
    "DOTS": "..",
    "NAME": "a name",
    "NUMBER": "a number",
    "POLICY": "ANY, PARTITION or NONE",
    "STRATEGY": "a strategy (ALL, ANY, NEXT, LAST, MAX or STRICT)",
    "STRING": "a string",
    "UNIT": "another duration",
    "WORD": "a name",
    "$END": "the end of the query",
}
_WORD = re.compile(r"`[^`\n]*`|\w+(\.\d+)?|:\+|\.\.|->|=>|&&|\|\||[=!<>]=|<>|[^\w\s]")
VOCABULARY = Vocabulary(_GROUPS, _WORDS, hint_for, _WORD)
