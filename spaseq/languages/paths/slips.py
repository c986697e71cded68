"""The common slips of the pen, and habits of those who know another language: what to say, and in which words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from spaseq.languages.node import Span
from spaseq.languages.parsing import Slip, Vocabulary, first_hint, terminals
from spaseq.languages.paths.tree import KEYWORDS, RESERVED, RESTRICTORS, SELECTORS
from spaseq.languages.spaseq.slips import operator_hint
from spaseq.text import did_you_mean

_REPETITIONS = frozenset({"STAR", "PLUS", "QMARK", "RBRACE"})


class PathSlip(Slip):
    """A slip in a query, and where in the query it is."""

    __slots__ = ()

    @property
    def upper(self) -> str:
        """The word in capitals."""
        return self.word.upper()

    @property
    def is_end(self) -> bool:
        """Whether nothing follows, or the next query or declaration."""
        return not (self.word.strip() or self.after.strip()) or self.upper in ("QUERY", "PREFIX", "BASE")

    @property
    def is_touching(self) -> bool:
        """Whether no space is before the word."""
        return not self.before[-1:].isspace()

    @property
    def query(self) -> str:
        """The query so far, in capitals, behind its name."""
        return re.split(r"\bQUERY\s+\w+", self.all_before.upper())[-1]

    @property
    def in_query(self) -> bool:
        """Behind QUERY."""
        return "QUERY" in self.terminals

    @property
    def in_condition(self) -> bool:
        """Within ``[?x: … ]``."""
        return "LSQB" in self.terminals and self.terminals[-1:] != ("RSQB",)

    @property
    def in_bounds(self) -> bool:
        """Within ``{n,m}``."""
        return not self.in_condition and "LBRACE" in self.terminals and "RBRACE" not in self.terminals

    @property
    def in_nodes(self) -> bool:
        """Where FROM or TO needs a node."""
        return "LABEL" in self.expected

    @property
    def behind_nodes(self) -> bool:
        """Where another node, a selector, a restrictor or the expression may stand."""
        return {"COMMA", "RESTRICTOR"} <= self.expected

    @property
    def behind_step(self) -> bool:
        """Where a path may go on."""
        return "SLASH" in self.expected

    @property
    def before_step(self) -> bool:
        """Where a path has to go on, or to begin."""
        return "LSQB" in self.expected

    @property
    def is_repeated(self) -> bool:
        """Right behind a repetition."""
        return self.terminals[-1:] != () and self.terminals[-1] in _REPETITIONS


# ── habits ───────────────────────────────────────────────────────────────────────────────────────────────
_STEPS = "steps follow each other by /, and a step against its direction is written ^:p, as in :p/^:q"
_WORDS = {
    **dict.fromkeys(
        ("MATCH", "RETURN", "SELECT", "CONSTRUCT", "ASK", "DESCRIBE"), "write QUERY name FROM … expression"
    ),
    **dict.fromkeys(("WHERE", "FILTER"), "conditions of nodes stand between steps, as in :p/[?x: ?x > 1990]/:q"),
    **dict.fromkeys(("LIMIT", "OFFSET"), "ANY 10 and SHORTEST 10 are at most 10 paths for each pair of nodes"),
    **dict.fromkeys(("GROUP", "GROUPS"), "SHORTEST 3 is 3 paths; all of least length are ALL SHORTEST"),
    **dict.fromkeys(("DISTINCT", "UNIQUE"), "a path is one result, however often it matches"),
    **dict.fromkeys(("AND", "OR", "THEN"), "steps follow each other by /, and | stands between alternatives"),
    "REVERSE": "a step against its direction is written ^:p",
    "STREAM": "this looks like SPAseq: path queries have nodes behind FROM",
}
_SIGNS = {
    "->": _STEPS,
    "<-": _STEPS,
    "<->": _STEPS,
    "-[": _STEPS,
    ">": _STEPS,
    "&": _WORDS["AND"],
    "&&": _WORDS["AND"],
    "||": "the operator is written |",
    "..": "bounds are written {1,3}",
    "~": "a step against its direction is written ^:p",
}
_END = re.compile(r"(\s++|#[^\n]*+)*+(\Z|(QUERY|PREFIX|BASE)\b)", re.IGNORECASE)


def habit(slip: PathSlip) -> str:
    """The hint for a habit, or nothing."""
    if slip.in_condition or slip.in_bounds or slip.expected == {"NAME"}:
        return ""
    if slip.behind_nodes and (slip.upper in ("AND", "OR") or slip.word in (";", "&", "&&", "|", "||")):
        return "nodes are separated by commas"
    return _WORDS.get(slip.upper) or _SIGNS.get(slip.word) or _variable(slip) or _sign(slip)


def _variable(slip: PathSlip) -> str:
    if slip.word.startswith("_:"):
        return "blank nodes have no names that hold outside of their file"
    if slip.word[:1] not in ("?", "$") or len(slip.word) == 1:
        return ""
    if slip.in_nodes:
        return 'FROM and TO take IRIs, prefixed names and LABEL "…"; without FROM the program gives the starts'
    return "nodes on the way have no names; what a node must satisfy is written [?x: ?x > 1990]"


def _sign(slip: PathSlip) -> str:
    if slip.word == "|" and slip.last == "|":
        return _SIGNS["||"]
    if slip.word == "/" and slip.last == "/":
        return "name the step between / and /; a comment begins with #"
    if slip.word == "-":
        return _SIGNS["~"] if slip.before_step else _STEPS
    if slip.is_repeated and re.match(r"\d", slip.word):
        return _SIGNS[".."]
    return _stop(slip) if slip.word in (";", ".") else ""


def _stop(slip: PathSlip) -> str:
    """A full stop, or a semicolon."""
    ends = _END.match(slip.after)
    return f"a query has no {slip.word} at its end" if ends else "steps follow each other by /"


# ── slips ────────────────────────────────────────────────────────────────────────────────────────────────
def hint_for(text: str, span: Span, terminals: Sequence[str], expected: Iterable[str]) -> str:
    """What the slip at ``span`` probably is, or nothing."""
    return first_hint(PathSlip, _RULES, (text, span, terminals, expected))


def _quotes(slip: PathSlip) -> str:
    if slip.word and slip.word in "“”‘’„«»":
        return 'use straight quotes: "…"'
    if slip.word not in ("'", '"'):
        return ""
    if slip.word not in slip.after.partition("\n")[0]:
        return "a string is not closed on its line"
    return 'write LABEL before a name: LABEL "…"' if slip.in_nodes else ""


def _declaration(slip: PathSlip) -> str:
    if slip.word == "@" and slip.after.lower().startswith(("prefix", "base")):
        return "write PREFIX and BASE without @ and without the full stop"
    if slip.word == "." and re.search(r"\b(PREFIX|BASE)\b[^\n]*$", slip.before, re.IGNORECASE):
        return "PREFIX and BASE lines have no full stop"
    if "PREFIX" in slip.terminals[-2:]:
        return "write PREFIX name: <iri>"
    return "write BASE <iri>" if slip.terminals[-1:] == ("BASE",) else ""


def _begin(slip: PathSlip) -> str:
    """Where QUERY or a name is missing."""
    if slip.expected == {"NAME"} or (slip.word == "-" and slip.terminals[-1:] == ("NAME",) and slip.is_touching):
        return "give the query a name of letters, digits and _: QUERY name FROM … expression"
    if _NAMELESS.search(slip.before):
        return "the word behind QUERY is its name: QUERY name FROM … expression"
    if slip.in_query or "QUERY" not in slip.expected:
        return ""
    if (slip.word + slip.after)[:2] in ("//", "/*", "--"):
        return "a comment begins with #"
    return habit(slip) or _near(slip) or "a query begins with QUERY and its name: QUERY films FROM … expression"


_NAMELESS = re.compile(rf"\bQUERY\s+({'|'.join(sorted(RESERVED))})\s[^\n]*$", re.IGNORECASE)


def _label(slip: PathSlip) -> str:
    if slip.expected == {"STRING"}:
        return 'write LABEL "…", with quotes and without parentheses'
    behind = re.search(r"""\bLABEL\s*("[^"\n]*"|'[^'\n]*')\^?$""", slip.before, re.IGNORECASE)
    if behind and slip.word in ("@", "^"):
        return 'a label is found in every language: write LABEL "…" without more'
    return ""


