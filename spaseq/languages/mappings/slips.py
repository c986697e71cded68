"""The common slips of the pen in mappings, and in which words errors tell what may stand where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from spaseq.languages.node import Span
from spaseq.languages.parsing import Slip, Vocabulary, first_hint, terminals
from spaseq.text import did_you_mean


class MappingSlip(Slip):
    """A slip in a mapping."""

    __slots__ = ()

    @property
    def is_end(self) -> bool:
        """Whether the text ends here."""
        return not (self.word.strip() or self.after.strip())


KEYWORDS = (
    "COLUMN",
    "EACH",
    "EVENT",
    "AT",
    "CONSTRUCT",
    "WHERE",
    "PREFIX",
    "BASE",
    "AS",
    "UNIT",
    "FORMAT",
    "BIND",
    "FILTER",
)
_TEMPLATE = "a template has variables in braces, as in <company/{?id}>"


def hint_for(text: str, span: Span, terminals: Sequence[str], expected: Iterable[str]) -> str:
    """What the slip at ``span`` probably is, or nothing."""
    return first_hint(MappingSlip, _RULES, (text, span, terminals, expected))


def _comment(slip: MappingSlip) -> str:
    return "a comment begins with #" if (slip.word + slip.after)[:2] in ("//", "/*", "--") else ""


def _end(slip: MappingSlip) -> str:
    if not slip.is_end:
        return ""
    if "CONSTRUCT" in slip.expected:
        return "a mapping has CONSTRUCT { … }: the triples of an event"
    return next(
        (f"a {sign} is missing" for name, sign in (("RBRACE", "}"), ("RPAR", ")")) if name in slip.expected), ""
    )


def _query(slip: MappingSlip) -> str:
    """What only queries have."""
    if slip.upper in ("SELECT", "ASK", "DESCRIBE") and "CONSTRUCT" in slip.expected:
        return "a mapping has CONSTRUCT { … }: the triples of an event"
    if slip.upper == "INTO" and slip.previous == "":
        return "a mapping names no stream: that is said where it is used, as in --map stock=trades.map"
    if slip.upper in ("FROM", "WITHIN", "SEQ", "DEFINE"):
        return "a mapping says what a row means; which events follow each other is said by a query"
    return ""


def _column(slip: MappingSlip) -> str:
    if slip.previous in ("COLUMN", "EACH") and "STRING" in slip.expected:
        name = re.match(r"[?$]?([\w.]*)", slip.word + slip.after)
        return f'the name of a column stands in quotes: {slip.previous} "{name[1] if name else ""}" AS ?name'
    if slip.expected == {"AS"} and slip.word[:1] in ("?", "$"):
        return f"AS stands before the variable: AS {slip.word}"
    if "VAR" in slip.expected and slip.previous in ("AS", "AT", "EVENT") and slip.word.isidentifier():
        return f"a variable begins with ?: ?{slip.word}"
    return ""


def _time(slip: MappingSlip) -> str:
    if slip.previous == "FORMAT" and "STRING" in slip.expected:
        return "a format stands in quotes, as in FORMAT '%d.%m.%Y %H:%M'"
    return ""


def _template(slip: MappingSlip) -> str:
    if slip.word == "<" or (slip.word == "{" and slip.before.rstrip()[-1:] not in ("", "}")):
        if not re.match(r"<?[^\s>]*\{", slip.word + slip.after):
            return ""
        return "a template is no verb: BIND it to a variable in WHERE" if "A" in slip.expected else _TEMPLATE
    return ""


def _keyword(slip: MappingSlip) -> str:
    if not slip.word.isalpha():
        return ""
    near = did_you_mean(slip.upper, [word for word in KEYWORDS if _TERMINAL.get(word, word) in slip.expected])
    return near if near.startswith("did") else ""


_TERMINAL = {"UNIT": "UNIT_OF"}
_RULES: tuple[Callable[[MappingSlip], str], ...] = (_comment, _end, _query, _column, _time, _template, _keyword)


# ── what messages call terminals ─────────────────────────────────────────────────────────────────────────
_TERMS = "VAR IRIREF PNAME IRI_TEMPLATE STRING NUMBER BOOLEAN BLANK_NODE LPAR LSQB"
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (terminals("LPAR NAME VAR IRIREF PNAME IRI_TEMPLATE STRING NUMBER BOOLEAN UNARY NOT EXISTS"), "an expression"),
    (terminals("LPAR NAME IRIREF PNAME NOT EXISTS"), "an expression in parentheses"),
    (terminals(f"{_TERMS} SIGNED_NUMBER"), "a term"),
    (terminals(_TERMS), "a triple"),
    (terminals("VAR IRIREF PNAME A BANG CIRCUMFLEX LPAR"), "a property"),
    (terminals("IRIREF PNAME A BANG CIRCUMFLEX LPAR"), "a property"),
    (terminals("OPTIONAL MINUS GRAPH SERVICE FILTER BIND VALUES LBRACE"), "BIND or FILTER"),
    (terminals("COLUMN EACH EVENT AT"), "a clause (COLUMN, EACH, EVENT or AT)"),
    (terminals("BASE PREFIX"), "a declaration (PREFIX or BASE)"),
    (terminals("PLUS STAR QMARK VBAR SLASH"), "a path operator"),
    (terminals("IRIREF PNAME"), "an IRI"),
    (terminals("IN OPERATOR NOT"), "an operator"),
    (terminals("LANGTAG __CARET"), "a language or datatype"),
)
_TERMINALS = {
    "NAME": "a name",
    "VAR": "a variable",
    "IRIREF": "<IRI>",
    "IRI_TEMPLATE": "a template such as <item/{?id}>",
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
    "UNIT_OF": "UNIT",
    "A": "a",
    "$END": "the end of the mapping",
}
_WORD = re.compile(r"[?$]?\w[\w-]*(:[\w-]*)?|[+-]\d+|[^\w\s]")
VOCABULARY = Vocabulary(
    _GROUPS, _TERMINALS, hint_for, _WORD, instead="a mapping says what one row means", what="mapping"
)
