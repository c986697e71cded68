"""Control characters of data, names and queries: none but newline and tab reaches a terminal, formats escape them."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
import tty
import warnings
from contextlib import chdir, suppress
from pathlib import Path
from xml.etree import ElementTree

import pyoxigraph
import pytest

from spaseq.cli.progress import Reached
from spaseq.errors import OptionError, SpaseqWarning, StreamError
from spaseq.text import json_text, on_one_line, shown
from tests.cli.conftest import ROOT, Invoke
from tests.cli.test_weird import COPY, ONE, event
from tests.fuzz.doors.terminal import ALL, FILES, LINES, parts, seeds, written

TEXT = "a\x1b[31m\x7f\x80\x85\x9b\x08\u202e\té"
LITERAL = "a\\u001B[31m\\u007F\\u0080\\u0085\\u009B\\b\\u202E\\té"


@pytest.mark.parametrize("data", seeds(), ids=lambda data: data.split(b"\n")[0].decode())
def test_no_command_steers_a_terminal(tmp_path: Path, data: bytes) -> None:
    """The inputs of the door ``terminal``, in all of their command lines."""
    command, name, query, rest = parts(data)
    paths = [Path(name + ending) for ending in FILES[command]]
    with chdir(tmp_path):
        for path, content in zip(paths, (query, rest), strict=True):
            path.write_bytes(content)
        for line in [*LINES[command], *ALL]:
            written(line, [str(path) for path in paths])


def test_formats_escape_what_they_can(folder: Path, invoke: Invoke) -> None:
    Path("w.nq").write_text(event(1, "2026-01-01T00:00:01Z", f'"{LITERAL}"'), encoding="utf-8")
    outputs = {}
    for format, query in (("jsonl", ONE), ("json", ONE), ("tsv", ONE), ("csv", ONE), ("nquads", COPY), ("trig", COPY)):
        Path("w.spaseq").write_text(query)
        result = invoke("run", "w.spaseq", "--stream", "s=w.nq", "--format", format, "--quiet")
        outputs[format] = result.stdout_bytes.decode()
        assert format == "csv" or not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", outputs[format])
    assert json.loads(outputs["jsonl"])["bindings"]["v"]["value"] == TEXT
    assert json.loads(outputs["json"])["results"]["bindings"][0]["v"]["value"] == TEXT
    assert list(csv.reader(io.StringIO(outputs["csv"], newline=""))) == [["v"], [TEXT]]
    for format in ("nquads", "trig"):
        kind = pyoxigraph.RdfFormat.N_QUADS if format == "nquads" else pyoxigraph.RdfFormat.TRIG
        found = [quad.object.value for quad in pyoxigraph.parse(outputs[format].encode(), kind)]
        assert TEXT in found and "\\u009B" in outputs[format]
    term = outputs["tsv"].splitlines()[1]
    (quad,) = pyoxigraph.parse(f"<urn:s> <urn:p> {term} .".encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    assert quad.object == pyoxigraph.Literal(TEXT)


def test_xml_gives_the_numbers_of_what_it_has(folder: Path, invoke: Invoke) -> None:
    Path("w.nq").write_text(event(1, "2026-01-01T00:00:01Z", '"\\u007F\\u0085\\u009B<"'))
    Path("w.spaseq").write_text(ONE)
    text = invoke("run", "w.spaseq", "--stream", "s=w.nq", "--format", "xml", "--quiet").stdout
    assert "&#x7F;&#x85;&#x9B;&lt;" in text
    (literal,) = ElementTree.fromstring(text).findall(".//{*}literal")
    assert literal.text == "\x7f\x85\x9b<"


def test_late_events_are_written_alike(folder: Path, invoke: Invoke) -> None:
    late = event(2, "2026-01-01T00:00:01Z", f'"{LITERAL}"')
    Path("w.nq").write_text(event(1, "2026-01-01T00:00:09Z", '"x"') + late, encoding="utf-8")
    Path("w.spaseq").write_text(ONE)
    assert invoke("run", "w.spaseq", "--stream", "s=w.nq", "--late", "late.nq", "--quiet").exit_code == 0
    assert "\\u009B" in Path("late.nq").read_text(encoding="utf-8")


@pytest.mark.parametrize("format", ["csv", "table", "tsv"])
def test_on_a_terminal(tmp_path: Path, format: str) -> None:
    """CSV has no escapes: on a terminal it is shown as a table is."""
    (tmp_path / "w.nq").write_text(event(1, "2026-01-01T00:00:01Z", f'"{LITERAL}"'), encoding="utf-8")
    (tmp_path / "w.spaseq").write_text(ONE)
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    command = [sys.executable, "-m", "spaseq", "run", "w.spaseq", "--stream", "s=w.nq", "--format", format, "--quiet"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm"}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=theirs, stderr=theirs)
    os.close(theirs)
    output = b""
    with suppress(OSError):  # how Linux says that the last writer is gone
        while part := os.read(ours, 65_536):
            output += part
    os.close(ours)
    text = re.sub("\x1b\\[[01]m", "", output.decode())  # the head is bold
    assert process.wait() == 0 and "[31m" in text
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]" if format != "tsv" else "[\x00-\x08\x0b-\x1f\x7f-\x9f]", text
    )


def test_messages_are_clean_in_python_too() -> None:
    for error in (OptionError(TEXT), StreamError(TEXT, hint=TEXT)):
        assert "a�[31m������\té" in str(error)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.warn(TEXT, SpaseqWarning, stacklevel=1)
    assert str(found[0].message) == "a�[31m������\té"


def test_what_is_shown() -> None:
    assert shown("a\tb\nc") == "a\tb\nc" and on_one_line("a\tb\nc\r\nd\re") == "a b c d e"
    assert shown("\u2028\u2066\ud800") == "���"
    assert shown("می\u200cخواهم 👩\u200d👩\u200d👧") == "می\u200cخواهم 👩\u200d👩\u200d👧"  # joiners are letters' own
    assert json_text({"k\x9b": TEXT}) == '{"k\\u009b": "a\\u001b[31m\\u007f\\u0080\\u0085\\u009b\\b\u202e\\té"}'
    assert json.loads(json_text([TEXT])) == [TEXT]
    assert "\x1b" not in on_one_line(Reached(1, 1, held_back_by="\x1b").line(1))
