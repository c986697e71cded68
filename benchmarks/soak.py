"""Memory and CPU time while millions of events go through a query, each with fresh strings and a fresh IRI.

Run: ``python -m benchmarks.soak [EVENTS] [NAME …]``, see ``RUNS``.  The exit code is 1 if after the warm-up memory grew
by more than a tenth, or the last fifth of the events took over a tenth more CPU time than the second (a third, where a
fifth is over in two seconds, in which chance is more).  Time is counted in what it takes to make the events, the same
work from the first to the last: machines change their speed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks import registrations
from benchmarks.memory import resident

WINDOW = "WITHIN 10 SECONDS SLIDING"
QUERY = """
PREFIX : <urn:soak:>
SELECT ?user ?note1 ?note2
%(window)s
FROM STREAM s <urn:soak:stream>
FROM STREAM t <urn:soak:other>
WHERE {
  SEQ(%(sequence)s)
  DEFINE GPM A ON s { ?session1 :user ?user ; :note ?note1 ; :comment ?comment1 ; :level 1 }
  DEFINE GPM B ON %(second)s { ?session2 :user ?user ; :note ?note2 ; :comment ?comment2 ; :level 2 }
%(third)s}
"""
NEVER = "  DEFINE GPM C ON s { ?session3 :user ?user ; :level 3 }\n"
SUMS = """
PREFIX : <urn:soak:>
SELECT ?note1 ?note2 ?note3
%s
FROM STREAM s <urn:soak:stream>
WHERE {
  SEQ(A : B : C)
  DEFINE GPM A ON s { ?session1 :note ?note1 ; :level 1 ; :value ?a }
  DEFINE GPM B ON s { ?session2 :note ?note2 ; :level 2 ; :value ?b }
  DEFINE GPM C ON s { ?session3 :note ?note3 ; :level 3 ; :value ?c FILTER(?a + ?b + 97 < ?c) }
}
"""
BLOCK = 1000  # events in one write
SAMPLES = 20
USERS = 1000
WARM_UP = 700_000  # events until everything that is kept for a while has been renewed once
MOST = 1.1
MOST_IN_SHORT = 1.33
SHORT = 2.0  # seconds of CPU time
PROV = "<http://www.w3.org/ns/prov#generatedAtTime>"
LONG = "^^<http://www.w3.org/2001/XMLSchema#long>"
TIME = f'<urn:soak:event:%(n)d> {PROV} "%(time)d"{LONG} .\n'
EVENT = (
    "<urn:soak:session:%(n)d> <urn:soak:user> <urn:soak:user:%(user)d> <urn:soak:event:%(n)d> .\n"
    '<urn:soak:session:%(n)d> <urn:soak:note> "a note nobody wrote before, number %(n)d" <urn:soak:event:%(n)d> .\n'
    '<urn:soak:session:%(n)d> <urn:soak:comment> "and a comment on number %(n)d" <urn:soak:event:%(n)d> .\n'
    '<urn:soak:session:%(n)d> <urn:soak:level> "%(level)d"^^<http://www.w3.org/2001/XMLSchema#integer> '
    "<urn:soak:event:%(n)d> .\n"
)
VALUE = (
    '<urn:soak:session:%(n)d> <urn:soak:value> "%(value)d"^^<http://www.w3.org/2001/XMLSchema#integer> '
    "<urn:soak:event:%(n)d> .\n"
)


class Sample(NamedTuple):
    """After so many events: resident memory in MB; seconds of CPU so far, and those that made the events."""

    events: int
    memory: float
    seconds: float
    making: float


@dataclass(frozen=True, slots=True)
class Run:
    """``events`` unless fewer are asked for; they are ``shuffled`` by up to 40 ms, or come in order, 1 ms apart.

    ``batch`` 0: they are piped into ``spaseq run``; else so many are pushed at once, with ``turns`` to two streams in
    turn.  No event fits a third step of ``sequence``.  ``options`` are further ones of ``spaseq run``.
    """

    events: int
    window: str = WINDOW
    lateness: int = 0  # milliseconds
    shuffled: bool = False
    batch: int = 0
    turns: bool = False
    sequence: str = "A ; B"
    text: str = TIME + EVENT
    options: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """In SPAseq."""
        third = NEVER if "C" in self.sequence else ""
        second = "t" if self.turns else "s"
        text = QUERY % {"window": self.window, "second": second, "sequence": self.sequence, "third": third}
        return text if self.turns else text.replace("FROM STREAM t <urn:soak:other>\n", "")

    def event(self, number: int) -> dict[str, int]:
        """What fills in the text of an event."""
        behind = number * 17 % 41 if self.shuffled else 0
        level = 1 + (number // self.batch % 2 if self.turns else number // USERS % 2)
        return {"n": number, "time": (number + 41 - behind) * 1000, "user": number * 7919 % USERS, "level": level}


@dataclass(frozen=True, slots=True)
class Phases(Run):
    """A filter over three events.  In every other phase of so many events the last of them is rare, and values differ;
    else it is one of three.  So steps wait, and are made at once, in turn.
    """

    window: str = "WITHIN 300 MILLISECONDS SLIDING"
    text: str = TIME + EVENT + VALUE
    phase: int = 50_000

    @property
    def query(self) -> str:
        """In SPAseq."""
        return SUMS % self.window

    def event(self, number: int) -> dict[str, int]:
        """What fills in the text of an event."""
        is_rare, mixed = number // self.phase % 2 == 0, number * 7919
        if number % (10_000 if is_rare else 3) == 0:
            level, value = 3, mixed % 100
        else:
            level, value = (1 + number % 2, 100 + mixed % 1000) if is_rare else (number % 3, mixed % 10)
        return Run.event(self, number) | {"level": level, "value": value}


RUNS = {
    "piped": Run(20_000_000),
    "lateness": Run(5_000_000, lateness=50, shuffled=True),
    "events": Run(5_000_000, window="WITHIN 10000 EVENTS SLIDING"),
    "in turn": Run(5_000_000, lateness=50, shuffled=True, batch=20, turns=True),
    "pushed": Run(5_000_000, lateness=50, shuffled=True, batch=1),
    "many at once": Run(5_000_000, batch=2000),
    "a side that never comes": Run(5_000_000, sequence="A ; (B && C)"),
    "rare and frequent": Phases(5_000_000),
    "within a bound": Phases(5_000_000, options=("--work-bound", "100", "--recall-sample", "0.02")),
}


def blocks(run: Run, events: int) -> Iterator[bytes]:
    """The stream as N-Quads, a thousand events at a time."""
    for first in range(0, events, BLOCK):
        numbers = range(first, min(first + BLOCK, events))
        yield "".join(run.text % run.event(n) for n in numbers).encode()


def processor_seconds(process: int) -> float:
    """CPU time of a process (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def piped(run: Run, events: int) -> Iterator[Sample]:
    """Samples of ``spaseq run``."""
    with tempfile.TemporaryDirectory() as folder:
        query = Path(folder) / "soak.spaseq"
        query.write_text(run.query)
        command = [sys.executable, "-m", "spaseq", "run", str(query), "--stream", "s=-", "--count"]
        command += ["--lateness", f"{run.lateness}ms"] if run.lateness else []
        command += run.options
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stdout is not None
            begun = time.process_time()
            for number, block in enumerate(blocks(run, events), 1):
                process.stdin.write(block)
                if is_sampled(number * BLOCK, events, BLOCK):
                    made = time.process_time() - begun
                    yield Sample(number * BLOCK, resident(process.pid), processor_seconds(process.pid), made)
            process.stdin.close()
            print(f"  matches {process.stdout.read().decode().strip()}")


def pushed(name: str, events: int) -> Iterator[Sample]:
    """Samples of ``benchmarks.soak_pushes``, which is a process of its own."""
    command = [sys.executable, "-m", "benchmarks.soak_pushes", name, str(events)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            count, *measured = line.split()
            yield Sample(int(count), *map(float, measured))


def is_sampled(number: int, events: int, step: int) -> bool:
    """Whether one of the twenty parts of a run has ended in the last ``step`` events."""
    return number * SAMPLES // events > (number - step) * SAMPLES // events


def growth(samples: Sequence[Sample]) -> float:
    """The most memory after the warm-up by the most until then."""
    last = samples[-1].events
    warm = max(1, sum(sample.events <= min(WARM_UP, last * 7 // 10) for sample in samples))
    return max(one.memory for one in samples[warm:]) / max(one.memory for one in samples[:warm])


def slowing(samples: Sequence[Sample]) -> float:
    """The CPU time of the last fifth of the events by that of the second, by the time that it took to make them."""
    fifth = len(samples) // 5
    return _taken(samples[-1 - fifth], samples[-1]) / _taken(samples[fifth - 1], samples[2 * fifth - 1])


def is_slower(samples: Sequence[Sample], most: float = MOST) -> bool:
    """Whether the last fifth took over ``most`` times as long as the second."""
    fifth = samples[-1].seconds - samples[-1 - len(samples) // 5].seconds
    return slowing(samples) > (most if fifth > SHORT else MOST_IN_SHORT)


def _taken(first: Sample, last: Sample) -> float:
    return (last.seconds - first.seconds) / (last.making - first.making)


def is_steady(name: str, found: Callable[[], Iterator[Sample]]) -> bool:
    """Print what is measured; whether it does not grow."""
    samples: list[Sample] = []
    for sample in found():
        samples.append(sample)
        print(
            f"  {sample.events:>12,} {sample.memory:8.1f} MB {sample.seconds:8.1f} s {sample.making:8.1f} s", flush=True
        )
    grown = growth(samples)
    print(f"  {name}: most memory after the warm-up / until then {grown:.3f}")
    print(f"  {name}: CPU time by that of making, last fifth / second {slowing(samples):.3f}", flush=True)
    return grown <= MOST and not is_slower(samples)


def main(*arguments: str) -> int:
    """0 if no run grew."""
    numbers = [int(one) for one in arguments if one.isdigit()]
    names = [one for one in arguments if not one.isdigit()]
    steady = []
    for name in names or RUNS:
        run = RUNS[name]
        events = min(run.events, *numbers) if numbers else run.events
        print(
            f"{name}: {events:,} events, each with a fresh IRI and two fresh strings; resident memory, CPU time, making"
        )
        steady.append(is_steady(name, lambda: pushed(name, events) if run.batch else piped(run, events)))  # noqa: B023
    if not arguments:
        steady.append(registrations.main() == 0)
    return int(not all(steady))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
