"""Trino, in one process that answers all queries."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.installing import CACHE, Peer, reason
from benchmarks.peers.row_patterns.answers import Answer, read
from benchmarks.peers.row_patterns.jobs import Job
from benchmarks.peers.running import OPTIONS

TRINO = Peer("trino", "Trino", "RowPatternPeer", shared=())
HOUR = 3600  # seconds for all queries


class PeerFailedError(Exception):
    """Trino ended before it had answered; the message says why."""


def ask(jobs: Sequence[Job], classes: str, seconds: int, folder: Path = CACHE / TRINO.name) -> dict[str, Answer]:
    """What Trino says to each query, by its name; ``seconds`` are those that a query may take."""
    asked, answered = folder / "queries.jsonl", folder / "answers.jsonl"
    asked.write_text("".join(json.dumps({"id": job.name, "query": job.trino}) + "\n" for job in jobs), encoding="utf-8")
    command = ["java", *OPTIONS, "-cp", classes, TRINO.driver, str(asked), str(answered), str(seconds)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=HOUR, check=False)
    except subprocess.TimeoutExpired:
        raise PeerFailedError("it did not come to an end") from None
    if ran.returncode:
        raise PeerFailedError(reason(ran.stderr))
    answers = map(json.loads, answered.read_text(encoding="utf-8").splitlines())
    return {answer["id"]: read(answer) for answer in answers}
