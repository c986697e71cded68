"""SQL engines of the JVM on the rows of ``benchmarks.sql``: what they are asked, and what their drivers say."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow

from benchmarks.peers.installing import CACHE, Peer, reason
from benchmarks.peers.running import OPTIONS, Failed
from benchmarks.sql_ticks import KEYS

TOTALS = "SELECT count(*), sum(top), sum(bottom), sum(last)"
MOST = 300  # seconds for a driver
_SHARED = ("Repetition",)
TRINO = Peer("trino", "Trino", "TrinoShapes", _SHARED)
FLINK = Peer("flink-sql", "Flink", "FlinkShapes", _SHARED)


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, as its number, was answered with these numbers: CPU seconds of the process, and seconds on the clock."""

    query: int
    cpu: float
    clock: float
    answer: list[float | None]


@dataclass(frozen=True, slots=True)
class Matched:
    """Matches that a peer counted, the sums of their measures, and the seconds that it took, as in :class:`Asked`."""

    matches: int
    sums: list[float | None]
    cpu: float
    clock: float

    @property
    def seconds(self) -> float:
        """The fewer of both."""
        return min(self.cpu, self.clock)


def run_shapes(peer: Peer, classes: str, queries: Sequence[str], table: pyarrow.Table, times: int) -> Matched | Failed:
    """The first query on rows that lie key after key; the time of the others, which only read them, is taken off.

    All are asked so many times, the first of which warms up.
    """
    values = CACHE / peer.name / "values.bin"
    table["v"].to_numpy().tofile(values)
    arguments = [str(values), str(KEYS), str(times), totals(queries[0]), *queries[1:]]
    try:
        command = ["java", *OPTIONS, "-cp", classes, peer.driver, *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=MOST, check=False)
    except subprocess.TimeoutExpired:
        return Failed("it did not come to an end")
    return Failed(reason(ran.stderr)) if ran.returncode else matched(ran.stdout, len(queries))


def totals(query: str) -> str:
    """The query of a V shape that counts its matches, and adds up their measures."""
    return query.replace("SELECT *", TOTALS)


def matched(output: str, queries: int) -> Matched:
    """The fastest answer of a driver that was asked so many queries in turn, but for the first time."""
    asked = [Asked(**json.loads(line)) for line in output.splitlines() if line.startswith("{")]
    rounds = [asked[first : first + queries] for first in range(queries, len(asked), queries)]
    return min(map(_matched, rounds), key=lambda one: one.seconds)


def _matched(asked: Sequence[Asked]) -> Matched:
    first, *reading = asked
    count, *sums = first.answer
    cpu, clock = (sum(getattr(one, name) for one in reading) for name in ("cpu", "clock"))
    return Matched(int(count or 0), sums, first.cpu - cpu, first.clock - clock)
