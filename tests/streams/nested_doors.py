"""Hands very deep text to each door, in a process of its own: ``python -m tests.streams.nested_doors FOLDER``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import spaseq
from spaseq.errors import SpaseqError
from spaseq.streams import WireOptions, WireReport, read_source
from tests.gpm.nested import tricks
from tests.gpm.test_nesting import chain, xml

TIME = '<urn:e> <http://www.w3.org/ns/prov#generatedAtTime> "1"^^<http://www.w3.org/2001/XMLSchema#long>'
GOOD = f"{TIME.replace('urn:e', 'urn:good')} .\n<urn:s> <urn:p> <urn:o> <urn:good> .\n"
GOOD_DOCUMENT = (
    '{"@id": "urn:good", "http://www.w3.org/ns/prov#generatedAtTime": '
    '{"@type": "http://www.w3.org/2001/XMLSchema#long", "@value": "1"}}\n'
)
STREAMS: dict[str, Callable[[str], str]] = {
    "a.nq": lambda text: text + "\n",
    "messages.nq": lambda text: f"MESSAGE\n{TIME} .\n{text}\nMESSAGE\n",
    "messages.ttl": lambda text: f"MESSAGE\n{TIME} .\n{text}\nMESSAGE\n",
    "messages.trig": lambda text: f"MESSAGE\n{TIME} .\n{text}\nMESSAGE\n",
    "a.trig": lambda text: f"{TIME} .\n{text}\n",
}
PLAIN = GOOD.replace(" <urn:good> .", " .")
MESSAGE = f"MESSAGE\n{PLAIN}"
BEFORE = {
    "a.nq": GOOD + GOOD.replace("urn:good", "urn:last"),
    "messages.nq": MESSAGE,
    "messages.ttl": MESSAGE,
    "messages.trig": MESSAGE,
    "a.trig": f"{PLAIN.splitlines()[0]}\n<urn:good> {{ <urn:s> <urn:p> 1 }}\n{TIME} .\n<urn:e> {{ _:s <urn:p> 1 }}\n",
}
QUERY = "SELECT * FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?o } }"


SOME = ("an escape in an IRI", "an escaped hash in a name")


def texts(levels: int) -> dict[str, bytes]:
    """The texts that the doors get; tests/gpm/test_nesting.py has the others."""
    chosen = SOME if levels < 100_000 else SOME[:1]
    return {trick: tricks(levels)[trick].encode("utf-8", "surrogateescape") for trick in chosen}


def documents(levels: int) -> dict[str, str]:
    return {
        "objects": '{"urn:a:p":' * levels + "1" + "}" * levels,
        "lists": '{"urn:a:p":' + '{"@list":[' * levels + "1" + "]}" * levels + "}",
        "terms": chain(levels),
        "context": chain(levels).removesuffix(', "a0": 1}') + '}\n{"a0": 1}',
        "terms of terms": '{"@context":' + '{"a":{"@id":"urn:a:a","@context":' * levels + "{}" + "}}" * levels + "}",
    }


def stream(path: Path, content: bytes) -> str:
    """Whether what comes before is read, and how much is counted as an error."""
    path.write_bytes(content)
    report = WireReport()
    events = sum(len(some.graphs) for some in read_source(str(path), "urn:x", WireOptions(skip=True), report))
    return f"{events} events, {report.errors} errors"


def outcome(work: Callable[[], object]) -> str:
    try:
        return str(work())
    except SpaseqError as error:
        return f"{type(error).__name__}: {str(error)[:60]}"


def streams(folder: Path, levels: int) -> None:
    for name, around in STREAMS.items():
        for trick, text in texts(levels).items():
            content = BEFORE[name].encode() + around("TEXT").encode().replace(b"TEXT", text)
            print(name, levels, trick, outcome(lambda content=content, name=name: stream(folder / name, content)))  # type: ignore[misc]
    for case, document in documents(levels).items():
        content = f"{GOOD_DOCUMENT}{document}\n{GOOD_DOCUMENT}".encode()
        print("jsonld", levels, case, outcome(lambda content=content: stream(folder / "a.jsonld", content)))  # type: ignore[misc]


def knowledge(folder: Path, levels: int) -> None:
    engine = spaseq.Engine()
    engine.register(QUERY)
    for trick, text in texts(levels).items():
        print("push", levels, trick, outcome(lambda text=text: engine.push("s", text, 1)))  # type: ignore[misc]
        print("bytes", levels, trick, outcome(lambda text=text: spaseq.Engine({"urn:kb": text})))  # type: ignore[misc]
        for ending in ("ttl", "trig", "nq", "nt", "n3"):
            print(ending, levels, trick, outcome(lambda text=text, ending=ending: load(folder / f"kb.{ending}", text)))  # type: ignore[misc]
    for case, document in documents(levels).items():
        print("jsonld", levels, case, outcome(lambda document=document: load(folder / "kb.jsonld", document.encode())))  # type: ignore[misc]
    for attribute in ("", ' rdf:parseType="Triple"', ' rdf:parseType="Collection"'):
        print("rdf", levels, attribute, outcome(lambda a=attribute: load(folder / "kb.rdf", xml(levels, a).encode())))  # type: ignore[misc]


def load(path: Path, content: bytes) -> object:
    path.write_bytes(content)
    return spaseq.Engine({"urn:kb": str(path)})


if __name__ == "__main__":
    for levels in (20_000, 200_000):
        {"streams": streams, "knowledge": knowledge}[sys.argv[2]](Path(sys.argv[1]), levels)
