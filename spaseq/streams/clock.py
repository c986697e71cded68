"""What is promised about a stream's future: its watermark."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from spaseq.streams.timestamps import GREATEST, LEAST


@dataclass(slots=True)
class StreamClock:
    """The state of one stream: how many events came, and the promise that none before ``watermark`` will.

    ``newest`` is the latest timestamp that came; both are microseconds, ``LEAST`` before anything is known.
    """

    iri: str
    watermark: int = LEAST
    newest: int = LEAST
    events: int = 0  # all that came, the late ones too
    late: int = 0
    closed: bool = False

    def admit(self, timestamp: int, lateness: int) -> bool:
        """Count an event; False if it is late.  It promises that nothing more than ``lateness`` older will come."""
        self.events += 1
        if timestamp < self.watermark:
            self.late += 1
            return False
        if timestamp > self.newest:
            self.newest = timestamp
            if timestamp - lateness > self.watermark:
                self.watermark = timestamp - lateness
        return True

    def promise(self, time: int) -> None:
        """No event before ``time`` will come; an older promise stays if it says more."""
        self.watermark = max(self.watermark, time)

    def close(self) -> None:
        """No event at all will come."""
        self.closed, self.watermark = True, GREATEST

    def event_name(self) -> str:
        """An IRI for the event counted last, the same in every process."""
        digest = hashlib.blake2b(f"{self.iri}\n{self.events}".encode(), digest_size=16).hexdigest()
        return f"urn:spaseq:event:{digest}"
