"""A cluster of Kafka in this process: librdkafka's mock, on loopback."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from confluent_kafka import Producer

SILENT = logging.getLogger("tests.kafka")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False


class Cluster:
    """Brokers that live as long as this does; a topic has four partitions when something is first sent to it."""

    def __init__(self) -> None:
        self._producer = Producer({"test.mock.num.brokers": 1, "log_level": 0}, logger=SILENT)
        brokers = self._producer.list_topics(timeout=10).brokers.values()
        self.servers = ",".join(f"{one.host}:{one.port}" for one in brokers)

    def url(self, topic: str, **settings: Any) -> str:
        query = "&".join(f"{name}={value}" for name, value in settings.items())
        return f"kafka://{self.servers}/{topic}" + (f"?{query}" if query else "")

    def make(self, topic: str) -> None:
        """A topic in which nothing is."""
        self._producer.list_topics(topic, timeout=10)

    def send(self, topic: str, messages: Iterable[bytes], partition: int = 0, **given: Any) -> None:
        """Messages, which are there when this returns."""
        for one in messages:
            self._producer.produce(topic, one, partition=partition, **given)
        assert self._producer.flush(10) == 0

    def stop(self) -> None:
        """No broker answers any more."""
        del self._producer
