"""``kafka://host:9092/topic``: each partition is read from where a setting or a checkpoint says.

There is no consumer group: nobody else is told how far this has come, and nobody shares the partitions.
"""

from __future__ import annotations

import logging
import threading
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.transports.addresses import Address
from spaseq.sources.transports.channel import CAPACITY, Channel
from spaseq.sources.transports.receiving import JOINED, Outages
from spaseq.sources.transports.transport import Message, MessageBatch, Position, Transport
from spaseq.streams.timestamps import from_xsd

SETTINGS = ("start", "end", "partition", "user", "password")
CONTACT = 5.0  # seconds within which a broker answers, at the beginning
STEP = 0.1  # seconds that the thread waits for messages before it looks around
WATCHED = 30.0  # seconds between two looks whether there are new partitions
AT_ONCE = 1000  # messages
LEAST_CAPACITY = 1 << 20  # bytes of a partition
_RECORD: Any = confluent_kafka.Message  # to mypy its offset may be None, which that of what came never is
_OWN = (
    "group.",
    "enable.",
    "auto.",
    "bootstrap.",
    "partition.",
    "test.",
    "transactional.",
)  # properties that are not up to users
DOWN = {KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT, KafkaError._RESOLVE}
HOPELESS = {KafkaError._SSL, KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED}
_READING = {
    "group.id": "spaseq",  # of which nothing is made: positions are not committed
    "enable.auto.commit": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",
    "queued.max.messages.kbytes": 16_384,
    "isolation.level": "read_committed",
}
SILENT = logging.getLogger("spaseq.transports.librdkafka")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False


