"""What people write who know another language, and how it is said here."""

from __future__ import annotations

import re

from spaseq.languages.spaseq.query_slip import QuerySlip

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
