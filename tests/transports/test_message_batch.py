"""Messages that are looked at together: their bytes at once, the rest of each when it is asked for."""

from __future__ import annotations

from hypothesis import given, strategies

from spaseq.sources.transports.message_batch import Message, MessageBatch

DATA = strategies.lists(strategies.binary(max_size=9))


def numbered(data: list[bytes]) -> MessageBatch:
    return MessageBatch.of([Message(one, number) for number, one in enumerate(data)])


@given(DATA, strategies.integers(0, 30))
def test_parts_are_all_of_them_in_order(data: list[bytes], size: int) -> None:
    messages = numbered(data)
    parts = list(messages.parts(size))
    assert list(MessageBatch.joined(parts)) == list(messages)
    assert all(parts)
    assert all(one.size <= size or sum(map(len, one.data[:-1])) < max(size, 1) for one in parts)
    assert all(one.size >= size for one in parts[:-1])


@given(DATA)
def test_halves(data: list[bytes]) -> None:
    messages = numbered(data)
    before, behind = messages.halves()
    assert [*before, *behind] == list(messages)
    assert len(behind) - len(before) in (0, 1)


def test_a_message_is_made_when_somebody_asks_for_it() -> None:
    made = list[int]()

    def make(one: int) -> Message:
        made.append(one)
        return Message(b"%d" % one, one)

    messages = MessageBatch([b"3", b"4", b"5"], [3, 4, 5], make)
    assert (len(messages), messages.size, messages[1:].data, made) == (3, 3, [b"4", b"5"], [])
    assert (messages[-1].position, made) == (5, [5])
    assert MessageBatch.of(messages) is messages
    assert MessageBatch.joined([messages[:1], messages[2:]])[1] == Message(b"5", 5)
