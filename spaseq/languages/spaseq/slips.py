"""The common slips of the pen, and habits of those who know another language: what to say, and in which words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from spaseq.languages.node import Span
from spaseq.languages.parsing import Slip, Vocabulary, first_hint, terminals
from spaseq.text import did_you_mean


class QuerySlip(Slip):
    """A slip in a query, and where in the query it is."""

    __slots__ = ()

    @property
    def in_sequence(self) -> bool:
        """Within SEQ( … )."""
        return "SEQ" in self.terminals

    @property
    def operator(self) -> str:
        """The last operator of SEQ before the place, if it is the last thing there."""
        return "&&" if self.before.rstrip().endswith("&&") else self.last

    @property
    def in_pattern(self) -> bool:
        """Within the braces of a GPM."""
        return "DEFINE" in self.terminals and "LBRACE" in self.terminals[self.terminals.index("DEFINE") :]


# ── habits ───────────────────────────────────────────────────────────────────────────────────────────────
_TIMES = frozenset({"TIMESTAMP", "TIME", "EVENT_TIME", "EVENTTIME", "CURRENT_TIMESTAMP", "GETDATE"})
_STEPS = frozenset({"SLIDE", "STEP", "HOP", "HOPPING", "EVERY", "ADVANCE"})
_TIME_OF_EVENT = "NOW() is the time of a GPM's event: BIND(NOW() AS ?t) in its braces"


def habit(slip: QuerySlip) -> str:
    """The hint for a habit, or nothing."""
    found = (_comment(slip), _negation(slip), _dotted(slip), _late_window(slip), _step(slip), _time(slip))
    return next(filter(None, found), "")


def function_hint(name: str) -> str:
    """What an unknown function most likely stands for, where no similar name says it."""
    return _TIME_OF_EVENT if name in _TIMES else ""


def _comment(slip: QuerySlip) -> str:
    begins = (slip.word + slip.after)[:2]
    return "a comment begins with #" if begins in ("//", "/*", "--") else ""


def _negation(slip: QuerySlip) -> str:
    if slip.in_sequence and re.search(r"\bNOT\s*$", slip.before, re.IGNORECASE) and slip.word.isidentifier():
        return f"a negation is written behind its GPM: {slip.word}!"
    return ""


def _dotted(slip: QuerySlip) -> str:
    """``A.p1``, as in SQL."""
    text = slip.before[-100:] + slip.word + slip.after[:100]
    place = len(slip.before[-100:])
    for found in re.finditer(r"[?$]?[A-Za-z_]\w*\.[?$]?([A-Za-z_]\w*)", text):
        if found.start() <= place < found.end() and "DOT" not in slip.expected:
            return f"GPMs join by the names of their variables: write ?{found[1]}, the variable that its GPM binds"
    return ""


def _late_window(slip: QuerySlip) -> str:
    if slip.word.upper() == "WITHIN" and re.search(r"\b(WHERE|SEQ)\b", slip.all_before, re.IGNORECASE):
        return "WITHIN stands before WHERE"
    return ""


def _step(slip: QuerySlip) -> str:
    """``SLIDE 5 MINUTES``."""
    behind = re.search(r"\bWITHIN\s+\d+\s+\w+\s+(SLIDING\s+)?$", slip.before, re.IGNORECASE)
    if behind and (slip.word.upper() in _STEPS or (behind[1] and slip.word.isdigit())):
        return "a sliding window moves with every event, there is no step: write SLIDING alone"
    return ""


def _time(slip: QuerySlip) -> str:
    """``TIMESTAMP(A)``."""
    found = re.search(r"\b(\w+)\s*\(\s*\w*\s*$", slip.before)
    return _TIME_OF_EVENT if found and found[1].upper() in _TIMES else ""


# ── slips ────────────────────────────────────────────────────────────────────────────────────────────────
KEYWORDS = tuple(
    re.findall(
        r"\w+",
        "SELECT DISTINCT CONSTRUCT INTO STREAM WITHIN SLIDING FROM WHERE SEQ DEFINE GPM ON GROUP BY HAVING AS PREFIX "
        "BASE GIVEN PARTITION USING OPTIONAL UNION MINUS GRAPH FILTER BIND VALUES "
        "EVENTS MILLISECONDS SECONDS MINUTES HOURS DAYS",
    )
)


def hint_for(text: str, span: Span, terminals: Sequence[str], expected: Iterable[str]) -> str:
    """What the slip at ``span`` probably is, or nothing."""
    return first_hint(QuerySlip, _RULES, (text, span, terminals, expected))


def _end(slip: QuerySlip) -> str:
    if slip.expected == {"RPAR"}:
        return "a ) is missing"
    if slip.word.strip() or slip.after.strip():
        return ""
    if "RBRACE" in slip.expected:
        return "a } is missing"
    return "a ) is missing" if "RPAR" in slip.expected else ""


def _sequence(slip: QuerySlip) -> str:
    if not slip.in_sequence:
        return ""
    if slip.word == ")" and slip.last == "(":
        return "name at least one GPM, as in SEQ(A)"
    if slip.word == ")" and slip.last in ",;:&|":
        return f"{slip.operator} is left before ): remove it, or add the GPM that follows"
    if slip.word == "}" or slip.word.upper() == "DEFINE":
        return "a ) is missing"
    if slip.word in ("&", "&&", "|") and slip.last == slip.word[0]:
        return "the operator is written |" if slip.last == "|" else AMPERSANDS
    if slip.word in _SEQUENCE_SIGNS:
        return _SEQUENCE_SIGNS[slip.word]
    if slip.word.upper() in _SEQUENCE_WORDS:
        return _SEQUENCE_WORDS[slip.word.upper()]
    return _sequence_shape(slip)


def _sequence_shape(slip: QuerySlip) -> str:
    if slip.word[:1] in "?$<" or ":" in slip.word[1:]:
        return "SEQ holds names of GPMs only; graph patterns belong into DEFINE GPM"
    if "LBRACE" in slip.terminals[-2:] or "ITERATED_BRACE" in slip.terminals[-3:] or slip.word == "-":
        return "bounds are written {2}, {2,}, {,3} or {2,3}"
    if slip.word[:1].isalpha() and "STRATEGY" in slip.expected:
        return "put an operator between two GPMs: , (next event), ; (next that fits) or : (any later one)"
    return ""


AMPERSANDS = "the operators are & (at one time) and && (in any order)"
_SEQUENCE_SIGNS = {
    ".": "GPMs are joined by , ; or : (there is no full stop)",
    "||": "the operator is written |",
    "->": "GPMs are joined by , ; or :",
    ">": "GPMs are joined by , ; or :",
    "^": "a negation is written A!",
    "~": "a negation is written A!",
    "!": "a negation is written behind its GPM: A!",
    "/": "GPMs are joined by , ; or :",
}
_SEQUENCE_WORDS = {
    "AND": AMPERSANDS,
    "ALL": "the operator is written && (and if this is CEQL: its ; is written : here, and its : is written ,)",
    "OR": "the operator is written | (and if this is CEQL: its ; is written : here, and its : is written ,)",
    "NOT": "a negation is written behind its GPM: A!",
    "AS": "this looks like CEQL, whose ; is written : here, and whose : is written ,; names come from DEFINE GPM",
    "FILTER": "this looks like CEQL, whose ; is written : here, and whose : is written ,; filters stand in DEFINE GPM",
}


def _window(slip: QuerySlip) -> str:
    written = re.search(r"WITHIN\s*\(?\s*[+-]?[\d.]+\s*$", slip.before, re.IGNORECASE)
    if written and "UNIT" in slip.expected:
        unit = did_you_mean(slip.word, KEYWORDS[-6:]) if slip.word[:1].isalpha() else ""
        return unit if unit.startswith("did") else "say the unit, as in WITHIN 30 MINUTES or WITHIN 100 EVENTS"
    if re.search(r"WITHIN\s*$", slip.before, re.IGNORECASE):
        return "say how long, as in WITHIN 30 MINUTES"
    return ""


def _given(slip: QuerySlip) -> str:
    if slip.word.upper() == "GIVEN" and "WHERE" in slip.terminals:
        return "GIVEN stands before WHERE"
    if slip.word in "{(" and re.search(r"\bGIVEN(\s+[?$]\w+){2,}\s*\{?\s*$", slip.before, re.IGNORECASE):
        return "parameters with rows stand in parentheses: GIVEN (?a ?b) { (1 2) (3 4) }"
    if "GIVEN" in slip.terminals and (slip.word == "," or slip.terminals[-1] == "GIVEN"):
        return "write GIVEN ?a ?b, or GIVEN (?a ?b) { (1 2) (3 4) }, without commas"
    return ""


def _partition(slip: QuerySlip) -> str:
    if slip.in_sequence or slip.in_pattern or "PARTITION" not in slip.terminals:
        return ""
    if slip.word.upper() in ("FROM", "WITHIN", "GIVEN"):
        return "PARTITION BY stands after WITHIN, FROM STREAM and GIVEN"
    if slip.word == "," or re.search(r"PARTITION\s+BY\s*$", slip.before, re.IGNORECASE):
        return "write PARTITION BY ?key1 ?key2, without parentheses or commas"
    return ""


def _having(slip: QuerySlip) -> str:
    clauses = slip.all_before[max(map(slip.all_before.rfind, "{}")) + 1 :]
    if not slip.in_pattern and re.search(r"\bHAVING\b", clauses, re.IGNORECASE):
        if slip.word.upper() == "BY":
            return "GROUP BY stands before HAVING"
        if slip.terminals[-1:] == ("HAVING",) or slip.word in ("<", ">", "=", "!", "<=", ">=", "!="):
            return "HAVING needs parentheses: HAVING (COUNT(*) > 3)"
    return ""


def _clauses(slip: QuerySlip) -> str:
    if re.search(r"\bFROM\s*$", slip.before, re.IGNORECASE):
        return _CLAUSE_WORDS["FROM"]
    if re.search(r"\bFROM\s+STREAM\s+\w*\s*$", slip.before, re.IGNORECASE):
        return "a stream needs its IRI: FROM STREAM name <iri>"
    if "INTO" in slip.expected:
        return "CONSTRUCT {…} is followed by INTO STREAM <iri>"
    return "" if slip.in_pattern or slip.in_sequence else _CLAUSE_WORDS.get(slip.word.upper(), "")


_CLAUSE_WORDS = {
    "PARTITION": "PARTITION BY ?key … stands after FROM STREAM and before WHERE",
    "LIMIT": "streams have no end; limit the output with --limit",
    "OFFSET": "streams have no end; there is no OFFSET",
    "ORDER": "matches come in the order in which they are decided; there is no ORDER BY",
    "GROUP": "GROUP BY ?v … stands at the end, before HAVING",
    "HAVING": "HAVING (condition) stands at the end, after GROUP BY",
    "FROM": "streams are named by FROM STREAM name <iri>",
    "ASK": "a query begins with SELECT or CONSTRUCT",
    "DESCRIBE": "a query begins with SELECT or CONSTRUCT",
    "COUNT": "give it a name in parentheses: (COUNT(*) AS ?count)",
    "SUM": "give it a name in parentheses: (SUM(?v) AS ?sum)",
    "AVG": "give it a name in parentheses: (AVG(?v) AS ?average)",
    "MIN": "give it a name in parentheses: (MIN(?v) AS ?least)",
    "MAX": "give it a name in parentheses: (MAX(?v) AS ?most)",
    "FIRST": "give it a name in parentheses: (FIRST(?v) AS ?first)",
    "LAST": "give it a name in parentheses: (LAST(?v) AS ?last)",
    "@PREFIX": "write PREFIX without @ and without the full stop",
}


def _declaration(slip: QuerySlip) -> str:
    line = slip.before[slip.before.rfind("\n") + 1 :] + slip.word
    if slip.word == "@" and slip.after.lower().startswith("prefix"):
        return _CLAUSE_WORDS["@PREFIX"]
    if slip.word == "." and re.match(r"\s*PREFIX\b", line, re.IGNORECASE):
        return "PREFIX lines have no full stop"
    if slip.word == "," and slip.terminals[:1] == ("SELECT",):
        return "variables are separated by spaces"
    return ""


def _where(slip: QuerySlip) -> str:
    if slip.in_pattern or slip.in_sequence or "DEFINE" not in slip.expected:
        return ""
    if slip.word[:1] in "?$<" or ":" in slip.word:
        return "triples belong into DEFINE GPM name ON stream { … }"
    return ""


def _definition(slip: QuerySlip) -> str:
    if re.search(r"\bDEFINE\s*$", slip.before, re.IGNORECASE):
        return "write DEFINE GPM name ON stream { … }"
    if slip.terminals[-3:] == ("DEFINE", "GPM", "NAME"):
        return "say which stream it reads: DEFINE GPM name ON stream { … }"
    return ""


def _expression(slip: QuerySlip) -> str:
    if not slip.in_pattern and slip.terminals[:1] != ("SELECT",):
        return ""
    if re.search(r"\bFILTER\s*$", slip.before, re.IGNORECASE):
        return "FILTER needs parentheses: FILTER(?a > ?b)"
    return operator_hint(slip)


def operator_hint(slip: Slip) -> str:
    """What an operator of another language is here, within an expression."""
    if "OPERATOR" not in slip.expected and slip.last not in "=<>!":
        return ""
    signs = {"AND": "&&", "OR": "||", "&": "&&", "|": "||", "==": "=", "<>": "!=", "=>": ">=", "%": "no sign at all"}
    if slip.word == "=" and slip.last == "=":
        return "equality is written ="
    if slip.word == ">" and slip.last in ("=", "<"):
        return "the operator is written " + (">=" if slip.last == "=" else "!=")
    return f"the operator is written {signs[slip.word.upper()]}" if slip.word.upper() in signs else ""


def _quotes(slip: QuerySlip) -> str:
    if slip.word and slip.word in "“”‘’„«»":
        return 'use straight quotes: "…"'
    return "a string is not closed on its line" if slip.word in ('"', "'") else ""


def _triples(slip: QuerySlip) -> str:
    if not slip.in_pattern:
        return ""
    if slip.word[:1] in "?$<" and "DOT" in slip.expected:
        return "a . is missing between two triples"
    if slip.word == "}" and "DOT" not in slip.expected and "RBRACE" not in slip.expected:
        return "a triple is not complete: subject, property, object"
    if slip.word.upper() in ("SEQ", "DEFINE") and "RBRACE" in slip.expected:
        return f"a }} is missing before {slip.word.upper()}"
    return ""


def _keyword(slip: QuerySlip) -> str:
    if not slip.word.isalpha():
        return ""
    near = did_you_mean(slip.word, [word for word in KEYWORDS if word in slip.expected or word in ("STREAM", "FROM")])
    return near if near.startswith("did") else ""


_RULES: tuple[Callable[[QuerySlip], str], ...] = (
    _end,
    habit,
    _quotes,
    _sequence,
    _window,
    _given,
    _partition,
    _having,
    _declaration,
    _clauses,
    _where,
    _definition,
    _expression,
    _triples,
    _keyword,
)


# ── what messages call terminals ─────────────────────────────────────────────────────────────────────────
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
    (terminals("AMPERSAND ANY_ORDER"), "'&', '&&'"),
)
_TERMINALS = {
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
    "DATA_BRACE": "'{'",
    "A": "a",
    "$END": "the end of the query",
}
_WORD = re.compile(r"[?$]?\w[\w-]*(:[\w-]*)?|[+-]\d+|&&|\|\||->|=>|==|<>|[^\w\s]")
VOCABULARY = Vocabulary(_GROUPS, _TERMINALS, hint_for, _WORD, {"FROM": ("STREAM", "a date and time")})
