"""Live input: the time from the last byte of an event to the line of its result, in every format.

Events come one by one, every 5 ms, through a pipe and into a file that is followed; ``spaseq run`` is a process of its
own.  What ends when the next event begins (N-Quads, TriG) includes the wait for that.
"""

from __future__ import annotations

import io
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

EVENTS, INTERVAL = 1_000, 0.005  # seconds between two events
BOUND = 0.020  # seconds: the median is to be less
WARM = 20  # events before the first that is measured
_PROV, _LONG = "http://www.w3.org/ns/prov#generatedAtTime", "<http://www.w3.org/2001/XMLSchema#long>"
_QUERY = """
SELECT ?v
WITHIN 1 SECONDS SLIDING
FROM STREAM s <urn:s>
WHERE { SEQ(A) DEFINE GPM A ON s { ?x <urn:value> ?v ; <urn:place> ?place ; <urn:unit> "W" } }
"""
_CEQL = "SELECT * FROM S WHERE A AS a WITHIN 9 EVENTS"
_MESSAGES = 'VERSION "1.2-messages"\n'


def _triples(number: int, graph: str = "") -> str:
    values = {"value": f'"{number}"^^{_LONG}', "place": f"<urn:place:{number % 7}>", "unit": '"W"'}
    return "".join(f"<urn:sensor:{number}> <urn:{name}> {value} {graph}.\n" for name, value in values.items())


def _stamp(number: int) -> str:
    return f'<urn:e:{number}> <{_PROV}> "{number}"^^{_LONG} .\n'


def _nquads(number: int) -> str:
    return _stamp(number) + _triples(number, f"<urn:e:{number}> ")


def _trig(number: int) -> str:
    return f"{_stamp(number)}<urn:e:{number}> {{\n{_triples(number)}}}\n"


def _message(number: int) -> str:
    return f"{_stamp(number)}{_triples(number)}MESSAGE\n"


def _jsonld(number: int) -> str:
    sensor = {"@id": f"urn:sensor:{number}", "urn:value": number, "urn:place": {"@id": "urn:place:1"}, "urn:unit": "W"}
    return json.dumps({"@id": f"urn:e:{number}", _PROV: number, "urn:of": sensor}) + "\n"


def _row(number: int) -> str:
    return f"A,{number},place {number % 7}\n"


def _texts(head: str, text: Callable[[int], str], count: int) -> list[bytes]:
    return [head.encode() + text(0).encode(), *(text(number).encode() for number in range(1, count))]


def _jelly(count: int) -> list[bytes]:
    """The frames of a Jelly stream."""
    from pyjelly import jelly
    from pyjelly.integrations.generic import generic_sink as g
    from pyjelly.integrations.generic.serialize import grouped_stream_to_file
    from pyjelly.serialize.streams import SerializerOptions

    def sink(number: int) -> Any:
        made, event, sensor = g.GenericStatementSink(), g.IRI(f"urn:e:{number}"), g.IRI(f"urn:sensor:{number}")
        value = g.Literal(str(number), datatype="http://www.w3.org/2001/XMLSchema#long")
        made.add(g.Quad(event, g.IRI(_PROV), value, g.DefaultGraph))
        for name, object_ in {"value": value, "place": g.IRI("urn:place:1"), "unit": g.Literal("W")}.items():
            made.add(g.Quad(sensor, g.IRI(f"urn:{name}"), object_, event))
        return made

    out, ends = io.BytesIO(), [0]

    def sinks() -> Iterator[Any]:
        for number in range(count):
            yield sink(number)
            ends.append(out.tell())

    options = SerializerOptions(logical_type=jelly.LOGICAL_STREAM_TYPE_DATASETS)
    grouped_stream_to_file(sinks(), out, options=options)
    return [out.getvalue()[start:stop] for start, stop in pairwise([*sorted(set(ends[:-1])), len(out.getvalue())])]


def _formats(count: int) -> dict[str, tuple[str, list[bytes]]]:
    """Names, the endings of files, and the bytes of each event."""
    return {
        "N-Quads": ("nq", _texts("", _nquads, count)),
        "TriG": ("trig", _texts("", _trig, count)),
        "messages, N-Triples": ("nt", _texts(_MESSAGES, _message, count)),
        "messages, N-Quads": ("nq", _texts(_MESSAGES, lambda number: _nquads(number) + "MESSAGE\n", count)),
        "messages, Turtle": ("ttl", _texts(_MESSAGES, _message, count)),
        "messages, TriG": ("trig", _texts(_MESSAGES, lambda number: _trig(number) + "MESSAGE\n", count)),
        "JSON-LD": ("jsonl", _texts("", _jsonld, count)),
        "Jelly": ("jelly", _jelly(count)),
        "CSV": ("csv", _texts("type,value,place\n", _row, count)),
    }


