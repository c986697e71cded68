"""Very deep triple terms are an error everywhere: the parser would not survive them."""

from __future__ import annotations

from pathlib import Path

import pytest

import spaseq
from gpm.nesting import is_too_deep
from spaseq.errors import StreamError
from spaseq.streams import WireOptions, WireReport, read_source

DEEP = "<<( <urn:s> <urn:p> " * 50_000 + "<urn:o>" + " )>>" * 50_000
TIME = '<urn:e> <http://www.w3.org/ns/prov#generatedAtTime> "1"^^<http://www.w3.org/2001/XMLSchema#long>'
TEXTS = {
    "a.nq": f"{TIME} .\n<urn:s> <urn:p> {DEEP} <urn:e> .\n",
    "a.trig": f"{TIME} .\n<urn:e> {{ <urn:s> <urn:p> {DEEP} }}\n",
    "lines.trig": f"{TIME} .\n<urn:e> {{ <urn:s> <urn:p> {DEEP} }}\n".replace("<<(", "<<(\n"),
    "messages.ttl": f"MESSAGE\n{TIME} .\n<urn:s> <urn:p> {DEEP} .\nMESSAGE\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_streams(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(TEXTS[name])
    with pytest.raises(StreamError, match="nested more than 100 deep"):
        list(read_source(str(tmp_path / name), "urn:x", WireOptions(), WireReport()))


def test_graphs_and_knowledge() -> None:
    text = f"<urn:s> <urn:p> {DEEP} .".encode()
    engine = spaseq.Engine()
    engine.register("SELECT * FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?o } }")
    with pytest.raises(StreamError, match="nested more than 100 deep"):
        engine.push("s", text, 1)
    with pytest.raises(StreamError, match="nested more than 100 deep"):
        spaseq.Engine({"urn:kb": text})


def test_what_is_not_deep() -> None:
    assert not is_too_deep(b'<urn:s> <urn:p> "' + b"<<(" * 200 + b'" .')
    assert not is_too_deep(b"# " + b"<" * 500 + b"\n<urn:s#x> <urn:p> <urn:o> .")
    assert not is_too_deep(b"<urn:s> <urn:p> <<( <urn:s> <urn:p> <urn:o> )>> .\n" * 300)
