"""Results between a run and a sink: whatever ends the process, each leaves once, or at least once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from hypothesis import given, settings, strategies as st

from spaseq.cli import delivery
from spaseq.errors import OptionError, SnapshotError
from spaseq.results.formats.writer import MessageOutput
from spaseq.sinks.outbox import Delivered, Outbox
from spaseq.sinks.sink import Outgoing, Sink


class KilledError(Exception):
    """The process ends here."""


@dataclass
class Kept:
    """What outlives processes: what a topic has, the last transaction, the checkpoint; and when the next kill is."""

    arrived: list[Outgoing] = field(default_factory=list)
    checkpoint: tuple[int, tuple[dict[str, str], bytes]] | None = None  # inputs that are worked out, what was delivered
    steps: int = 0  # before a kill

    def step(self) -> None:
        self.steps -= 1
        if self.steps == 0:
            raise KilledError


class RememberingSink(Sink):
    """Takes everything at once; a kill comes before or behind what it does."""

    has_transactions: ClassVar[bool] = True

    def __init__(self, kept: Kept) -> None:
        super().__init__("kept://x")
        self.kept = kept

    def send(self, results: Sequence[Outgoing]) -> None:
        for one in results:
            self.kept.step()
            self.kept.arrived.append(one)

    def flush(self) -> None:
        self.kept.step()

    def mark(self) -> str:
        self.kept.step()
        return str(len(self.kept.arrived))

    def newest(self, run: str, mark: str) -> int | None:
        self.kept.step()
        return max((one.number for one in self.kept.arrived[int(mark or 0) :]), default=None)

    def commit(self, results: Sequence[Outgoing]) -> None:
        self.kept.step()
        self.kept.arrived += results
        self.kept.step()


def process(kept: Kept, inputs: Sequence[int], every: int, waits: bool) -> None:
    """A run: each input makes so many results, and there is a checkpoint after some of them.  KilledError."""
    begin, state = 0, Delivered("run")
    if kept.checkpoint is not None:
        begin, (header, section) = kept.checkpoint
        found = delivery.read(header, section)
        assert found is not None
        state = found
    outbox = Outbox(RememberingSink(kept), state, waits)
    outbox.resume()
    text = MessageOutput(outbox)
    for at in range(begin, len(inputs) + 1):
        if at % every == 0 or at == len(inputs):
            sealed = delivery.written(outbox.sealed())
            kept.step()
            kept.checkpoint = at, sealed
            kept.step()
            outbox.commit()
        if at < len(inputs):
            for number in range(inputs[at]):
                text.write(f"{at}/{number}\n")
            text.flush()
    text.detach()


@given(
    st.lists(st.integers(0, 3), max_size=12), st.integers(1, 5), st.lists(st.integers(1, 30), max_size=8), st.booleans()
)
@settings(deadline=None, max_examples=300)
def test_kills_at_any_moment(inputs: list[int], every: int, kills: list[int], waits: bool) -> None:
    kept = Kept()
    for kept.steps in [*kills, 0]:
        try:
            process(kept, inputs, every, waits)
        except KilledError:
            continue
        break
    expected = [f"{at}/{number}".encode() for at, count in enumerate(inputs) for number in range(count)]
    ids = {one.id: one.data for one in kept.arrived}
    assert [ids[f"run-{number}"] for number in range(1, len(ids) + 1)] == expected
    assert all(ids[one.id] == one.data for one in kept.arrived)
    if waits:
        assert [one.data for one in kept.arrived] == expected


@pytest.mark.parametrize(
    ("newest", "message"),
    [(13, "kept://x has results of this run that came after"), (9, "kept://x lacks results of this run")],
)
def test_a_checkpoint_of_another_time_is_refused(newest: int, message: str) -> None:
    kept = Kept([Outgoing(b"", "run", newest)])
    outbox = Outbox(RememberingSink(kept), Delivered("run", 10, (b"a", b"b")), waits=True)
    with pytest.raises(OptionError, match=message):
        outbox.resume()


def test_what_waits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sinks.outbox.MOST", 10)
    outbox = Outbox(RememberingSink(Kept()), Delivered("run"), waits=True)
    outbox.write(b"12345\n")
    assert not outbox.is_full
    outbox.write(b"67890\n")
    assert outbox.is_full
    outbox.sealed()
    assert not outbox.is_full


def test_what_is_damaged_in_a_checkpoint() -> None:
    header, section = delivery.written(Delivered("run", 1, (b"ab", b"c"), "here"))
    assert delivery.read(header, section) == Delivered("run", 1, (b"ab", b"c"), "here")
    for damaged in ({"json": "{"}, {"json": "{}"}, {"other": ""}):
        with pytest.raises(SnapshotError, match="what was delivered is damaged"):
            delivery.read(damaged, section)
    with pytest.raises(SnapshotError, match="results are missing"):
        delivery.read(header, section[1:])
