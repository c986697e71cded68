"""What commands write, whatever is in names, queries and data: no control character but newline and tab.

An input is a head (a command, and the name that its files have), a query and its data, with lines ``----`` between.
"""

from __future__ import annotations

import random
import re
import tempfile
import zlib
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner, Result

from spaseq.cli import main
from spaseq.errors import SpaseqError
from spaseq.results.formats.writer import Utf8Output
from tests.fuzz.door import DisagreementError, Door
from tests.fuzz.doors.words import TERMS
from tests.fuzz.mutate import mutated

BETWEEN = b"\n----\n"
SHORT, TRIED = 4_000, 3  # characters of a query that is run; command lines of an input
BOLD = re.compile("\x1b\\[[01]m")  # of the head of a table
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
FORMATS = ("table", "jsonl", "json", "csv", "tsv", "xml", "nquads", "trig")
FILES = {"run": (".spaseq", ".nq"), "tuples": (".ceql", ".csv"), "paths": (".paths", ".nt")}
LINES = {
    "run": [
        *(f"run QUERY --stream s=DATA --limit 20 --format {format}" for format in FORMATS),
        "run QUERY --stream s=DATA --format table --times",
        "run QUERY --stream s=DATA --count --stats --on-error skip",
        "run QUERY --stream DATA=DATA",
    ],
    "tuples": [
        *(f"tuples QUERY --events DATA --limit 20 --format {format}" for format in ("table", "jsonl", "csv")),
        "tuples QUERY QUERY --events DATA --count --on-error skip",
        "tuples QUERY --events DATA --time DATA --type QUERY",
        "tuples QUERY --events DATA --declare DATA=QUERY",
    ],
    "paths": [
        *(f"paths QUERY --graph DATA --limit 20 --most-edges 9999 --format {format}"
          for format in ("table", "jsonl", "csv", "svg", "mermaid", "dot")),
        *(f"paths QUERY --graph DATA --limit 20 --most-edges 9999 --ends --format {format}"
          for format in ("table", "jsonl", "csv")),
        "paths QUERY --graph DATA --count --most-edges 9999",
    ],
}  # fmt: skip
ALL = [*(f"explain QUERY --format {form}" for form in ("text", "json", "mermaid", "dot")), "check QUERY", "run QUERY"]
CONTROLS = (
    b"\x1b[31m", b"\x1b]0;title\x07", b"\x9b2J", b"\xc2\x9b2J", b"\x7f", b"\x08", b"\r", b"\x85", b"\xc2\x85", b"\0",
    b"\xe2\x80\xae", b"\\u001B[2J", b"\\u009B2J", b"\\u007F", b"\\b", b"\\r", b"\\n",
)  # fmt: skip


def enter(data: bytes) -> str:
    """Some command lines, on a terminal and elsewhere.  SpaseqError: all of them are refused."""
    command, name, query, rest = parts(data)
    choose = random.Random(zlib.crc32(data))
    lines = (LINES[command] if len(query) < SHORT else []) + ALL
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        paths = [Path(name + ending) for ending in FILES[command]]
        for path, content in zip(paths, (query, rest), strict=True):
            path.write_bytes(content)
        ends = [written(line, [str(path) for path in paths]) for line in choose.sample(lines, TRIED)]
    if all(ends):
        raise SpaseqError(command)  # not why: inputs that are refused teach little here
    return f"{command} {len(lines)} {sum(not end for end in ends)}"


def parts(data: bytes) -> tuple[str, str, bytes, bytes]:
    """The command, the name of its files, the query, and the data."""
    head, query, rest, *_ = [*data.split(BETWEEN), b"", b""]
    command, name, *_ = [*head.decode("utf-8", "surrogateescape").split("\n"), "", ""]
    if command not in FILES:
        command = sorted(FILES)[zlib.crc32(data) % len(FILES)]
    return command, re.sub("[/\0\ud800-\udfff]", "_", name)[:40] or "q", query, rest


