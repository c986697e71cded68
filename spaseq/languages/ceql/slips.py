"""The common slips of the pen, of those who come from SQL or from SPAseq: what to say about each, in which words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from spaseq.languages.ceql.printer import RESERVED, STRATEGIES
from spaseq.languages.node import Span
from spaseq.languages.parsing import Slip, Vocabulary, first_hint, terminals
from spaseq.text import did_you_mean

UNITS = ("MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS", "EVENTS")
KEYWORDS = (
    "SELECT", "FROM", "GIVEN", "WHERE", "FILTER", "AS", "OR", "PARTITION", "BY", "WITHIN", "LIMIT", "CONSUME", "GROUP",
)  # fmt: skip
_SHORT_UNITS = {
    "MS": "MILLISECONDS",
    "S": "SECONDS",
    "SEC": "SECONDS",
    "SECS": "SECONDS",
    "M": "MINUTES",
    "MIN": "MINUTES",
    "MINS": "MINUTES",
    "H": "HOURS",
    "HR": "HOURS",
    "D": "DAYS",
    "ROWS": "EVENTS",
    "TUPLES": "EVENTS",
}


class CeqlSlip(Slip):
    """A slip in a query, and where in the query it is."""

    __slots__ = ()

    @property
    def in_condition(self) -> bool:
        """Behind FILTER, or within brackets that hold a condition."""
        return "FILTER" in self.terminals or self.terminals[-1:] == ("LSQB",)

    @property
    def in_formula(self) -> bool:
        """Behind WHERE, and not in a condition."""
        return "WHERE" in self.terminals and not self.in_condition


def hint_for(text: str, span: Span, terminals: Sequence[str], expected: Iterable[str]) -> str:
    """What the slip at ``span`` probably is, or nothing."""
    return first_hint(CeqlSlip, _RULES, (text, span, terminals, expected))


def _other_language(slip: CeqlSlip) -> str:
    is_iri_or_variable = slip.word in ("?", "<") and slip.terminals[-1:] == ("SELECT",)
    if is_iri_or_variable or "STREAM" in (slip.upper, slip.previous) or slip.upper in ("PREFIX", "BASE", "CONSTRUCT"):
        return "this looks like SPAseq; in CEQL write SELECT * FROM stream WHERE A ; B"
    return ""


def _quotes(slip: CeqlSlip) -> str:
    if slip.word == '"' or (slip.word and slip.word in "“”‘’„«»´"):
        return "a string is written 'in single quotes', an unusual name `in backquotes`"
    if slip.word == "'":
        return "a string is not closed on its line" if slip.after.find("'") < 0 else ""
    if slip.word == "`":
        return "a name in backquotes is not closed on its line"
    return "a comment begins with --" if slip.word in ("#", "//") or (slip.word == "/" and slip.last == "/") else ""


def _end(slip: CeqlSlip) -> str:
    if slip.word == ";" and not slip.after.strip() and "SEMICOLON" not in slip.expected:
        return "a query has no ; at its end"
    if slip.word.strip() or slip.after.strip():
        return ""
    if "RSQB" in slip.expected:
        return "a ] is missing"
    return "a ) is missing" if "RPAR" in slip.expected else ""


def _brackets(slip: CeqlSlip) -> str:
    if slip.word in (")", ";") and "RSQB" in slip.expected:
        return "a ] is missing"
    if slip.word == "]" and "RPAR" in slip.expected:
        return "a ) is missing"
    if slip.word == ")" and "LPAR" not in slip.terminals:
        return "this ) closes nothing"
    if slip.word == "]" and "LSQB" not in slip.terminals:
        return "this ] closes nothing"
    if slip.upper in ("PARTITION", "WITHIN", "LIMIT", "CONSUME") and {"RPAR", "RSQB"} & slip.expected:
        return f"a {')' if 'RPAR' in slip.expected else ']'} is missing before {slip.upper}"
    return ""


def _select(slip: CeqlSlip) -> str:
    if "FROM" in slip.terminals or "WHERE" in slip.terminals or slip.terminals[:1] != ("SELECT",):
        return ""
    if "DISTINCT" in (slip.upper, slip.previous):
        return "results are a set: leave DISTINCT out"
    if slip.previous == "SELECT":
        return "name variables, or * for all of them"
    if slip.word == "[":
        return "an attribute is written with a dot, as in SELECT x.price"
    if slip.upper == "AS":
        return "AS names attributes and aggregates, as in SELECT x.price AS price"
    if slip.previous == "AS":
        return "a word of the language stands in backquotes"
    if slip.previous in ("COUNT", "SUM", "AVG", "MIN", "MAX") or "AGGREGATE" in slip.terminals:
        return "an aggregate is COUNT(*), or of attributes, as in SUM(x.price) or AVG(x.high - x.low)"
    if slip.word == "*" or (slip.word[:1].isalpha() and slip.last.isalnum()):
        near = did_you_mean(slip.previous, STRATEGIES)
        strategies = "the strategies are " + ", ".join(STRATEGIES)
        if slip.word == "*":
            return near if near.startswith("did") else strategies
        return _keyword(slip) or f"put a comma between variables; {strategies}"
    return ""


def _given(slip: CeqlSlip) -> str:
    if slip.upper == "GIVEN" and "GIVEN" not in slip.expected:
        return "GIVEN stands behind SELECT and FROM, before WHERE"
    if slip.word == "?" and "PARAMETER" in slip.expected:
        return "a parameter is written $name"
    if "GIVEN" not in slip.terminals or "WHERE" in slip.terminals:
        return ""
    if slip.upper == "FROM":
        return "FROM stands before GIVEN"
    if slip.word in ("{", "(") and re.search(r"\bGIVEN(\s+\$\w+,?){2,}\s*\{?\s*$", slip.before, re.IGNORECASE):
        return "parameters with rows stand in parentheses: GIVEN ($a, $b) { (1, 2) (3, 4) }"
    if slip.expected <= {"PARAMETER", "LPAR"}:
        return "a parameter is written $name"
    if slip.word == "$" and "COMMA" in slip.expected:
        return "parameters are separated by commas: GIVEN $a, $b"
    is_row = "LBRACE" in slip.terminals
    return "rows are constants: numbers, strings, TRUE, FALSE, as in { (1, 'a') (2, 'b') }" if is_row else ""


_SIGNS = {
    ",": "write : for the very next event, ; for any later one (in SPAseq these are , and :)",
    "&": "write ALL for both, in any order (AND joins filters)",
    "&&": "write ALL for both, in any order (AND joins filters)",
    "|": "alternatives are joined by OR",
    "||": "alternatives are joined by OR",
    "?": "there is no A?: write A ; B OR A",
    "*": "there is no A*: write A+, and OR for the case without",
    "{": "there are no bounds: write A ; A for two, A+ for one or more",
    "!": "there is no negation of events",
    "->": "events follow each other with : (the very next) or ; (any later one)",
    "=>": "events follow each other with : (the very next) or ; (any later one)",
    ".": "conditions stand behind FILTER, as in FILTER x[price > 3]",
    "[": "conditions stand behind FILTER, as in FILTER x[price > 3]",
    "=": "WHERE says which events follow each other; conditions stand behind FILTER, as in FILTER x[price > 3]",
    "<": "WHERE says which events follow each other; conditions stand behind FILTER, as in FILTER x[price > 3]",
    ">": "WHERE says which events follow each other; conditions stand behind FILTER, as in FILTER x[price > 3]",
}
_WORDS = {
    "AND": "write ALL for both, in any order, ; for one after the other; AND joins filters",
    "NOT": "there is no negation of events",
    "THEN": "events follow each other with : (the very next) or ; (any later one)",
}


def _formula(slip: CeqlSlip) -> str:
    if not slip.in_formula:
        return ""
    if slip.upper == "AS" and "AS" not in slip.expected and "OR" in slip.expected:
        return "events get one name; for a second one put parentheses, as in (A AS x) AS y"
    if slip.word == "+" and slip.last == ":":
        return "write :+ without a space"
    if slip.word in _SIGNS or slip.upper in _WORDS:
        return _SIGNS.get(slip.word) or _WORDS[slip.upper]
    return _event(slip)


def _event(slip: CeqlSlip) -> str:
    """Where an event is missing, or an operator before one."""
    if "LPAR" in slip.expected:
        if slip.last == ";" and not slip.word.strip():
            return "name the event that follows ; (a query has no ; at its end)"
        sign = slip.last if slip.last in (";", ":") else slip.previous
        return f"name the event that follows {sign}" if sign in (";", ":", "ALL", "OR") else "name an event first"
    if slip.last in ("<", ">", "="):
        return _SIGNS["="]
    if slip.word == "(" and slip.previous == "ALL":
        return "ALL stands between two events, as in A ALL B"
    if slip.word[:1].isalpha() and "SEMICOLON" in slip.expected and not _clauses(slip) and not _keyword(slip):
        return "put ; (any later one), : (the very next) or ALL (any order) between two events, AS before a name"
    return ""


_OPERATORS = {
    "&": "AND",
    "&&": "AND",
    "|": "OR",
    "||": "OR",
    "~": "LIKE",
    "!": "NOT",
    "^": "no sign at all: multiply",
}


def _condition(slip: CeqlSlip) -> str:
    if not slip.in_condition:
        return ""
    if slip.word == "[" and slip.terminals and slip.terminals[-1] in ("FILTER", "AND", "OR", "LPAR"):
        return "say which events it is about, as in FILTER x[price > 3]"
    if slip.word == "(" and re.search(r"\w\s*$", slip.before):
        return "write x[price > 3] in brackets; there are no functions"
    if "BETWEEN" in slip.terminals and "AND" in slip.expected:
        return "write BETWEEN 1 AND 3"
    if slip.word == "," and "LSQB" in slip.terminals:
        return "conditions are joined by AND or OR"
    if slip.word == ",":
        return "filters are joined by AND or OR, events by ; or :"
    return _condition_operator(slip) or _condition_word(slip)


def _condition_operator(slip: CeqlSlip) -> str:
    if slip.word in _OPERATORS:
        return f"the operator is written {_OPERATORS[slip.word]}"
    if (slip.word == "<" and slip.after.startswith("<")) or (slip.last == "<" and slip.word == "<"):
        return "LIKE takes a string with % for any text and _ for one character"
    if slip.word in (">", "<") and slip.last == "=":
        return f"the operator is written {slip.word}="
    if re.match(r"[=<>!]", slip.word) and "COMPARISON" not in slip.expected and "AND" in slip.expected:
        return "comparisons cannot be chained: join them with AND, or write BETWEEN … AND …"
    if re.search(r"\]\s*\+\s*$", slip.before):
        return "put the filtered events in parentheses, as in (A FILTER A[x > 1])+"
    return ""


def _condition_word(slip: CeqlSlip) -> str:
    if slip.upper == "AS":
        return "put the filtered events in parentheses, as in (A FILTER A[x > 1]) AS y"
    if slip.previous == "IS":
        return "write IS NULL or IS NOT NULL"
    if slip.previous == "LIKE":
        return "LIKE takes a string with % for any text and _ for one character"
    if slip.previous == "IN" and "RANGE" in slip.expected:
        return "write IN (1, 2, 3), IN ('a', 'b') or IN 1..5"
    return "IN takes a list of constants: numbers, strings, TRUE, FALSE" if "IN" in slip.terminals else ""


_CLAUSE_WORDS = {
    "FROM": "FROM stands before WHERE",
    "WHERE": "WHERE stands once, behind FROM; conditions stand behind FILTER",
    "ORDER": "results come in the order of their ends; there is no ORDER BY",
    "HAVING": "there is no HAVING",
    "OFFSET": "streams have no end; there is no OFFSET",
    "JOIN": "name all streams behind FROM, separated by commas",
    "ON": "conditions stand behind FILTER, as in FILTER x[price > 3]",
    "SLIDING": "windows always slide: leave SLIDING out",
    "ASC": "results come in the order of their ends",
}


def _clauses(slip: CeqlSlip) -> str:
    if slip.upper in ("PARTITION", "WITHIN", "LIMIT", "CONSUME", "GROUP", "FILTER") and "WHERE" in slip.expected:
        return f"{slip.upper} stands behind WHERE"
    if slip.previous in ("PARTITION", "CONSUME", "GROUP") and slip.expected == {"BY"}:
        return f"write {slip.previous} BY"
    if slip.expected == {"POLICY"}:
        return "the policies are ANY, PARTITION and NONE"
    if slip.upper == "FILTER" and "LIMIT" in slip.expected and "FILTER" not in slip.expected:
        return "FILTER stands before PARTITION BY, WITHIN, LIMIT and CONSUME BY"
    if slip.previous == "BY" and slip.word == "(":
        return "attributes stand in brackets or alone: PARTITION BY [a, b]"
    if "GROUP" in slip.terminals:
        return "GROUP BY takes attributes, as in GROUP BY x.name"
    if slip.upper in _CLAUSE_WORDS and not slip.in_condition:
        return _CLAUSE_WORDS[slip.upper]
    return "WHERE stands before the events" if "WHERE" in slip.expected and slip.upper not in KEYWORDS else ""


def _window(slip: CeqlSlip) -> str:
    if "WITHIN" not in slip.terminals[-3:] and not re.search(r"WITHIN\s+[\d.]+\s*$", slip.before, re.IGNORECASE):
        return ""
    if "UNIT" in slip.expected and "NUMBER" not in slip.expected and re.search(r"\d\s*$", slip.before):
        near = _SHORT_UNITS.get(slip.upper) or did_you_mean(slip.word, UNITS).removeprefix("did you mean ").rstrip("?")
        known = near in UNITS and slip.word[:1].isalpha()
        return f"did you mean {near}?" if known else "say the unit: 30 SECONDS, 100 EVENTS or 5000 [attribute]"
    if re.search(r"WITHIN\s*$", slip.before, re.IGNORECASE):
        return "say how long, as in WITHIN 30 SECONDS, WITHIN 100 EVENTS or WITHIN 5000 [attribute]"
    return ""


def _limit(slip: CeqlSlip) -> str:
    return "LIMIT takes a whole number: how many results at the most for each end" if slip.previous == "LIMIT" else ""


def _reserved(slip: CeqlSlip) -> str:
    names = {"NAME", "WORD"} & slip.expected
    if slip.upper in RESERVED and names and not slip.after.lstrip().upper().startswith("BY"):
        return f"{slip.upper} is a word of the language; as a name it is written `{slip.word}`"
    return ""


def _keyword(slip: CeqlSlip) -> str:
    if not slip.word.isalpha():
        return ""
    near = did_you_mean(slip.word, [word for word in KEYWORDS if word in slip.expected])
    return near if near.startswith("did") else ""


_RULES: tuple[Callable[[CeqlSlip], str], ...] = (
    _other_language,
    _quotes,
    _end,
    _brackets,
    _given,
    _select,
    _window,
    _limit,
    _formula,
    _condition,
    _keyword,
    _clauses,
    _reserved,
)


# ── what messages call terminals ─────────────────────────────────────────────────────────────────────────
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (terminals("BOOLEAN LPAR MINUS NAME NOT NULL NUMBER PARAMETER PLUS STRING"), "a condition"),
    (terminals("BOOLEAN LPAR MINUS NAME NULL NUMBER PARAMETER PLUS STRING"), "a value"),
    (terminals("BOOLEAN MINUS NULL NUMBER PARAMETER PLUS STRING"), "a constant"),
    (terminals("BOOLEAN MINUS NULL NUMBER PLUS STRING"), "a constant"),
    (terminals("MINUS NUMBER PARAMETER PLUS"), "a number"),
    (terminals("NUMBER PARAMETER"), "a number"),
    (terminals("PARAMETER STRING"), "a string"),
    (terminals("MINUS NUMBER PLUS"), "a number"),
    (terminals("MINUS PERCENT PLUS SLASH STAR"), "an arithmetic operator"),
    (terminals("BETWEEN COMPARISON IN IS LIKE MORETHAN NOT"), "a comparison"),
    (terminals("BETWEEN IN LIKE"), "BETWEEN, IN or LIKE"),
    (terminals("MINUS PLUS"), "+ or -"),
    (terminals("CONTIGUOUS_PLUS PLUS"), "+ or :+"),
    (terminals("ALL COLON SEMICOLON"), "; : or ALL"),
    (terminals("CONSUME GROUP LIMIT PARTITION WITHIN"), "PARTITION BY, WITHIN, LIMIT, CONSUME BY or GROUP BY"),
    (terminals("EVENTS LSQB UNIT"), "a unit (MILLISECONDS, SECONDS, MINUTES, HOURS, DAYS, EVENTS or [attribute])"),
)
_TERMINALS = {
    "AGGREGATE": "COUNT(*), SUM(…), AVG(…), MIN(…) or MAX(…)",
    "BOOLEAN": "TRUE or FALSE",
    "COMPARISON": "a comparison",
    "CONTIGUOUS_PLUS": ":+",
    "DOTS": "..",
    "NAME": "a name",
    "NUMBER": "a number",
    "PARAMETER": "a parameter ($name)",
    "POLICY": "ANY, PARTITION or NONE",
    "STRATEGY": "a strategy (ALL, ANY, NEXT, LAST, MAX or STRICT)",
    "STRING": "a string",
    "UNIT": "another duration",
    "WORD": "a name",
    "$END": "the end of the query",
}
_WORD = re.compile(r"`[^`\n]*`|\w+(\.\d+)?|:\+|\.\.|->|=>|&&|\|\||[=!<>]=|<>|[^\w\s]")
VOCABULARY = Vocabulary(_GROUPS, _TERMINALS, hint_for, _WORD)
