"""The common slips of the pen, and of those who expect more of SQL here: what to say about each, in which words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from spaseq.languages.node import Span
from spaseq.languages.parsing import Slip, Vocabulary, first_hint, terminals
from spaseq.languages.sql.names import RESERVED
from spaseq.text import did_you_mean

KEYWORDS = (
    "SELECT", "FROM", "MATCH_RECOGNIZE", "PARTITION", "ORDER", "MEASURES", "ONE", "ALL", "ROW", "ROWS", "PER", "MATCH",
    "AFTER", "SKIP", "PAST", "TO", "PATTERN", "WITHIN", "SUBSET", "DEFINE", "AS", "BY", "SHOW", "OMIT", "EMPTY",
    "MATCHES", "WITH", "UNMATCHED", "THEN", "WHEN", "END", "ESCAPE", "NULLS",
)  # fmt: skip


class SqlSlip(Slip):
    """A slip in a statement, and where in it."""

    __slots__ = ()

    @property
    def in_pattern(self) -> bool:
        """Within the parentheses of PATTERN."""
        return "PATTERN" in self.terminals and "DEFINE" not in self.terminals


def hint_for(text: str, span: Span, terminals: Sequence[str], expected: Iterable[str]) -> str:
    """What the slip at ``span`` probably is, or nothing."""
    return first_hint(SqlSlip, _RULES, (text, span, terminals, expected))


_ELSEWHERE = {
    "WHERE": "leave rows out before: there is no WHERE around MATCH_RECOGNIZE",
    "JOIN": "a statement is about one table: there are no joins",
    "GROUP": "measures aggregate the rows of a match; what is around MATCH_RECOGNIZE is not supported",
    "HAVING": "what is around MATCH_RECOGNIZE is not supported",
    "ORDER": "results come as they are found; ORDER BY stands within MATCH_RECOGNIZE",
    "LIMIT": "there is no LIMIT around MATCH_RECOGNIZE",
    "UNION": "a statement has one MATCH_RECOGNIZE",
    "MATCH_RECOGNIZE": "a statement has one MATCH_RECOGNIZE",
    "OVER": "row patterns in windows are not supported",
    "WITH": "there are no common table expressions: name the table",
}


_BEHIND_TABLE = {
    ",": _ELSEWHERE["JOIN"],
    ".": 'a table has one name, in double quotes if it has a dot: FROM "schema.table"',
}


def around(word: str) -> str:
    """What to say about a word in the place of an alias that begins something else in SQL, or nothing."""
    return _ELSEWHERE.get(word.upper(), "")


def _around(slip: SqlSlip) -> str:
    if "SELECT" in slip.terminals and "FROM" in slip.expected and "MATCH_RECOGNIZE" not in slip.terminals:
        return "SELECT takes columns: compute in MEASURES"
    if slip.word == "(" and (slip.previous == "FROM" or not slip.before.strip()):
        return "subqueries are not supported: name the table"
    if slip.before.strip().upper() == "WITH":
        return _ELSEWHERE["WITH"]
    if "$END" in slip.expected and slip.previous in _ELSEWHERE:
        return _ELSEWHERE[slip.previous]
    if slip.upper == "DISTINCT" and slip.previous == "SELECT":
        return "there is no SELECT DISTINCT: results are those of each match"
    if slip.expected == {"MATCH_RECOGNIZE"} and slip.word in _BEHIND_TABLE:
        return _BEHIND_TABLE[slip.word]
    if slip.expected == {"MATCH_RECOGNIZE"} and slip.upper == "AS":
        return "an alias stands behind the clause: FROM table MATCH_RECOGNIZE (…) AS name"
    is_outside = "$END" in slip.expected or "MATCH_RECOGNIZE" in slip.expected
    return _ELSEWHERE.get(slip.upper, "") if is_outside else ""


def _other_language(slip: SqlSlip) -> str:
    if "MATCH_RECOGNIZE" in slip.terminals:
        return ""
    if slip.word in ("?", "{") or slip.upper in ("PREFIX", "BASE", "CONSTRUCT", "STREAM"):
        return "this looks like SPAseq; in SQL write SELECT * FROM table MATCH_RECOGNIZE (…)"
    if slip.upper == "WHERE":
        return "write FROM table MATCH_RECOGNIZE (…), or in CEQL SELECT * FROM stream WHERE A ; B"
    return ""


def _quotes(slip: SqlSlip) -> str:
    if slip.word == "`" or (slip.word and slip.word in "“”‘’„«»´"):
        return "a string is written 'in single quotes', an unusual name \"in double quotes\""
    if slip.word == "'":
        return "a string is not closed on its line"
    if slip.word == '"':
        return "a name in double quotes is not closed on its line"
    return "a comment begins with --" if slip.word in ("#", "//") else ""


def _brackets(slip: SqlSlip) -> str:
    if slip.in_pattern and slip.upper in ("AS", "=") and slip.previous != slip.upper:
        found = re.search(r"\b(DEFINE|SUBSET|WITHIN)\s+\w+\s*$", slip.before, re.IGNORECASE)
        return f"a ) is missing before {found[1].upper()}" if found else ""
    at_end = not slip.word.strip() and not slip.after.strip()
    if at_end and "RPAR" in slip.expected:
        return "a ) is missing"
    if slip.upper in ("DEFINE", "SUBSET", "WITHIN", "PATTERN", "MEASURES") and slip.upper not in slip.expected:
        return f"a ) is missing before {slip.upper}" if "RPAR" in slip.expected else ""
    return "this ) closes nothing" if slip.word == ")" and "LPAR" not in slip.terminals else ""


_SIGNS = {
    ",": "rows follow each other without a comma: PATTERN (A B+ C)",
    ";": "rows follow each other without a sign: PATTERN (A B+ C)",
    ":": "rows follow each other without a sign: PATTERN (A B+ C)",
    "->": "rows follow each other without a sign: PATTERN (A B+ C)",
    "||": "alternatives are joined by |",
    "&": "rows in any order: PERMUTE(A, B)",
    "&&": "rows in any order: PERMUTE(A, B)",
    "!": "there is no negation of rows: define a variable by what it is not",
    "[": "conditions stand in DEFINE",
    ".": "conditions stand in DEFINE",
}


def _pattern(slip: SqlSlip) -> str:
    if not slip.in_pattern:
        return ""
    if slip.upper in ("AND", "OR"):
        return "alternatives are joined by |, rows in any order are PERMUTE(A, B)"
    if slip.word in ("*", "+", "?", "{") and slip.last in ("*", "+", "?", "}"):
        return "a part has one quantifier: put parentheses around the first, as in (A+)*"
    if slip.word in ("*", "+", "?", "{"):
        return "a quantifier follows what it repeats"
    if slip.word == "|" or slip.last == "|":
        return "an alternative that takes no row is written ()"
    return _SIGNS.get(slip.word, "")


def _expression(slip: SqlSlip) -> str:
    if slip.word in ("==", "=") and slip.last == "=":
        return "equality is written ="
    if slip.word in ("&", "&&"):
        return "the operator is written AND"
    if slip.word == "|":
        return "the operator is written OR; texts are joined by ||"
    if slip.word in ("=", "<", ">", "<=", ">=", "<>", "!=") and "AND" in slip.expected:
        return "comparisons cannot be chained: join them with AND, or write BETWEEN … AND …"
    if slip.upper == "OVER":
        return _ELSEWHERE["OVER"]
    if slip.previous == "IS":
        return "write IS NULL, IS NOT NULL or IS DISTINCT FROM …"
    if slip.word == "(" and slip.last.isalnum() and slip.previous in ("INTERVAL", "DATE", "TIMESTAMP"):
        return f"write {slip.previous} '…' with a string"
    return ""


def _clauses(slip: SqlSlip) -> str:
    if slip.word in ("(", "+", "-", "*", "/", "||") and "BY" in slip.terminals[-4:]:
        return "name a column here: what is computed is no key"
    if slip.upper in ("PARTITION", "ORDER") and not re.match(r"\s+BY\b", slip.after, re.IGNORECASE):
        return f"write {slip.upper} BY"
    if "MEASURES" in slip.terminals and "AS" in slip.expected and not {"PATTERN", "DEFINE"} & {*slip.terminals}:
        return "a measure has a name: expression AS name"
    is_next = slip.upper == "AS" or (slip.word.isidentifier() and re.match(r"\s+AS\b", slip.after, re.IGNORECASE))
    if is_next and slip.expected & {"COMMA"} and "DEFINE" in slip.terminals:
        return "put a comma between definitions"
    return ""


def _reserved(slip: SqlSlip) -> str:
    if slip.upper in RESERVED and {"NAME"} & slip.expected:
        return f'{slip.upper} is a word of the language; as a name it is written "{slip.word}"'
    return ""


def _keyword(slip: SqlSlip) -> str:
    if not slip.word.isidentifier():
        return ""
    near = did_you_mean(slip.word, [word for word in KEYWORDS if word in slip.expected])
    return near if near.startswith("did") else ""


_RULES: tuple[Callable[[SqlSlip], str], ...] = (
    _other_language, _quotes, _around, _brackets, _pattern, _expression, _clauses, _keyword, _reserved,
)  # fmt: skip


# ── what messages call terminals ─────────────────────────────────────────────────────────────────────────
_VALUE = "BOOLEAN CASE CAST EXTRACT FUNCTION INTERVAL LPAR MINUS NAME NULL NUMBER PLUS PROCESSING STRING TYPED"
_CLAUSES = "AFTER ALL DEFINE MEASURES ONE ORDER PARTITION PATTERN SEARCH SUBSET WITHIN"
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (terminals(f"NOT {_VALUE}"), "a condition"),
    (terminals(_VALUE), "a value"),
    (terminals("CONCATENATE MINUS PERCENT PLUS SLASH STAR"), "an operator"),
    (terminals("BETWEEN COMPARISON EQUAL IN IS LIKE NOT"), "a comparison"),
    (terminals("BETWEEN IN LIKE"), "BETWEEN, IN or LIKE"),
    (terminals("AND OR"), "AND or OR"),
    (terminals(f"{_CLAUSES} RPAR"), "another clause, or ')'"),
    (terminals(_CLAUSES), "a clause"),
    (terminals("CIRCUMFLEX DOLLAR EXCLUDE LPAR NAME PERMUTE"), "a variable or a group"),
    (terminals("LBRACE PLUS QMARK STAR"), "a quantifier"),
)
_TERMINALS = {
    "AFTER": "AFTER MATCH SKIP",
    "ALL": "ALL ROWS PER MATCH",
    "BOOLEAN": "TRUE or FALSE",
    "COMPARISON": "a comparison",
    "CONCATENATE": "'||'",
    "DIRECTION": "ASC or DESC",
    "DOLLAR": "'$'",
    "ENDS": "FIRST or LAST",
    "EXCLUDE": "'{-'",
    "EXCLUDED": "'-}'",
    "FUNCTION": "a function",
    "INTERVAL": "INTERVAL '…'",
    "LAST": "LAST ROW",
    "NAME": "a name",
    "NEXT": "NEXT ROW",
    "NUMBER": "a number",
    "ONE": "ONE ROW PER MATCH",
    "ORDER": "ORDER BY",
    "PARTITION": "PARTITION BY",
    "SEARCH": "INITIAL or SEEK",
    "STRING": "a string",
    "TYPED": "DATE '…' or TIMESTAMP '…'",
    "$END": "the end of the query",
}
_WORD = re.compile(r'"[^"\n]*"|\w+(\.\d+)?|->|=>|&&|\|\||==|[!<>]=|<>|[^\w\s]')
VOCABULARY = Vocabulary(_GROUPS, _TERMINALS, hint_for, _WORD)
