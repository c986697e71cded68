"""What was dropped of the streams, and what to do about it: nothing is lost in silence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spaseq.streams.clock import StreamClock

_UNITS = (("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000))
OF_NO_STREAM = ""  # rows that name none, or one that nobody reads
_FEW = 10  # from so many of a unit on, what is less than one of it is of no interest


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that made no event of a query: ``cause`` has the number and the stream, ``first`` where it began.

    ``remedy`` says what to do; ``{lateness}`` in it stands for the option or argument of that name.
    """

    cause: str
    remedy: str
    first: str = ""
    is_late: bool = False

    def line(self, option: str = "{}") -> str:
        """All of it in one line; ``option`` is how names of options are written, as in ``--{}``."""
        first = f"; first {self.first}" if self.first else ""
        return f"{self.cause}: {self.remedy.format(lateness=option.format('lateness'))}{first}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many rows were left out because they are no events, and what is wrong with the first."""

    count: int = 0
    first: str = ""

    def __add__(self, more: Skipped) -> Skipped:
        return Skipped(self.count + more.count, self.first or more.first)


def skipped_rows(iri: str, skipped: Skipped) -> Iterator[Loss]:
    """The rows of a stream that were skipped."""
    if skipped.count:
        number = f"{counted(skipped.count, 'malformed row')} of <{iri}>"
        yield Loss(f"{number} {were(skipped.count)} skipped", "mend the source", f"at {skipped.first}")


def late(clock: StreamClock) -> Iterator[Loss]:
    """The events of a stream that came too late."""
    if clock.late:
        number = f"{clock.late:,} of the {counted(clock.events)} of <{clock.iri}>"
        remedy = f"sort the stream or give {{lateness}} {_duration(clock.lateness_needed)}"
        yield Loss(f"{number} came late and {were(clock.late)} dropped", remedy, clock.first_late, is_late=True)


def counted(count: int, noun: str = "event") -> str:
    """A number of things."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def were(count: int) -> str:
    """The verb for so many."""
    return "was" if count == 1 else "were"


def left_out(count: int) -> str:
    """So many steps were left out."""
    return f"{counted(count, 'step')} {were(count)} left out to keep work within its bound"


def _duration(microseconds: int) -> str:
    """A duration as options take it, rounded up."""
    for unit, size in _UNITS:
        if microseconds >= _FEW * size or (microseconds and microseconds % size == 0):
            return f"{-(-microseconds // size)}{unit}"
    return f"{-(-microseconds // 1000)}ms"
