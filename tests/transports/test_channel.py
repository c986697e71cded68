"""The way from the thread that receives to the reader: bounded, in order, with an end; and what is said of outages."""

from __future__ import annotations

import select
import threading

import pytest
from hypothesis import given, strategies

from spaseq.errors import OptionError, StreamError
from spaseq.sources.transports import receiving
from spaseq.sources.transports.addresses import Address
from spaseq.sources.transports.channel import OVERHEAD, Channel
from spaseq.sources.transports.receiving import Outages
from spaseq.sources.transports.transport import AT_ONCE, Message


def is_ready(channel: Channel) -> bool:
    poll = select.poll()
    poll.register(channel.descriptor(), select.POLLIN)
    return bool(poll.poll(0))


def drained(channel: Channel) -> list[bytes]:
    """All messages up to the end, waiting for each at the descriptor."""
    found: list[bytes] = []
    poll = select.poll()
    poll.register(channel.descriptor(), select.POLLIN)
    while (some := channel.take()) is not None:
        found += [one.data for one in some]
        if not some:
            poll.poll()
    return found


@given(strategies.lists(strategies.lists(strategies.binary(max_size=20))), strategies.integers(1, 1000))
def test_all_messages_come_in_order_whatever_its_capacity(batches: list[list[bytes]], capacity: int) -> None:
    channel = Channel(capacity)

    def put() -> None:
        for some in batches:
            channel.put([Message(one) for one in some])
        channel.end()

    thread = threading.Thread(target=put)
    thread.start()
    assert drained(channel) == [one for some in batches for one in some]
    thread.join()
    channel.close()


def test_its_descriptor_is_ready_as_long_as_something_is_there() -> None:
    channel = Channel()
    assert not is_ready(channel)
    channel.put([Message(bytes(AT_ONCE)), Message(b"b")])
    assert is_ready(channel)
    assert len(channel.take() or ()) == 1
    assert is_ready(channel), "the second one is there"
    assert len(channel.take() or ()) == 1
    assert not is_ready(channel)
    channel.end()
    assert is_ready(channel)
    assert channel.take() is None
    channel.close()


def test_an_error_comes_behind_the_messages() -> None:
    channel = Channel()
    channel.put([Message(b"a")])
    channel.end(StreamError("gone"))
    assert [one.data for one in channel.take() or ()] == [b"a"]
    with pytest.raises(StreamError, match="gone"):
        channel.take()


def test_full_it_drops_if_it_is_asked_to() -> None:
    channel = Channel(2 * OVERHEAD, drops=True)
    for number in range(5):
        assert channel.put([Message(b""), Message(b"%d" % number)])
    assert (len(channel.take() or ()), channel.dropped) == (2, 8)
    channel.put([Message(b"")])
    assert (len(channel.take() or ()), channel.dropped) == (1, 8)


def test_who_waits_to_put_goes_on_when_it_is_closed() -> None:
    channel = Channel(1)
    channel.put([Message(b"a")])
    went_on: list[bool] = []
    thread = threading.Thread(target=lambda: went_on.append(channel.put([Message(b"b")])))
    thread.start()
    channel.close()
    thread.join(10)
    assert went_on == [False]
    assert not channel.pause(100)


def outages(settings: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Outages, list[float]]:
    """Outages at times that the test tells (the last of the list)."""
    now = [0.0]
    monkeypatch.setattr(receiving.time, "monotonic", lambda: now[-1])
    monkeypatch.setattr(receiving.random, "uniform", lambda _, most: most)
    return Outages(Address.of(f"http://h/x?{settings}", ())), now


def test_pauses_grow_to_a_minute(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    known, now = outages("", monkeypatch)
    known.mended()
    assert [known.failed("no route") for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    now.append(95)
    known.mended()
    known.mended()
    assert known.failed("again") == 1
    assert caplog.messages == [
        "warning: http://h/x: no route; trying again",
        "warning: http://h/x: connected again after 95 s",
        "warning: http://h/x: again; trying again",
    ]


def test_an_outage_ends_with_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    known, now = outages("retry=5s", monkeypatch)
    assert [known.failed("away") for _ in range(2)] == [1, 2]
    now.append(4)
    assert known.failed("away") == 1, "no longer than retry"
    now.append(5)
    with pytest.raises(StreamError, match="http://h/x: error: cannot read: away"):
        known.failed("away")


def test_a_first_failure_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    known, _ = outages("", monkeypatch)
    with pytest.raises(StreamError, match="cannot read: no such host"):
        known.failed("no such host")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("x://h/t?a=1&a=2", "x://h/t: the setting a is given twice"),
        ("x://h/t?b=2", "x://h/t: there is no setting b; "),
        ("x://h/t?api_token=2", "x://h/t: api_token in a URL is seen by others"),
        ("x://u:p@h/t?a=1", "x://h/t: a password in a URL is seen by others"),
        ("x://h/t?retry=soon", "x://h/t: retry=soon: "),
        ("x://h/t?overflow=no", "x://h/t: overflow=no is none of wait, drop"),
    ],
)
def test_addresses(url: str, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}"):
        address = Address.of(url, ("a",))
        address.seconds("retry", 1)
        address.choice("overflow", ("wait", "drop"))
