"""What is promised about a stream's future: its watermark."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spaseq.streams.batch import Numbers
from spaseq.streams.timestamps import GREATEST, LEAST


@dataclass(slots=True)
class StreamClock:
    """The state of one stream: how many events came, and the promise that none before ``watermark`` will.

    ``newest`` is the latest timestamp that came; both are microseconds, ``LEAST`` before anything is known.  With a
    lateness of ``lateness_needed`` microseconds no event would have been late; ``first_late`` is the first that was.
    """

    iri: str
    watermark: int = LEAST
    newest: int = LEAST
    events: int = 0  # all that came, the late ones too
    late: int = 0
    closed: bool = False
    first_late: str = ""
    lateness_needed: int = 0

    @property
    def is_untouched(self) -> bool:
        """Whether nothing came, and nothing was promised."""
        return self == StreamClock(self.iri)

    def admit(self, times: Numbers, lateness: int) -> NDArray[np.bool_]:
        """Count events that came in this order; False where one is late.

        Each promises that nothing more than ``lateness`` older will come.
        """
        if not len(times):
            return np.ones(0, np.bool_)
        latest = np.maximum.accumulate(times)
        # Before each event: what was promised, and what the events before it promise.
        bound = np.full(len(times), self.watermark, np.int64)
        if lateness < GREATEST:
            bound[1:] = np.maximum(bound[1:], _earlier(latest[:-1], lateness))
            self.watermark = max(self.watermark, int(_earlier(latest[-1:], lateness)[0]))
        in_time: NDArray[np.bool_] = times >= bound
        self.events += len(times)
        if not in_time.all():
            self.late += int(len(times) - in_time.sum())
            behind = (bound - times)[~in_time].view(np.uint64)  # which cannot be too much for unsigned numbers
            self.lateness_needed = max(self.lateness_needed, lateness + int(behind.max()))
        self.newest = max(self.newest, int(times[in_time].max(initial=LEAST)))
        return in_time

    def admit_one(self, time: int, lateness: int) -> bool:
        """``admit`` of a single event."""
        self.events += 1
        if time < self.watermark:
            self.late += 1
            self.lateness_needed = max(self.lateness_needed, lateness + self.watermark - time)
            return False
        self.newest = max(self.newest, time)
        if lateness < GREATEST:
            self.promise(max(LEAST, time - lateness))
        return True

    def promise(self, time: int) -> None:
        """No event before ``time`` will come; an older promise stays if it says more."""
        self.watermark = max(self.watermark, time)

    def close(self) -> None:
        """No event at all will come."""
        self.closed, self.watermark = True, GREATEST

    def event_name(self, number: int) -> str:
        """An IRI for the event with this number (the first one is 1), the same in every process."""
        digest = hashlib.blake2b(f"{self.iri}\n{number}".encode(), digest_size=16).hexdigest()
        return f"urn:spaseq:event:{digest}"


def _earlier(times: Numbers, duration: int) -> Numbers:
    """The times less a duration, ``LEAST`` where that is below the range."""
    earlier = times - np.int64(duration)
    return np.where(earlier > times, LEAST, earlier)
