"""Runs that are killed at random moments deliver each result once: Kafka to Kafka, to a folder of Parquet, to a file.

python -m tests.live.exactly_once 100          # kills of each target
python -m tests.live.exactly_once 10 kafka --seed 5
python -m tests.live.exactly_once 0 kafka --outages 5      # the broker is away for ten seconds, five times
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet

import spaseq
from tests.live.kafka_broker import ROOT, KafkaBroker, why_not
from tests.transports.scripted import event

QUERY = """\
SELECT ?low ?high
WITHIN 1 SECOND SLIDING
FROM STREAM s <urn:s>
WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON s { ?a <urn:value> ?low FILTER(?low > 0) }
  DEFINE GPM B ON s { ?b <urn:value> ?high FILTER(?high > ?low) }
}
"""
PARTITIONS, AT_ONCE, EVERY = 4, 40, 0.1  # events of each partition that are sent at once, and seconds between
TARGETS = ("kafka", "parquet", "file")
PATIENCE = 300.0  # seconds within which all results have arrived, once nobody is killed
Row = tuple[str, str, str, str]  # ?low and ?high, the events


def value(number: int) -> int:
    return number * 7919 % 1009


class Feed(threading.Thread):
    """Sends events to the partitions of a topic in turn, in order of time, until it is told to stop."""

    def __init__(self, broker: KafkaBroker, topic: str) -> None:
        super().__init__(daemon=True)
        self._broker, self._topic = broker, topic
        self.sent = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(EVERY):
            self._send(range(self.sent, self.sent + AT_ONCE * PARTITIONS))
        far = 10**12  # behind all, so that nothing waits for a partition
        for partition in range(PARTITIONS):
            self._broker.send(self._topic, partition, [event(f"end{partition}", far + partition)])

    def _send(self, numbers: range) -> None:
        for partition in range(PARTITIONS):
            some = [event(f"e{n}", n * 10_000, value(n)) for n in numbers if n % PARTITIONS == partition]
            self._broker.send(self._topic, partition, some)
        self.sent = numbers.stop

    def expected(self) -> Counter[Row]:
        """What the query finds in all that was sent."""
        quads = b"\n".join(event(f"e{n}", n * 10_000, value(n)) for n in range(self.sent))
        with tempfile.NamedTemporaryFile(suffix=".nq") as file:
            file.write(quads)
            file.flush()
            found = spaseq.run(QUERY, {"s": file.name})
            return Counter(
                (str(one.bindings["low"]), str(one.bindings["high"]), one.events["A"][0], one.events["B"][0])
                for one in found
            )


# ── what has arrived ─────────────────────────────────────────────────────────────────────────────────────
def of_lines(lines: Iterator[bytes]) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for one in map(json.loads, lines):
        bound = one["bindings"]
        found[bound["low"]["value"], bound["high"]["value"], one["events"]["A"][0], one["events"]["B"][0]] += 1
    return found


def arrived(kind: str, broker: KafkaBroker, target: str) -> Counter[Row]:
    if kind == "kafka":
        messages = broker.committed("out", PARTITIONS)
        assert len({id for id, _ in messages}) == len(messages), "an id is there twice"
        return of_lines(data for _, data in messages)
    if kind == "file":
        return of_lines(iter(Path(target).read_bytes().splitlines()))
    found: Counter[Row] = Counter()
    for path in Path(target).glob("*.parquet"):
        for row in pyarrow.parquet.read_table(path).to_pylist():
            found[str(row["low"]), str(row["high"]), row["events"]["A"][0], row["events"]["B"][0]] += 1
    return found


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────
def started(folder: Path, broker: KafkaBroker, target: str) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-m", "spaseq", "run", "q.spaseq", "--stream", f"s=kafka://{broker.servers}/in?retry=2m"]
    line += ["--checkpoint", "kept", "--checkpoint-every", "50ms", "--output", target, "--quiet"]
    log = (folder / "run.log").open("ab")
    return subprocess.Popen(line, cwd=folder, stderr=log, env=os.environ | {"PYTHONPATH": str(ROOT)})


def check(kind: str, kills: int, outages: int, chance: random.Random) -> str:
    """Runs to one target; what was seen."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "q.spaseq").write_text(QUERY)
        broker = KafkaBroker(folder)
        broker.start()
        try:
            broker.topic("in", PARTITIONS)
            broker.topic("out", PARTITIONS)
            targets = {"kafka": f"kafka://{broker.servers}/out?retry=2m", "parquet": "parts/", "file": "found.jsonl"}
            return checked(kind, kills, outages, chance, broker, folder, targets[kind])
        finally:
            broker.stop()


def checked(
    kind: str, kills: int, outages: int, chance: random.Random, broker: KafkaBroker, folder: Path, target: str
) -> str:
    feed = Feed(broker, "in")
    feed.start()
    for _ in range(kills):
        run = started(folder, broker, target)
        time.sleep(chance.uniform(0.3, 3.0))
        assert run.poll() is None, (folder / "run.log").read_text()
        run.kill()
        run.wait()
    run = started(folder, broker, target)
    for _ in range(outages):
        time.sleep(chance.uniform(1, 3))
        broker.stop()
        time.sleep(10)
        broker.start()
    feed.stopped.set()
    feed.join()
    expected = feed.expected()
    place = target if kind == "kafka" else str(folder / target)
    try:
        found = when_there(lambda: arrived(kind, broker, place), expected.total(), run, folder)
    finally:
        with suppress(ProcessLookupError):
            run.send_signal(signal.SIGTERM)
            run.wait(PATIENCE)
    missing, doubled = expected - found, found - expected
    told = f"{kind}: {feed.sent:,} events, {expected.total():,} results, {kills} kills, {outages} outages"
    assert not missing and not doubled, f"{told}: {missing.total()} missing, {doubled.total()} doubled"
    return f"{told}: 0 missing, 0 doubled"


def when_there(
    look: Callable[[], Counter[Row]], count: int, run: subprocess.Popen[bytes], folder: Path
) -> Counter[Row]:
    """What has arrived when it is so much, or nothing more comes."""
    limit, found = time.monotonic() + PATIENCE, Counter[Row]()
    while found.total() < count and time.monotonic() < limit:
        time.sleep(1)
        assert run.poll() is None, (folder / "run.log").read_text()
        found = look()
    time.sleep(1)
    return look()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int)
    parser.add_argument("targets", nargs="*", default=TARGETS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--outages", type=int, default=0)
    asked = parser.parse_args()
    if reason := why_not():
        print(f"skipped: {reason}")
        return
    for kind in asked.targets:
        print(check(kind, asked.kills, asked.outages, random.Random(asked.seed)), flush=True)


if __name__ == "__main__":
    main()