def _nodes(slip: PathSlip) -> str:
    """FROM and TO."""
    if slip.in_nodes and re.match(r"\w+$", slip.word) and slip.upper not in KEYWORDS:
        return f'write LABEL "{slip.word}", or an IRI'
    if slip.in_nodes:
        return "name nodes without brackets, separated by commas" if slip.word in ("(", "[", "{") else "name a node"
    if slip.upper in ("FROM", "TO") and slip.in_query and not slip.in_condition:
        return _second(slip)
    if slip.behind_nodes and slip.word in ("/", "|", "*", "+", "{"):
        return "the expression stands behind the nodes, as in FROM ex:a :p/:q"
    return ""


def _second(slip: PathSlip) -> str:
    """FROM or TO where it cannot stand."""
    if re.search(rf"\b{slip.upper}\b", slip.query):
        return f"name all nodes behind one {slip.upper}, separated by commas"
    if slip.upper == "FROM" and "TO" in slip.terminals:
        return "FROM stands before TO"
    return "FROM and TO stand behind the name of the query"


def _mode(slip: PathSlip) -> str:
    """Selectors and restrictors."""
    if slip.in_condition or not slip.in_query:
        return ""
    if slip.upper == "NOT" and slip.before_step:
        return "NOT BACK TO START stands behind the expression"
    if slip.behind_step and slip.upper in (*_MODES, "TO") and _TWO_NODES.search(slip.before):
        return f"nodes are separated by commas, and {slip.upper} stands before the expression"
    if slip.behind_step and slip.upper in _MODES:
        return "selectors and restrictors stand before the expression"
    if slip.upper in SELECTORS and "RESTRICTOR" in slip.terminals:
        return "the selector stands before the restrictor, as in ALL TRAIL"
    if slip.upper in (*SELECTORS, *RESTRICTORS) and slip.before_step:
        return "a query has one selector and one restrictor"
    if slip.upper in ("PATH", "PATHS"):
        return f"{slip.upper} stands behind a selector or restrictor"
    return _count(slip)