class Topic(Transport):
    """A topic; its partitions are what is read."""

    resumes = True

    def __init__(self, url: str) -> None:
        self.address = Address.of(url, SETTINGS, is_property)
        super().__init__(self.address.shown)
        self.topic = self.address.path
        check_topic(self.address)
        self.start = _start(self.address)
        self.ends = self.address.choice("end", ("never", "now")) == "now"
        self.client = Client(self.address, self.topic)
        self._all: Sequence[Transport] | None = None  # of its partitions, where somebody reads them as one

    def take(self) -> Sequence[Message] | None:
        """See ``Transport``: of all partitions, as they come, for who reads bytes."""
        if self._all is None:
            self._all = self.partitions()
        found = [one.take() for one in self._all]
        return None if all(some is None for some in found) else [one for some in found for one in some or ()]

    def close(self) -> None:
        """See ``Source``."""
        for one in self._all or ():
            one.close()

    def partitions(self) -> Sequence[Transport]:
        """Those that there are, or the one that is asked for."""
        numbers = self.client.numbers()
        if asked := self.address.get("partition"):
            if asked not in map(str, numbers):
                raise self.address.error(f"there is no partition {asked}, but 0 to {len(numbers) - 1}")
            numbers = [int(asked)]
        drops = self.address.choice("overflow", ("wait", "drop")) == "drop"
        capacity = max(LEAST_CAPACITY, CAPACITY // len(numbers))
        channels = {number: Channel(capacity, drops) for number in numbers}
        offsets = self.client.offsets(numbers, self.start)
        consuming = Consuming(self.client, channels, self.ends)
        return [TopicPart(self, number, offsets[number], consuming) for number in numbers]


class Client:
    """What speaks to brokers about a topic."""

    def __init__(self, address: Address, topic: str, verb: str = "read") -> None:
        self.address = address
        self.topic = topic
        self.place = Location(address.shown)
        self.outages = Outages(address, verb)
        self.reasons: list[KafkaError] = []  # what librdkafka has told since somebody asked
        self._consumer: Consumer | None = None

    @property
    def consumer(self) -> Consumer:
        """That of librdkafka."""
        if self._consumer is None:
            self._consumer = self.opened({})
        return self._consumer

    def opened(self, properties: dict[str, Any]) -> Consumer:
        """One with properties of its own.  OptionError: the URL has one that there is not."""
        given = client_properties(self.address) | {"error_cb": self.reasons.append}
        try:
            return Consumer({**_READING, **given, **properties}, logger=SILENT)
        except KafkaException as error:
            raise self.address.error(error.args[0].str()) from None

    def numbers(self) -> list[int]:
        """The numbers of the partitions.  StreamError: no broker answers, or there is no such topic."""
        limit = time.monotonic() + self.address.seconds("retry", CONTACT)
        while (found := self.asked()) is None:
            if time.monotonic() >= limit or self._is_hopeless():
                raise self.failure()
        return found

    def asked(self) -> list[int] | None:
        """The numbers of the partitions; None: no broker answers.  StreamError: there is no such topic."""
        try:
            found = self.consumer.list_topics(self.topic, timeout=1.0).topics[self.topic]
        except KafkaException as error:
            self.consumer.poll(0)  # which lets the reasons be told
            self.reasons.append(error.args[0])
            return None
        if found.error is not None and found.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise self.failed(f"there is no topic {self.topic}")
        if found.error is not None and not found.error.retriable():
            raise self.failed(f"the topic {self.topic} cannot be read: {found.error.str()}")
        return sorted(found.partitions) or None

    def offsets(self, numbers: Sequence[int], start: str | int) -> dict[int, tuple[int, int, int]]:
        """By partition: where to begin, the first offset that there is, and the one behind the last."""
        found = {}
        try:
            bounds = {number: self._bounds(number) for number in numbers}
            times = self._at(numbers, start) if isinstance(start, int) else {}
        except KafkaException as error:
            raise self.failed(f"cannot read: {error.args[0].str()}") from None
        for number, (low, high) in bounds.items():
            begin = times.get(number, low if start == "earliest" else high)
            found[number] = (begin if begin >= 0 else high), low, high
        return found

    def _bounds(self, number: int) -> tuple[int, int]:
        low, high = self.consumer.get_watermark_offsets(TopicPartition(self.topic, number), timeout=CONTACT)
        return low, high

    def _at(self, numbers: Sequence[int], microseconds: int) -> dict[int, int]:
        """The first offset of each partition whose message is not before a time; negative: there is none."""
        asked = [TopicPartition(self.topic, number, -(-microseconds // 1000)) for number in numbers]
        return {one.partition: one.offset for one in self.consumer.offsets_for_times(asked, timeout=CONTACT)}

    def failure(self) -> StreamError:
        """Why no broker answers."""
        told = self._is_hopeless() or next((one for one in self.reasons if one.code() in DOWN), None)
        reason = told.str() if told else "no broker answers"
        hint = (
            "tls: ssl.ca.location says which authorities are trusted" if told and told.code() == KafkaError._SSL else ""
        )
        return self.failed(f"cannot reach a broker: {reason}", hint)

    def failed(self, message: str, hint: str = "") -> StreamError:
        """An error of this topic, in which nothing is secret."""
        return StreamError(self.address.told(message), self.place, hint=hint)

    def _is_hopeless(self) -> KafkaError | None:
        """What trying again does not mend."""
        return next((one for one in self.reasons if one.code() in HOPELESS or one.fatal()), None)

    def check(self) -> None:
        """Say that brokers cannot be reached, once, or that they can again.  StreamError: for too long, or for good."""
        if self._is_hopeless():
            raise self.failure()
        down = next((one for one in self.reasons if one.code() in DOWN), None)
        self.reasons.clear()
        if down is not None or self.outages.is_out:
            if self.asked() is None:
                self.outages.failed(down.str() if down else "no broker answers")
            else:
                self.outages.mended()

    def close(self) -> None:
        """Speak no more."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None


class TopicPart(Transport):
    """A partition, which is read from its topic's thread; positions are offsets."""

    resumes = True

    def __init__(self, topic: Topic, number: int, offsets: tuple[int, int, int], consuming: Consuming) -> None:
        super().__init__(f"{topic.url}[{number}]")
        self.name, self.format = str(number), topic.address.get("format")
        begin, self._low, self._high = offsets
        self.position = begin - 1
        self._number = number
        self._consuming = consuming
        self._channel = consuming.channels[number]
        consuming.begins[number] = begin

    def go_on(self, position: Position) -> None:
        """See ``Transport``.  StreamError: what is behind the position is not there any more, or never was."""
        assert isinstance(position, int)
        begin, place = position + 1, Location(self.url)
        if begin < self._low:
            lost = self._low - begin
            raise StreamError(
                f"{lost:,} messages behind offset {position:,} were deleted before they were read", place,
                hint="keep messages for longer (retention), or begin anew without the checkpoint",
            )  # fmt: skip
        if begin > self._high:
            raise StreamError(f"it ends before offset {begin:,}: this is another topic of that name", place)
        self._consuming.begins[self._number] = begin
        super().go_on(position)

    def take(self) -> Sequence[Message] | None:
        """See ``Transport``."""
        self._consuming.begin()
        found = self._channel.take()
        self.dropped = self._channel.dropped
        return found

    def descriptor(self) -> int | None:
        """See ``Source``."""
        self._consuming.begin()
        return None if self._channel.is_closed else self._channel.descriptor()

    def close(self) -> None:
        """See ``Source``."""
        self._channel.close()
        self._consuming.close()


class Consuming:
    """The thread of a topic: it shares messages out to the channels of partitions.  What is full is not fetched."""

    def __init__(self, client: Client, channels: Mapping[int, Channel], ends: bool) -> None:
        self._client = client
        self.channels = channels
        self.begins: dict[int, int] = {}
        self._ends = ends
        self._stops: dict[int, int] = {}  # where each partition ends, if it does
        self._count = 0  # of the partitions of the topic
        self._paused: set[int] = set()
        self._watched = time.monotonic()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Receive, from now on."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._client.address.shown, daemon=True)
            self._thread.start()

    def close(self) -> None:
        """A partition was closed; after the last one nothing is received."""
        if self._open():
            return
        if self._thread is None:
            self._client.close()
        elif self._thread is not threading.current_thread():
            self._thread.join(JOINED)

    def _open(self) -> list[int]:
        """The partitions that are still read."""
        return [number for number, channel in self.channels.items() if not channel.is_closed]

    def _run(self) -> None:
        try:
            self._receive()
        except KafkaException as error:
            self._end(self._client.failed(f"cannot read: {error.args[0].str()}"))
        except Exception as error:
            self._end(error)
        finally:
            self._client.close()

    def _end(self, error: Exception) -> None:
        for channel in self.channels.values():
            channel.end(error)

    def _receive(self) -> None:
        client = self._client
        self._count = len(client.numbers())
        if self._ends:
            found = client.offsets(list(self.begins), "latest")
            self._stops = {number: stop for number, (stop, _, _) in found.items()}
        client.consumer.assign([TopicPartition(client.topic, *one) for one in self.begins.items()])
        client.outages.mended()
        waiting = {number for number, begin in self.begins.items() if begin < self._stops.get(number, begin + 1)}
        for number in self.begins.keys() - waiting:
            self.channels[number].end()
        while waiting & set(self._open()):
            waiting -= self._share_out(client.consumer.consume(AT_ONCE, STEP / 10 if self._paused else STEP))
            self._pause()
            client.check()
            self._watch()

    def _share_out(self, received: Sequence[Any]) -> set[int]:
        """Put messages into their channels; the partitions that have come to their ends."""
        ended = set[int]()
        for number, some in groupby(sorted(received, key=_RECORD.partition), _RECORD.partition):
            records, stop = [*some], self._stops.get(number)
            found = self._without_errors(records)
            if stop is not None and _comes_to(stop, records, found):
                ended.add(number)
                found = found[: bisect_left(found, stop, key=_RECORD.offset)]
            if found:
                self.channels[number].put(_messages(found), waits=False)
        for number in ended:
            self.channels[number].end()
        return ended

    def _without_errors(self, records: list[Any]) -> list[Any]:
        """Those that are messages.  StreamError: others are nothing that passes by itself."""
        found = [one for one in records if one.error() is None]
        for one in records if len(found) < len(records) else ():
            if (error := one.error()) is not None and error.code() != KafkaError._PARTITION_EOF:
                self._refuse(one, error)
        return found

    def _refuse(self, one: Any, error: KafkaError) -> None:
        """StreamError: it is nothing that passes by itself."""
        place = Location(f"{self._client.address.shown}[{one.partition()}]")
        if error.code() == KafkaError._AUTO_OFFSET_RESET:
            hint = "keep messages for longer (retention), or begin anew"
            raise StreamError("messages were deleted before they were read", place, hint=hint)
        if error.code() in DOWN or error.retriable():
            self._client.reasons.append(error)
            return
        raise StreamError(self._client.address.told(f"cannot read: {error.str()}"), place)

    def _pause(self) -> None:
        """Fetch nothing more of partitions whose channels are full, and go on with those that have room."""
        full = {number for number in self._open() if self.channels[number].is_full}
        free = {number for number in self._paused if self.channels[number].has_room}
        consumer, topic = self._client.consumer, self._client.topic
        if more := full - self._paused:
            consumer.pause([TopicPartition(topic, number) for number in more])
        if free:
            consumer.resume([TopicPartition(topic, number) for number in free])
        self._paused = (self._paused | full) - free

    def _watch(self) -> None:
        """StreamError: the topic has more partitions than it had."""
        if time.monotonic() - self._watched < WATCHED:
            return
        self._watched = time.monotonic()
        now = self._client.asked()
        if now is not None and len(now) != self._count:
            message = f"the topic has {len(now):,} partitions now, and had {self._count:,}"
            raise StreamError(message, self._client.place, hint="begin anew: nothing of the new ones is read yet")


def _comes_to(stop: int, records: list[Any], messages: list[Any]) -> bool:
    """Whether the messages of records, or the notes among them, come to an offset, before which a partition ends."""
    if messages and messages[-1].offset() >= stop - 1:
        return True
    return len(messages) < len(records) and any(one.offset() >= stop for one in records)


def _messages(records: list[Any]) -> MessageBatch:
    return MessageBatch([data or b"" for data in map(_RECORD.value, records)], records, _message)


def _message(one: Any) -> Message:
    kind, milliseconds = one.timestamp()
    time_ = milliseconds * 1000 if kind else None
    headers = tuple((name, value or b"") for name, value in one.headers() or ())
    return Message(one.value() or b"", one.offset(), time_, one.key(), headers)


def check_topic(address: Address) -> None:
    """OptionError: the URL names no topic of a broker."""
    if not address.path or "/" in address.path or not address.url.netloc:
        raise OptionError(f"{address.shown}: write kafka://HOST:PORT/TOPIC")


def is_property(name: str) -> bool:
    """Whether a setting is a property of librdkafka that is up to users."""
    return "." in name and not name.startswith(_OWN)


def client_properties(address: Address) -> dict[str, Any]:
    """Properties of librdkafka for any client."""
    names = {name.removesuffix("_env").removesuffix("_file") for name in address.settings if "." in name}
    own = {name: address.secret(name) or "" for name in names}
    if user := address.get("user"):
        own = {"security.protocol": "SASL_SSL", "sasl.mechanisms": "PLAIN", **own, "sasl.username": user}
    if (password := address.secret("password")) is not None:
        own["sasl.password"] = password
    return {
        "reconnect.backoff.ms": 1000,
        "reconnect.backoff.max.ms": 5_000,  # for each connection by itself; pauses between outages are ``Outages``
        "log_level": 0,
        **own,
        "bootstrap.servers": address.url.netloc,
    }


def _start(address: Address) -> str | int:
    """``earliest``, ``latest``, or a time in microseconds.  OptionError: it is none of them."""
    text = address.get("start", "earliest")
    if text in ("earliest", "latest"):
        return text
    try:
        return from_xsd(text)
    except ValueError as error:
        raise address.error(f"start={text} is neither earliest nor latest nor a time: {error}") from None
