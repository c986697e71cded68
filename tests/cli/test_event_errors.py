"""What a user reads when events are not where, or not what, a command says: tables, mappings, brokers and servers.

A section of ``event_errors.txt`` has a command and what it prints.  ``SPASEQ_UPDATE_GOLDEN=1`` writes it anew; read the
difference before committing it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke

pytest.importorskip("pyarrow")
pytest.importorskip("confluent_kafka")
pytest.importorskip("httpx")

from tests.transports.kafka_cluster import Cluster
from tests.transports.test_http import Server, answer

GOLDEN = Path(__file__).parent / "event_errors.txt"
QUERY = """\
PREFIX : <https://example.org/>
SELECT ?room ?degrees
WITHIN 1 HOUR SLIDING
FROM STREAM s :stream
WHERE { SEQ(A) DEFINE GPM A ON s { ?room :degrees ?degrees FILTER(?degrees > 20) } }
"""
MAPPING = """\
PREFIX : <https://example.org/>
BASE <https://example.org/>
EVENT <report/{?no}> AT ?time
CONSTRUCT { <room/{?room}> :degrees ?degrees }
"""
TABLE = """\
no,time,room,degrees
1,2026-01-01T00:00:00Z,hall,19.5
2,2026-01-01T00:01:00Z,hall,21.5
3,2026-01-01T00:02:00Z,attic,22.0
"""
LINES = """\
{"no": 1, "time": "2026-01-01T00:00:00Z", "room": "hall", "degrees": 19.5}
{"no": 2, "time": "2026-01-01T00:01:00Z", "room": "hall", "degrees": 21.5}
{"no": 3, "time": "2026-01-01T00:02:00Z", "room": "attic", "degrees": 22.0}
"""
CAST = MAPPING.replace("?degrees }", "?d }\nWHERE { BIND(xsd:decimal(?degrees) AS ?d) }").replace(
    "BASE", "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\nBASE"
)
_LIBRARIES = re.compile(r" \(after \d+ms in state \w+\)| \(_ssl\.c:\d+\)")  # what they say differs
FILES = {"q.spaseq": QUERY, "t.map": MAPPING, "t.csv": TABLE, "t.jsonl": LINES}
CSV = "run q.spaseq --map s=t.map --stream s=t.csv"
JSON = "run q.spaseq --map s=t.map --stream s=t.jsonl"
CONVERT = "convert t.csv --map t.map --output out.nq"


@dataclass(frozen=True)
class Mistake:
    """A command, and files that differ from those above."""

    command: str
    files: Mapping[str, str] = field(default_factory=dict)


def mapped(*changes: tuple[str, str], command: str = CSV, text: str = MAPPING) -> Mistake:
    """A command with some of the mapping's text replaced."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Mistake(command, {"t.map": text})


def row(old: str, new: str, command: str = CSV, text: str = MAPPING) -> Mistake:
    """A command with some of the table replaced, of CSV and of JSON lines."""
    return Mistake(command, {"t.csv": TABLE.replace(old, new), "t.jsonl": LINES.replace(old, new), "t.map": text})