def _count(slip: PathSlip) -> str:
    if "INTEGER" in slip.expected and slip.word == "-":
        return "the number of paths is 1 or more"
    if not slip.before_step or slip.last in "/|^!(" or not re.match(r"[\d.]", slip.word):
        return ""
    return "whole numbers stand in ANY 3 and SHORTEST 3, and in bounds such as :p{3}"


_MODES = (*SELECTORS, *RESTRICTORS, "PATH", "PATHS")
# Two nodes without a comma, of which the last was read as the expression.
_TWO_NODES = re.compile(r"\b(FROM|TO)\s++([^\s,]++\s*+,\s*+)*+[^\s,]++\s++[^\s,]++\s*$", re.IGNORECASE)


def _not_back(slip: PathSlip) -> str:
    if slip.upper == "NOT" and "START" in slip.terminals:
        return "NOT BACK TO START stands once"
    return "write NOT BACK TO START" if slip.expected in ({"BACK"}, {"TO"}, {"START"}) else ""


def _bounds(slip: PathSlip) -> str:
    return "bounds are written {2}, {2,}, {,3} or {2,3}" if slip.in_bounds else ""


def _condition(slip: PathSlip) -> str:
    if not slip.in_condition:
        return ""
    if slip.expected in ({"VAR"}, {"COLON"}):
        return "a condition names its node: [?x: ?x > 1990]"
    if slip.word == "]" and slip.last == ":":
        return "say what is true of the node, as in [?x: ?x > 1990]"
    if slip.word[:1] in (".", ":") and "OPERATOR" in slip.expected:
        return "nodes have no attributes: follow an edge, as in :year/[?x: ?x > 1990]"
    if slip.is_end and "RSQB" in slip.expected:
        return "a ] is missing"
    if slip.word in (")", "/") and "RSQB" in slip.expected and "LPAR" not in slip.terminals:
        return "a ] is missing"
    return "a ) is missing" if slip.word == "]" and "RPAR" in slip.expected else operator_hint(slip)


def _brackets(slip: PathSlip) -> str:
    if "RPAR" in slip.expected and (slip.is_end or slip.word == "]"):
        return "a ) is missing"
    if slip.word in (")", "]") and (slip.behind_step or "$END" in slip.expected) and "RPAR" not in slip.expected:
        return f"this {slip.word} closes nothing"
    return "name at least one step" if slip.word == ")" and slip.last == "(" else ""


