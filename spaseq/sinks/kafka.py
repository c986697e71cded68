"""``kafka://host:9092/topic``: results as messages of a topic, exactly once where there are checkpoints.

Those of a checkpoint are one transaction.  A message has the id of its result, and the checkpoint the offsets where
the topic ended before: a run that goes on reads what came behind them, and so knows which of its results have arrived.
(Offsets that a transaction commits would say it, too; but for these librdkafka waits without end where a coordinator is
away, its issue 5456.)
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import ClassVar, TypeAlias

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition

from spaseq.errors import StreamError
from spaseq.sinks.sink import Outgoing, Sink
from spaseq.sources.transports.addresses import Address
from spaseq.sources.transports.kafka import (
    AT_ONCE,
    CONTACT,
    SILENT,
    Client,
    check_topic,
    client_properties,
    is_property,
)

SETTINGS = ("delivery", "user", "password")
REMARKED = 10.0  # seconds for which a mark is good enough
STEP = 0.5  # seconds that are waited for brokers before a look at what is wrong
_WRITING = {"enable.idempotence": True}
OnArrival: TypeAlias = Callable[[KafkaError | None, Message], None]
_FENCED = {KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH}


class TopicSink(Sink):
    """A topic, whose partitions are chosen by the library."""

    has_transactions: ClassVar[bool] = True

    def __init__(self, url: str) -> None:
        self.address = Address.of(url, SETTINGS, is_property, common=("retry",))
        super().__init__(self.address.shown)
        check_topic(self.address)
        self._client = Client(self.address, self.address.path, "write")
        self._once = self.address.choice("delivery", ("exactly-once", "at-least-once")) == "exactly-once"
        self._producer: Producer | None = None
        self._refused: KafkaError | None = None  # why a message did not arrive
        self._mark, self._marked = "", -math.inf  # and when that was

    @property
    def is_transactional(self) -> bool:
        """See ``Sink``: unless a setting says otherwise."""
        return self._once

    # ── at once ──────────────────────────────────────────────────────────────────────────────────────────────
    def open(self) -> None:
        """See ``Sink``."""
        self._producer = self._opened({"message.timeout.ms": 0})

    def send(self, results: Sequence[Outgoing]) -> None:
        """See ``Sink``."""
        assert self._producer is not None
        try:
            self._produce(self._producer, results, self._arrived)
        except KafkaException as error:
            raise self._failure(error.args[0]) from None

    def flush(self) -> None:
        """See ``Sink``."""
        if self._producer is not None:
            while self._producer.flush(STEP):
                self._check()
            self._check()

    def close(self) -> None:
        """See ``Sink``."""
        self._producer = None
        self._client.close()

    def _produce(self, producer: Producer, results: Sequence[Outgoing], arrived: OnArrival | None = None) -> None:
        """Give results to the library.  KafkaException: it does not take them."""
        for one in results:
            headers: list[tuple[str, str | bytes | None]] = [("id", one.id), *one.headers]
            while True:
                try:
                    producer.produce(self._client.topic, one.data, headers=headers, on_delivery=arrived)
                    break
                except BufferError:
                    producer.poll(STEP)
                    self._check()
        producer.poll(0)

    def _opened(self, properties: dict[str, object]) -> Producer:
        """What sends.  StreamError: no broker answers, or there is no such topic; OptionError: a setting is wrong."""
        self._client.numbers()
        self._client.outages.answered()
        given = _WRITING | client_properties(self.address) | {"error_cb": self._client.reasons.append}
        try:
            return Producer({**given, **properties}, logger=SILENT)
        except KafkaException as error:
            raise self.address.error(error.args[0].str()) from None

    def _arrived(self, error: KafkaError | None, _message: Message) -> None:
        self._refused = self._refused or error

    def _check(self) -> None:
        """StreamError: a message did not arrive, or brokers are away for too long."""
        if self._refused is not None:
            raise self._failure(self._refused)
        self._client.check()

    def _failure(self, error: KafkaError) -> StreamError:
        if error.code() in _FENCED:
            return StreamError("another run writes results of this checkpoint", self._client.place)
        return self._client.failed(f"cannot write: {error.str()}")

    # ── in transactions ──────────────────────────────────────────────────────────────────────────────────────
    def mark(self) -> str:
        """See ``Sink``: the ends of the partitions, at most a while ago."""
        now = time.monotonic()
        if now - self._marked > REMARKED or not self._mark:
            with suppress(KafkaException):  # else an earlier mark is one as well
                ends = {str(number): self._end(number) for number in self._client.asked() or ()}
                self._mark, self._marked = (json.dumps(ends), now) if ends else (self._mark, self._marked)
        return self._mark

    def newest(self, run: str, mark: str) -> int | None:
        """See ``Sink``."""
        self._producer = producer = self._opened({"transactional.id": f"spaseq-{run}"})
        self._until(lambda: producer.init_transactions(CONTACT))
        return self._read(run, json.loads(mark)) if mark else None

    def commit(self, results: Sequence[Outgoing]) -> None:
        """See ``Sink``; a transaction that a broker gives up is made again."""
        while not self._is_committed(results):
            time.sleep(self._client.outages.failed("the transaction was given up"))
        self._client.outages.mended()

    def _end(self, number: int) -> int:
        place = TopicPartition(self._client.topic, number)
        end: int = self._client.consumer.get_watermark_offsets(place, timeout=CONTACT)[1]
        return end

    def _read(self, run: str, begins: dict[str, int]) -> int | None:
        """The number of the newest result of a run in what was committed behind these offsets."""
        consumer = self._client.opened({"auto.offset.reset": "earliest"})
        numbers = self._client.numbers()
        consumer.assign([TopicPartition(self._client.topic, one, begins.get(str(one), 0)) for one in numbers])
        newest, open_ = 0, set(numbers)
        while open_:
            found = consumer.consume(AT_ONCE, STEP)
            for one in found:
                problem = one.error()
                if problem is None:
                    newest = max(newest, _number(one, run))
                elif problem.code() == KafkaError._PARTITION_EOF:
                    open_.discard(one.partition())
                else:
                    self._client.reasons.append(problem)
            if not found:
                self._client.check()
        consumer.close()
        return newest or None

    def _is_committed(self, results: Sequence[Outgoing]) -> bool:
        producer = self._producer
        assert producer is not None
        try:
            producer.begin_transaction()
            self._produce(producer, results)
            self._until(lambda: producer.commit_transaction(CONTACT))
        except KafkaException as error:
            if error.args[0].fatal():
                raise self._failure(error.args[0]) from None
            self._until(lambda: producer.abort_transaction(CONTACT))
            return False
        return True

    def _until(self, step: Callable[[], None]) -> None:
        """Do it, again as long as brokers are away for a while.  KafkaException: the transaction has to be given up."""
        while True:
            try:
                return step()
            except KafkaException as error:
                problem = error.args[0]
                if problem.txn_requires_abort():
                    raise
                if problem.fatal() or not problem.retriable():
                    raise self._failure(problem) from None
                self._client.reasons.append(problem)
                self._client.check()


def _number(one: Message, run: str) -> int:
    """The number of the result in a message, 0: it is none of the run."""
    name = dict(one.headers() or ()).get("id") or b""
    found, _, number = (name if isinstance(name, bytes) else name.encode()).decode("utf-8", "replace").rpartition("-")
    return int(number) if found == run and number.isascii() and number.isdecimal() else 0
