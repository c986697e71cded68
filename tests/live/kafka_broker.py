"""One node of Kafka on loopback; its jars come from Maven once, into ``build/live``."""

from __future__ import annotations

import base64
import shutil
import socket
import subprocess
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.transports.kafka_cluster import SILENT

ROOT = Path(__file__).resolve().parents[2]
JARS = ROOT / "build" / "live" / "kafka-4.1.0"
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>live</groupId><artifactId>live</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>4.1.0</version>
  </dependency></dependencies>
</project>
"""
PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={folder}/log
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
"""
LOOK = 10.0  # seconds that a look at what is there takes at most
STARTED = 60.0  # seconds within which it answers


def why_not() -> str:
    """Why there can be no broker here; empty: there can."""
    if shutil.which("java") is None:
        return "Java, which runs Kafka, is not installed"
    if not JARS.is_dir() and shutil.which("mvn") is None:
        return "Maven, which fetches Kafka, is not installed"
    return ""


class KafkaBroker:
    """A node, which keeps what it has when it is stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._java = ["java", "-Xmx256m", "-cp", f"{_jars()}/*"]
        self._process: subprocess.Popen[bytes] | None = None
        self._producer: Producer | None = None
        port, controller = _free_port(), _free_port()
        self.servers = f"127.0.0.1:{port}"
        self._properties = folder / "server.properties"
        self._properties.write_text(PROPERTIES.format(port=port, controller=controller, folder=folder))
        name = base64.urlsafe_b64encode(b"\0" + uuid.uuid4().bytes[1:]).decode().rstrip("=")
        self._run("kafka.tools.StorageTool", "format", "-t", name, "-c", str(self._properties))

    def start(self) -> None:
        """Start it, and wait until it answers."""
        log = (self._folder / "broker.log").open("ab")
        self._process = subprocess.Popen(
            [*self._java, "kafka.Kafka", str(self._properties)], stdout=log, stderr=log, cwd=self._folder
        )
        limit = time.monotonic() + STARTED
        while not self._answers():
            assert time.monotonic() < limit, (self._folder / "broker.log").read_text()[-3000:]

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def topic(self, name: str, partitions: int) -> None:
        """A new topic."""
        admin = AdminClient({"bootstrap.servers": self.servers}, logger=SILENT)
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(30)

    def send(self, topic: str, partition: int, messages: Sequence[bytes]) -> None:
        """Messages, which are there when this returns."""
        if self._producer is None:
            properties = {"bootstrap.servers": self.servers, "linger.ms": 0, "enable.idempotence": True}
            self._producer = Producer(properties, logger=SILENT)
        producer = self._producer
        for one in messages:
            producer.produce(topic, one, partition=partition)
        assert producer.flush(60) == 0

    def committed(self, topic: str, partitions: int) -> list[tuple[str, bytes]]:
        """The ids and the data of all messages of a topic whose transactions were committed."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.servers, "group.id": "check", "isolation.level": "read_committed",
                "enable.partition.eof": True, "auto.offset.reset": "earliest",
            },
            logger=SILENT,
        )  # fmt: skip
        consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
        found, open_, limit = [], partitions, time.monotonic() + LOOK
        while open_ and time.monotonic() < limit:  # behind a transaction that is open nothing is seen
            for one in consumer.consume(1000, 1.0):
                if one.error() is not None:
                    open_ -= 1
                else:
                    found.append((dict(one.headers() or ()).get("id", b"").decode(), one.value()))
        consumer.close()
        return found

    def _answers(self) -> bool:
        try:
            admin = AdminClient({"bootstrap.servers": self.servers}, logger=SILENT)
            return bool(admin.list_topics(timeout=1.0).brokers)
        except KafkaException:
            return False

    def _run(self, *arguments: str) -> None:
        subprocess.run([*self._java, *arguments], check=True, capture_output=True, cwd=self._folder, timeout=120)


def _jars() -> Path:
    """The folder of jars, which are fetched if they are not there."""
    if not JARS.is_dir():
        JARS.parent.mkdir(parents=True, exist_ok=True)
        pom = JARS.parent / "pom.xml"
        pom.write_text(POM)
        new = JARS.with_suffix(".new")
        line = ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={new}"]
        subprocess.run(line, check=True, timeout=600)
        new.rename(JARS)
    return JARS


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