MISTAKES = {
    # ── the mapping ──────────────────────────────────────────────────────────────────────────────────────────
    "a mapping that is not there": Mistake("run q.spaseq --map s=none.map --stream s=t.csv"),
    "a mapping of a stream that no query reads": Mistake("run q.spaseq --map t=t.map --stream s=t.csv"),
    "a mapping without a table": Mistake("run q.spaseq --map s=t.map"),
    "a mapping of RDF": Mistake("run q.spaseq --map s=t.map --stream s=t.nq", {"t.nq": ""}),
    "a table without a mapping": Mistake("run q.spaseq --stream s=t.csv"),
    "options of tables without a table": Mistake("run q.spaseq --stream s=s.nq --separator ;"),
    "a query instead of a mapping": Mistake("run q.spaseq --map s=q.spaseq --stream s=t.csv"),
    "an unknown column": mapped(("?degrees", "?degree")),
    "an unknown path": mapped(("EVENT", 'COLUMN "sensor.room" AS ?room\nEVENT')),
    "an unknown column of EVENT": mapped(("{?no}", "{?number}")),
    "a variable that nothing binds": mapped((":degrees ?degrees }", ":degrees ?d } WHERE { FILTER(?degrees > 0) }")),
    "no AT": mapped(("AT ?time", "")),
    "no CONSTRUCT": mapped(("CONSTRUCT", "SELECT")),
    "triple patterns in WHERE": mapped((":degrees ?degrees }", ":degrees ?degrees } WHERE { ?room a :Room }")),
    "NOW": mapped((":degrees ?degrees }", ":degrees ?d } WHERE { BIND(NOW() AS ?d) }")),
    "a template that is not closed": mapped(("{?room}", "{?room")),
    "a template that makes no IRI": mapped(("BASE <https://example.org/>\n", ""), ("<report/", "<report ")),
    "an unknown prefix": mapped(("CONSTRUCT { <", "CONSTRUCT { ex:a a ex:B . <")),
    "an unknown unit": mapped(("AT ?time", "AT ?time UNIT h")),
    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────
    "AT a column that is no time": mapped(("AT ?time", "AT ?room")),
    "a time of another form": mapped(("AT ?time", "AT ?time FORMAT '%d.%m.%Y'")),
    "a row without a time": row("2026-01-01T00:01:00Z", ""),
    "a row with another time": row("2026-01-01T00:01:00Z", "yesterday"),
    "a name that is no IRI": mapped(("EVENT <report/{?no}>", "EVENT ?room")),
    "a row without a name": row("2,2026", ",2026"),
    "a row without triples": row("00Z,hall,21.5", "00Z,,"),
    "a cast that fails": row("21.5", "warm", text=CAST),
    "a cast that fails in JSON lines": row("21.5", '"warm"', JSON, CAST),
    "too few fields": row("hall,21.5", "hall"),
    "too many fields": row("hall,21.5", "hall,21.5,?"),
    "a quote that does not end": row("attic", '"attic'),
    "JSON that is cut off": row("21.5}", "21.5", JSON),
    "JSON that is no object": row('{"no": 2,', "[2, {", JSON),
    "a list where a value was": row("21.5", "[21.5]", JSON),
    "rows that are left out": row("2026-01-01T00:01:00Z", "", f"{CSV} --on-error skip --count"),
    "rows that are left out strictly": row("2026-01-01T00:01:00Z", "", f"{CSV} --on-error skip --count --strict"),
    # ── files ────────────────────────────────────────────────────────────────────────────────────────────────
    "a table that is not there": Mistake("run q.spaseq --map s=t.map --stream s=none.csv"),
    "a folder without tables": Mistake("run q.spaseq --map s=t.map --stream s=empty/", {"empty/readme.txt": ""}),
    "a glob of nothing": Mistake("run q.spaseq --map s=t.map --stream s=*.parquet"),
    "no Parquet": Mistake("run q.spaseq --map s=t.map --stream s=t.parquet", {"t.parquet": TABLE}),
    "no gzip": Mistake("run q.spaseq --map s=t.map --stream s=t.csv.gz", {"t.csv.gz": TABLE}),
    "no zstd": Mistake("run q.spaseq --map s=t.map --stream s=t.jsonl.zst", {"t.jsonl.zst": LINES}),
    "an empty table": Mistake(CSV, {"t.csv": ""}),
    "one column twice": Mistake(
        CSV, {"t.csv": TABLE.replace("degrees", "no"), "t.map": MAPPING.replace("?degrees", "?no")}
    ),
    "other columns than the table has": Mistake(f"{CSV} --columns no,time,room"),
    "a separator of two letters": Mistake(f"{CSV} --separator ab"),
    # ── other doors ──────────────────────────────────────────────────────────────────────────────────────────
    "convert without a mapping": Mistake("convert t.csv --output out.nq"),
    "convert to its own source": Mistake("convert t.csv --map t.map --output t.csv"),
    "convert to a format of tables": Mistake("convert t.csv --map t.map --output out.parquet"),
    "convert in little memory": Mistake(f"{CONVERT} --memory lots"),
    "convert a wrong row": row("2026-01-01T00:01:00Z", "soon", CONVERT),
    "a proposal for RDF": Mistake("map s.nq"),
    "a proposal for nothing": Mistake("map none.csv"),
    "a mapping to check": mapped(("AT ?time", "AT time"), command="check t.map"),
    "tuples of RDF": Mistake("tuples v.ceql --events s.nq", {"v.ceql": "SELECT * FROM S WHERE T AS a WITHIN 5 events"}),
    # ── brokers and servers ──────────────────────────────────────────────────────────────────────────────────
    "an unknown scheme": Mistake("run q.spaseq --stream s=kafak://{kafka}/t"),
    "a broker that is not there": Mistake("run q.spaseq --stream s=kafka://127.0.0.1:1/t?retry=1s"),
    "no such topic": Mistake("run q.spaseq --stream s=kafka://{kafka}/none?end=now"),
    "no topic": Mistake("run q.spaseq --stream s=kafka://{kafka}/"),
    "no such partition": Mistake("run q.spaseq --stream s=kafka://{kafka}/reports?partition=9"),
    "a start that is no time": Mistake("run q.spaseq --stream s=kafka://{kafka}/reports?start=soon"),
    "an unknown setting": Mistake("run q.spaseq --stream s=kafka://{kafka}/reports?strat=latest"),
    "an unknown property of librdkafka": Mistake("run q.spaseq --stream s=kafka://{kafka}/reports?sasl.nothing=1"),
    "a password in a URL": Mistake("run q.spaseq --stream s=kafka://me:secret@{kafka}/reports"),
    "a secret among settings": Mistake("run q.spaseq --stream s=kafka://{kafka}/reports?sasl.password=secret"),
    "a secret that is not there": Mistake("run q.spaseq --stream s=kafka://{kafka}/reports?user=me&password_env=NONE"),
    "a broken message": Mistake("run q.spaseq --stream s=kafka://{kafka}/reports?end=now"),
    "a broken message of rows": Mistake("run q.spaseq --map s=t.map --stream s=kafka://{kafka}/rows?end=now&format=json"),
    "a topic of another name in a checkpoint": Mistake(
        "run q.spaseq --stream s=kafka://{kafka}/other?end=now --checkpoint kept"
    ),
    "a server that is not there": Mistake("run q.spaseq --stream s=http://127.0.0.1:1/events"),
    "an answer that there is no such thing": Mistake("run q.spaseq --stream s=http://{http}/none"),
    "a server that does not speak TLS": Mistake("run q.spaseq --stream s=https://{http}/events"),
    "checkpoints of what cannot be read again": Mistake("run q.spaseq --stream s=ws://{http}/x --checkpoint kept"),
    "a spool without a checkpoint": Mistake("run q.spaseq --stream s=ws://{http}/x --spool spool"),
    "a spool in a file": Mistake("run q.spaseq --stream s=ws://{http}/x --checkpoint kept --spool q.spaseq/x"),
    "MQTT without a topic": Mistake("run q.spaseq --stream s=mqtt://127.0.0.1:1"),
    "MQTT that nobody answers": Mistake("run q.spaseq --stream s=mqtt://127.0.0.1:1/t"),
    "a WebSocket that nobody answers": Mistake("run q.spaseq --stream s=ws://127.0.0.1:1/t"),
}  # fmt: skip


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mapping[str, str]]:
    """Where there is a cluster of Kafka, and a server that has nothing."""
    monkeypatch.setattr("spaseq.sources.transports.receiving.SHORTEST", 0.02)
    cluster, server = Cluster(), Server(answer("text/plain", b"nothing here\n", status=404, length=13))
    cluster.send("reports", [b"<urn:a> <urn:b> .\n"])
    cluster.send("rows", [b'{"no": 1, "time": 5, "room": "hall", "degrees": 25}', b'{"no": 2, "time": 6'])
    cluster.send("other", [])
    with ExitStack() as stack:
        stack.callback(server.close)
        yield {"kafka": cluster.servers, "http": server.url.removeprefix("http://")}
    cluster.stop()