def _negated(slip: PathSlip) -> str:
    if slip.expected >= {"IRIREF", "A"} and "BANG" in slip.terminals and "LSQB" not in slip.expected:
        return "! takes an IRI, ^ and an IRI, or some of them: !(:p|^:q)"
    if slip.expected == {"RPAR", "VBAR"} and "BANG" in slip.terminals[-3:]:
        return "! takes an IRI, ^ and an IRI, or some of them: !(:p|^:q)"
    return ""


def _step(slip: PathSlip) -> str:
    """Where a step is missing, or a sign before one."""
    if slip.before_step:
        return _missing(slip)
    if slip.is_repeated and slip.word in ("*", "+", "?", "{"):
        return "put the first repetition into parentheses, as in (:p*)+"
    if not slip.behind_step:
        return ""
    if slip.word == "[":
        return "put / between a step and the condition of a node: :p/[?x: ?x > 1990]"
    if slip.word == ",":
        return "steps follow each other by /"
    if not re.match(r"[\w^!(<:]", slip.word) or _near(slip):
        return ""
    return "put / between two steps" + (", or commas between nodes" if _TWO_NODES.search(slip.before) else "")


def _missing(slip: PathSlip) -> str:
    if slip.is_end or slip.word == ")":
        return f"name the step that follows {slip.last}" if slip.last in "/|^" else "say along what, as in :p/^:q"
    if slip.word in ("^", "!"):
        return f"put parentheses behind {slip.last}" if slip.last in "^!" else ""
    if slip.word == "<":
        return "an IRI is written <http://…>, without spaces; a prefixed name has no <>"
    if re.match(r"\w+$", slip.word) and not _near(slip):
        return f"a relation is an IRI or a prefixed name, such as :{slip.word}"
    if slip.word in ("'", '"'):
        return "a relation is an IRI or a prefixed name, such as :directed_by"
    return "a repetition stands behind its step, as in :p*" if slip.word in ("*", "+", "?", "{") else ""


def _near(slip: PathSlip) -> str:
    """The keyword that a word most likely is."""
    if not slip.word.isalpha():
        return ""
    expected = [word for word in KEYWORDS if word in slip.expected]
    near = did_you_mean(slip.word, [*expected, *(RESTRICTORS if "RESTRICTOR" in slip.expected else ())])
    return near if near.startswith("did") else ""


_RULES: tuple[Callable[[PathSlip], str], ...] = (
    _quotes,
    _declaration,
    _label,
    _begin,
    _not_back,
    _mode,
    habit,
    _nodes,
    _bounds,
    _condition,
    _negated,
    _brackets,
    _step,
    _near,
)


# ── what messages call terminals ─────────────────────────────────────────────────────────────────────────
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (terminals("BOOLEAN EXISTS IRIREF LPAR NAME NOT NUMBER PNAME STRING UNARY VAR"), "an expression"),
    (terminals("A BANG CIRCUMFLEX IRIREF LPAR LSQB PNAME"), "a path expression"),
    (terminals("A BANG IRIREF LPAR LSQB PNAME"), "a step or parentheses"),
    (terminals("IRIREF LABEL PNAME"), 'an IRI or LABEL "…"'),
    (terminals("A CIRCUMFLEX IRIREF PNAME"), "an IRI or ^ and an IRI"),
    (terminals("A IRIREF PNAME"), "an IRI"),
    (terminals("IRIREF PNAME"), "an IRI"),
    (terminals(" ".join(SELECTORS)), "a selector (ALL, ANY or SHORTEST)"),
    (terminals("LBRACE PLUS QMARK STAR"), "a repetition (* + ? {n,m})"),
    (terminals("SLASH VBAR"), "/ or |"),
    (terminals("BASE PREFIX QUERY"), "PREFIX, BASE or QUERY"),
    (terminals("IN OPERATOR NOT"), "an operator"),
    (terminals("LANGTAG __CARET"), "a language or datatype"),
)
_TERMINALS = {
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
VOCABULARY = Vocabulary(_GROUPS, _TERMINALS, hint_for, _WORD, instead=_MANY)