@dataclass(frozen=True, slots=True)
class Latencies:
    """Seconds from the last byte of each event to its result; ``lost``: events without; ``ordered``: results are."""

    seconds: list[float]
    lost: int
    ordered: bool

    def __str__(self) -> str:
        middle, most = statistics.median(self.seconds), statistics.quantiles(self.seconds, n=20)[-1]
        verdict = "" if middle <= BOUND and not self.lost and self.ordered else "  MISSED"
        order = "in order" if self.ordered else "out of order"
        return f"{middle * 1000:7.1f} ms{most * 1000:9.1f} ms{self.lost:7}  {order}{verdict}"


class _Results:
    """When each result line came, by the number of its event."""

    def __init__(self, lines: IO[str], number: Callable[[dict[str, Any]], int]) -> None:
        self.times: dict[int, float] = {}
        self._number = number
        self._thread = threading.Thread(target=self._read, args=(lines,), daemon=True)
        self._thread.start()

    def _read(self, lines: IO[str]) -> None:
        for line in lines:
            self.times[self._number(json.loads(line))] = time.monotonic()

    def wait_for(self, count: int, seconds: float) -> None:
        """Wait until there are so many, at most so long."""
        end = time.monotonic() + seconds
        while len(self.times) < count and time.monotonic() < end:
            time.sleep(0.01)


def _send(events: list[bytes], write: Callable[[bytes], object], results: _Results) -> dict[int, float]:
    """When the last byte of each event had been written; the first ones wait until the program has started."""
    written = {}
    for number, data in enumerate(events[:WARM]):
        write(data)
        written[number] = time.monotonic()
    results.wait_for(WARM - 1, 60)
    due = time.monotonic()
    for number, data in enumerate(events[WARM:], WARM):
        due += INTERVAL
        time.sleep(max(0.0, due - time.monotonic()))
        write(data)
        written[number] = time.monotonic()
    results.wait_for(len(events), 30)
    return written


def measure(command: list[str], path: Path, events: list[bytes], number: Callable[[dict[str, Any]], int]) -> Latencies:
    """Send events through a pipe or file to a command that reads it."""
    process = subprocess.Popen([sys.executable, "-m", "spaseq", *command], stdout=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None
    results = _Results(process.stdout, number)
    with path.open("ab", buffering=0) as file:
        written = _send(events, file.write, results)
    process.terminate()
    process.wait()
    got = [number for number in results.times if number >= WARM]
    seconds = [results.times[number] - written[number] for number in got]
    return Latencies(seconds, len(events) - len(results.times), got == sorted(got))


def main(events: int = EVENTS) -> None:
    """Print a line for each format and way."""
    print(f"live input, {events:,} events, one every {INTERVAL * 1000:.0f} ms, last byte to result line")
    print(f"  {'':36}{'median':>10}{'95 %':>12}{'lost':>7}")
    for name, (ending, data) in _formats(events + WARM).items():
        for way in ("pipe", "growing file") if ending != "csv" else ("pipe",):
            with tempfile.TemporaryDirectory() as folder:
                print(f"  {f'{name}, {way}':36}{_one(Path(folder), ending, data, way == 'growing file')}", flush=True)


def _one(folder: Path, ending: str, data: list[bytes], grows: bool) -> Latencies:
    query, path = folder / "query", folder / f"stream.{ending}"
    query.write_text(_CEQL if ending == "csv" else _QUERY)
    if grows:
        path.touch()
    else:
        subprocess.run(["mkfifo", path], check=True)
    if ending == "csv":
        return measure(["tuples", str(query), "--events", str(path)], path, data, lambda row: int(row["end"]))
    command = ["run", str(query), "--stream", f"s={path}", "--format", "jsonl", "--idle", "1s"]
    follow = ["--follow"] if grows else []
    return measure([*command, *follow], path, data, lambda row: int(row["bindings"]["v"]["value"]))


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