def written(line: str, files: Sequence[str]) -> str:
    """Why a command failed; DisagreementError: it wrote something that it must not."""
    names = dict(zip(("QUERY", "DATA"), files, strict=True))
    arguments = [re.sub("QUERY|DATA", lambda found: names[found[0]], word) for word in line.split()]
    said = ""
    for on_terminal in (True, False):
        with patch.object(Utf8Output, "isatty", lambda _, answer=on_terminal: answer, create=True):
            result = CliRunner().invoke(main, arguments)
        if on_terminal or "csv" not in arguments:  # which passes them on elsewhere
            check(result, line, BOLD.sub("", result.stdout) if on_terminal else result.stdout)
        said = result.stderr if result.exit_code else ""
    return said[:100]


def check(result: Result, line: str, output: str) -> None:
    """DisagreementError: something steers a terminal, or the program is wrong."""
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    for text, where in ((output, "standard output"), (result.stderr, "standard error")):
        if found := STEERS.search(text):
            around = text[max(0, found.start() - 40) : found.end() + 20]
            raise DisagreementError(f"{line}: U+{ord(found[0]):04X} on {where}: {around!r}")
    if "internal error" in result.stderr:
        raise DisagreementError(f"{line}: {result.stderr!r:.300}")


def changed(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """Control characters put in at some places, half of them in the data, and other damage."""
    for _ in range(choose.choice((1, 1, 2, 4))):
        place = choose.randint(choose.choice((0, data.rfind(BETWEEN) + 1)), len(data))
        data = data[:place] + choose.choice(CONTROLS) + data[place:]
    return mutated(data, other, words, choose) if choose.random() < 0.5 else data


SELECT = b"SELECT ?v ?s FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s <urn:p> ?v } }"
CONSTRUCT = b"""CONSTRUCT { ?s <urn:q> ?v } INTO STREAM <urn:o> WITHIN 9 SECONDS FROM STREAM s <urn:s> WHERE {
  SEQ(A ; A) DEFINE GPM A ON s { ?s <urn:p> ?v } }"""
PROV, INTEGER = b"<http://www.w3.org/ns/prov#generatedAtTime>", b"<http://www.w3.org/2001/XMLSchema#integer>"
TABLE = b'type,time,name,pr\x1b[1m\nA,1,x\x1b[2J,2\nB,2,\xc2\x9by,3\nA,3,"l\nm",4\nB,4,\x7f,5\n'
GRAPH = b"""<urn:a> <urn:p> "x\\u001B[2J\\u009By" .
<urn:a> <http://www.w3.org/2000/01/rdf-schema#label> "K\\u0007" .
"""


def stream(text: bytes) -> bytes:
    """Three events with a text."""
    return b"".join(
        b'<urn:e%d> %s "%d"^^%s .\n<urn:s> <urn:p> "%s%d"@en <urn:e%d> .\n' % (n, PROV, n, INTEGER, text, n, n)
        for n in range(3)
    )


def seeds() -> list[bytes]:
    """A few commands, most of which find something."""
    hostile, fit_for_xml = stream(b"a\\u001B[31m\\u009B \\u007F\\u0085b"), stream(b"\\u009B\\u007F\xc2\x9b\x7f")
    rows = [
        (b"run\nq", SELECT, hostile), (b"run\nq", SELECT, fit_for_xml), (b"run\nn\xc2\x9bame\x1b", CONSTRUCT, hostile),
        (b"tuples\nq", b"SELECT * WHERE A AS x ; B AS y WITHIN 3 EVENTS", TABLE),
        (b"tuples\nq\x7f", b"SELECT x.name, y.name AS n WHERE A AS x ; B AS y WITHIN 3 EVENTS", TABLE),
        (b"tuples\nq", b"SELECT x.name, COUNT(*) WHERE A AS x GROUP BY x.name WITHIN 3 EVENTS", TABLE),
        (b"tuples\nq", b"SELECT x.pr WHERE A AS x ; B AS y FILTER x[name = 'a\x1b\xc2\x9b'] WITHIN 3 EVENTS", TABLE),
        (b"paths\nq", b"QUERY q FROM <urn:a> ANY SHORTEST <urn:p>+", GRAPH),
        (b"paths\nq\x1b", b"QUERY q FROM LABEL \"K\x07\" ANY SHORTEST <urn:p>/[?x: ?x != \"\xc2\x9b\"]", GRAPH),
    ]  # fmt: skip
    return [BETWEEN.join(row) for row in rows]


DOOR = Door("terminal", enter, seeds, (*TERMS, *CONTROLS), changed)
