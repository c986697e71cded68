"""JSON from a topic of Kafka to matches, beside consuming it alone and running the same lines of a file.

The broker is librdkafka's mock, in a process of its own, which keeps 5 MB; CPU time of this one, all threads.

Run: ``python -m benchmarks.kafka [events]`` (a part of ``make bench-tables``); it needs confluent-kafka.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition

from benchmarks.tables import MAPPING, Files, matches, told
from benchmarks.timing import Job, interleaved

TOPIC = "quotes"
AT_ONCE = 1000  # messages
SILENT = logging.getLogger("benchmarks.librdkafka")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False


def serve(path: str) -> None:
    """Be a broker that has the lines of a file, each as a message, until standard input ends; its address is told."""
    producer = Producer({"test.mock.num.brokers": 1, "log_level": 0})
    (broker,) = producer.list_topics(timeout=10).brokers.values()
    with Path(path).open("rb") as lines:
        while some := list(islice(lines, AT_ONCE)):
            for line in some:
                producer.produce(TOPIC, line, partition=0)
            producer.flush()
    print(f"{broker.host}:{broker.port}", flush=True)
    sys.stdin.read()


@contextmanager
def broker(path: str) -> Iterator[str]:
    """The address of a broker in another process."""
    command = [sys.executable, "-m", "benchmarks.kafka", path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def consumed(server: str) -> Job:
    """Taking all messages, and nothing else."""
    consumer = Consumer(
        {"bootstrap.servers": server, "group.id": "benchmark", "enable.partition.eof": True}, logger=SILENT
    )
    consumer.assign([TopicPartition(TOPIC, 0, OFFSET_BEGINNING)])

    def job() -> int:
        count = 0
        while True:
            for message in consumer.consume(AT_ONCE, 1.0):
                error = message.error()
                if error is not None and error.code() == KafkaError._PARTITION_EOF:
                    consumer.close()
                    return count
                count += message.value() is not None

    return job


def main(count: int = 30_000) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        files = Files(Path(folder), count)
        with broker(files.lines) as server:
            topic = f"kafka://{server}/{TOPIC}?partition=0&end=now"
            assert matches(topic, MAPPING)()() == matches(files.lines, MAPPING)()()
            jobs = {
                "consumed": lambda: consumed(server), "run of the lines": matches(files.lines, MAPPING),
                "Kafka to matches": matches(topic, MAPPING),
            }  # fmt: skip
            seconds = interleaved(jobs)
            seconds["both"] = seconds["consumed"] + seconds["run of the lines"]
            told("JSON of Kafka", seconds, "both", count)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].isdecimal():
        serve(sys.argv[1])
    else:
        main(*map(int, sys.argv[1:]))
