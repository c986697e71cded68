"""What lies between a run, which writes results, and the sink that takes them.

Results leave at once, or wait for a checkpoint: then they are in it before they leave, in one transaction.  Whatever
ends the process, the next run looks whether they have arrived, and else sends them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from spaseq.errors import OptionError
from spaseq.sinks.sink import Outgoing, Sink

MOST = 16 << 20  # bytes of results that wait for a checkpoint before one is due


@dataclass(frozen=True, slots=True)
class Delivered:
    """How far a run has delivered its results: what its checkpoint says.

    ``run`` is its name, the same until it ends; ``results`` counts those that were made before ``waiting``, the results
    of the next transaction, which stand behind ``mark``.
    """

    run: str
    results: int = 0
    waiting: tuple[bytes, ...] = ()
    mark: str = ""


class Outbox(io.RawIOBase):
    """A file of lines, each of which is a result; ``put`` takes one of any form.

    ``waits``: results wait until they are in a checkpoint (``sealed``, then ``commit``); else they leave with
    ``flush``.
    """

    def __init__(self, sink: Sink, state: Delivered, waits: bool = False) -> None:
        super().__init__()
        self.sink = sink
        self.waits = waits
        self.on_cut: Callable[[], None] = lambda: None  # writes what a writer holds back
        self._state = state
        self._made: list[bytes] = []  # since the last flush or transaction
        self._size = 0
        self._is_due = False  # a checkpoint, as somebody holds much back

    # ── from the writer ──────────────────────────────────────────────────────────────────────────────────────
    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Whole lines."""
        for line in data.splitlines(keepends=True):
            self.put(line.rstrip(b"\n"))
        return len(data)

    def put(self, result: bytes) -> None:
        """One result."""
        self._made.append(result)
        self._size += len(result)

    def may_leave(self) -> bool:
        """Whether a result that was begun may be ended; False: with the next checkpoint, which is due."""
        self._is_due = self.waits
        return not self.waits

    def flush(self) -> None:
        """Send what came, unless it waits."""
        if self.waits or not self._made:
            return
        made, self._made, self._size = self._made, [], 0
        self.sink.send(self._numbered(made))
        self._state = replace(self._state, results=self._state.results + len(made))

    # ── checkpoints ──────────────────────────────────────────────────────────────────────────────────────────
    @property
    def is_full(self) -> bool:
        """Whether so much waits that a checkpoint is due."""
        return self._is_due or self._size >= MOST

    def resume(self) -> None:
        """Send what the checkpoint has and the sink has not.  OptionError: they do not belong together."""
        if not self.waits:
            return
        state = self._state
        arrived = self.sink.newest(state.run, state.mark)
        end = state.results + len(state.waiting)
        if arrived is not None and not state.results <= arrived <= end:
            raise OptionError(_mismatch(self.sink.url, arrived > end))
        if state.waiting and (arrived or 0) < end:
            self.sink.commit(self._numbered(state.waiting))
        self._state = replace(state, results=end, waiting=(), mark=self.sink.mark())

    def sealed(self) -> Delivered:
        """What a checkpoint says now; all that left before has arrived."""
        self.on_cut()
        self.flush()
        self._is_due = False
        if not self.waits:
            self.sink.flush()
            return self._state
        if self._made:
            waiting, self._made, self._size = tuple(self._made), [], 0
            self._state = replace(self._state, waiting=waiting, mark=self.sink.mark())
        return self._state

    def commit(self) -> None:
        """The checkpoint is written: its results leave."""
        state = self._state
        if state.waiting:
            self.sink.commit(self._numbered(state.waiting))
            self._state = replace(state, results=state.results + len(state.waiting), waiting=())

    def finish(self) -> None:
        """No result comes any more, and there is no checkpoint: all have arrived."""
        self.on_cut()
        self.flush()
        self.sink.flush()

    def _numbered(self, made: Sequence[bytes]) -> list[Outgoing]:
        state = self._state
        return [Outgoing(data, state.run, number) for number, data in enumerate(made, state.results + 1)]


def _mismatch(url: str, is_later: bool) -> str:
    if is_later:
        why = f"{url} has results of this run that came after this checkpoint"
        return f"{why}: go on with the newest one, or begin anew without a checkpoint"
    why = f"{url} lacks results of this run, or is another one"
    return f"{why}: go on with the one that has them, or begin anew without a checkpoint"
