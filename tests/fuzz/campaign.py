"""A door under fire for some time: inputs are made of the corpus, and findings kept."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.child import Child
from tests.fuzz.door import CORPUS, Door
from tests.fuzz.outcome import ACCEPTED, REFUSED, Outcome
from tests.fuzz.shrink import TRIES, shrunk

MOST_KINDS = 2_000  # inputs of new kinds that are changed further
HEAVY = 1 << 29  # bytes of a child that is replaced
OFTEN = 20_000  # inputs for one child
FEW_TRIES = 40  # to make an input small for which each try costs a process


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that must not fare as it does; ``alone``: it does so in a process of its own, too."""

    data: bytes
    outcome: Outcome
    alone: bool

    @property
    def name(self) -> str:
        """A name for its file."""
        return f"found-{hashlib.sha256(self.data).hexdigest()[:10]}"


@dataclass
class Tally:
    """What happened at a door."""

    door: str
    seed: int
    counts: dict[str, int] = field(default_factory=lambda: {ACCEPTED: 0, REFUSED: 0})
    findings: list[Finding] = field(default_factory=list)
    slowest: float = 0.0
    largest: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self.counts[outcome.kind] = self.counts.get(outcome.kind, 0) + 1
        self.slowest, self.largest = max(self.slowest, outcome.seconds), max(self.largest, outcome.size)

    def line(self) -> str:
        """All of it in a line."""
        counts, tried = self.counts, sum(self.counts.values())
        bad = ", ".join(f"{count} {kind}" for kind, count in counts.items() if kind not in (ACCEPTED, REFUSED))
        return (
            f"{self.door:<9} {tried:>8,} inputs  {counts[ACCEPTED]:>8,} accepted  {counts[REFUSED]:>8,} refused  "
            f"{len(self.findings):>3} findings{f' ({bad})' if bad else ''}  slowest {self.slowest:.2f} s  "
            f"largest {self.largest >> 20} MB  seed {self.seed}"
        )


class Campaign:
    """Puts changed inputs through a door; the inputs depend on the seed and on what became of those before."""

    def __init__(self, door: Door, seed: int, save: Path = CORPUS) -> None:
        self.tally = Tally(door.name, seed)
        self._door = door
        self._save = save / door.name
        self._pool = door.inputs()
        self._kinds: set[str] = set()
        self._child: Child | None = None
        self._asked = 0

    def run(self, seconds: float = float("inf"), inputs: int | None = None) -> Tally:
        """Go on until the time is over, or so many inputs were tried."""
        end = time.monotonic() + seconds
        try:
            for number, data in enumerate(self._inputs()):
                if time.monotonic() > end or number == inputs:
                    break
                self._try(data)
        finally:
            self._close()
        return self.tally

    def _inputs(self) -> Iterator[bytes]:
        number = 0
        while True:
            choose = random.Random(f"{self._door.name} {self.tally.seed} {number}")
            data, other = choose.choice(self._pool or [b""]), choose.choice(self._pool or [b""])
            yield self._door.mutate(data, other, self._door.words, choose)
            number += 1

    def _try(self, data: bytes) -> None:
        outcome = self._ask(data)
        self.tally.add(outcome)
        is_new = outcome.signature not in self._kinds
        self._kinds.add(outcome.signature)
        if outcome.is_finding and is_new:
            self._keep(data, outcome)
        elif is_new and len(self._kinds) < MOST_KINDS:
            self._pool.append(data)

    def _keep(self, data: bytes, outcome: Outcome) -> None:
        """Make a finding small, and a file."""
        alone = self._fares_so(data, outcome, Child(self._door.name))
        if alone:
            data = self._shrunk(data, outcome)
        finding = Finding(data, outcome, alone)
        self.tally.findings.append(finding)
        self._save.mkdir(parents=True, exist_ok=True)
        (self._save / finding.name).write_bytes(data)
        print(f"{self._door.name}: {self._save / finding.name} ({len(data)} bytes): {outcome.kind}: {outcome.detail}")
        if not alone:
            print("  (not alone: what came before it matters)")

    def _shrunk(self, data: bytes, outcome: Outcome) -> bytes:
        costly = outcome.kind in ("crash", "slow", "large")
        return shrunk(data, lambda some: self._ask(some).signature == outcome.signature, FEW_TRIES if costly else TRIES)

    def _fares_so(self, data: bytes, outcome: Outcome, child: Child) -> bool:
        with child:
            return child.ask(data).signature == outcome.signature

    def _ask(self, data: bytes) -> Outcome:
        self._asked += 1
        if self._child is None or not self._child.alive or self._child.size > HEAVY or self._asked % OFTEN == 0:
            self._close()
            self._child = Child(self._door.name)
        return self._child.ask(data)

    def _close(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None
