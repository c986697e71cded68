"""What people write who know another language, and how it is said here."""

from __future__ import annotations

import re

from spaseq.languages.paths.path_slip import PathSlip

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
