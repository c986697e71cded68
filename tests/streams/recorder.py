"""What readers of messages hand on."""

from __future__ import annotations

from spaseq.sources.rdf.assembler import Received
from spaseq.sources.rdf.wire import TAKEN, UNSURE


class Recorder:
    """An assembler that keeps messages instead of events."""

    nothing = None

    def __init__(self) -> None:
        self.found: list[Received] = []

    def read_messages(self, block: bytes, start: int, *_: bool) -> tuple[int, int]:
        return start, UNSURE if start < len(block) else TAKEN

    def take_message(self, message: Received) -> None:
        self.found.append(message)

    def take(self) -> None:
        return None