@pytest.fixture
def said(invoke: Invoke, folder: Path, servers: Mapping[str, str]) -> Callable[[Mistake], str]:
    """What a mistake prints, the places of servers being the same each time."""

    def run(mistake: Mistake) -> str:
        for name, text in {**FILES, **mistake.files}.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        result = invoke(*shlex.split(mistake.command.format(**servers)))
        text = result.output
        for name, server in servers.items():
            text = text.replace(server, "{" + name + "}")
        text = _LIBRARIES.sub("", text)
        return f"{text}exit {result.exit_code}\n"

    return run


def sections(text: str) -> dict[str, str]:
    """What a golden file has of each mistake."""
    found = (part.partition("\n") for part in re.split(r"^── ", text, flags=re.MULTILINE)[1:])
    return {name: rest for name, _, rest in found}


def test_they_are_told_in_their_place(said: Callable[[Mistake], str]) -> None:
    found = {name: f"$ spaseq {mistake.command}\n{said(mistake)}\n" for name, mistake in MISTAKES.items()}
    if os.environ.get("SPASEQ_UPDATE_GOLDEN"):
        GOLDEN.write_text("".join(f"── {name}\n{text}" for name, text in found.items()), encoding="utf-8")
    assert found == sections(GOLDEN.read_text(encoding="utf-8"))


def test_there_are_enough() -> None:
    told = sections(GOLDEN.read_text(encoding="utf-8"))
    assert len(told) >= 40
    for name, text in told.items():
        assert not re.search(r"Traceback|internal error|File \"|object at 0x", text), name
        assert ("rror: " in text) == ("exit 0" not in text), name
