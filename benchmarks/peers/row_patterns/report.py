"""What is printed: how many queries agree, what explains those that differ, and, on request, each of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.peers.row_patterns.answers import Answer, Failure
from benchmarks.peers.row_patterns.jobs import Skipped
from benchmarks.peers.row_patterns.verdicts import Verdict

AGREE, DIFFER, UNEXPLAINED = "agree", "differ as docs/sql.md says", "unexplained"
_HEADS = ("", "case files", "random")

Counts = Counter[tuple[str, bool]]


def report(verdicts: Sequence[Verdict], skipped: Iterable[Skipped]) -> str:
    """A table of counts: case files and random queries have a column each."""
    kinds = Counter((_kind(each), each.job.is_random) for each in verdicts)
    known = Counter((_explained(each), each.job.is_random) for each in verdicts if each.explanation)
    left = Counter((each.why, each.is_random) for each in skipped)
    lines = [
        *(_counted("  ", kinds, kind) for kind in (AGREE, DIFFER)),
        *(_counted("    ", known, what) for what in _most_first(known)),
        _counted("  ", kinds, UNEXPLAINED),
        *(_counted("  not asked: ", left, why) for why in _most_first(left)),
    ]
    width = max(len(what) for what, _, _ in lines)
    return "\n".join(f"{what:<{width}}{cases:>12}{random:>9}" for what, cases, random in [_HEADS, *lines])


def _kind(verdict: Verdict) -> str:
    if verdict.explanation is None:
        return UNEXPLAINED
    return DIFFER if verdict.explanation else AGREE


def _explained(verdict: Verdict) -> str:
    return " + ".join(verdict.explanation or ())


def _most_first(counts: Counts) -> list[str]:
    return sorted({what for what, _ in counts}, key=lambda what: (-counts[what, True], -counts[what, False], what))


def _counted(before: str, counts: Counts, what: str) -> tuple[str, str, str]:
    return before + what, f"{counts[what, False]:,}", f"{counts[what, True]:,}"


def described(verdict: Verdict) -> str:
    """A query with all that it takes to ask it again, and both answers."""
    job, what = verdict.job, _explained(verdict) or _kind(verdict)
    answers = f"-- Trino: {_shown(verdict.trino)}\n-- SPAseq: {_shown(verdict.ours)}"
    return f"#### {job.name}: {what}\n{job.text.strip()}\n-- Trino is asked: {job.trino}\n{answers}\n"


def _shown(answer: Answer) -> str:
    if isinstance(answer, Failure):
        return answer.message
    return "\n".join([" | ".join(answer.names), *(" | ".join(map(_shown_value, row)) for row in answer.rows)])


def _shown_value(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case ("list", items):
            return f"[{', '.join(map(_shown_value, items))}]"
    return str(value[1])
