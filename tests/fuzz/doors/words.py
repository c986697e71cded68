"""Words of the formats of RDF."""

from __future__ import annotations

from tests.data import folder
from tests.fuzz.door import ROOT

XSD = b"http://www.w3.org/2001/XMLSchema#"
PROV = b"<http://www.w3.org/ns/prov#generatedAtTime>"
TIME = b"<urn:g> " + PROV + b' "5"^^<' + XSD + b"integer> .\n"
TERMS = (
    b"<urn:a>", b"<urn:\\u0061>", b"<urn:\\u0061#x>", b"<urn:a#b>", b"<>", b"<a>", b"<urn:a b>", b"_:b", b"_:b.",
    b"_:1.2", b"_:",
    b'"x"', b"'x'", b'"a\\nb"', b'"\\u0041"', b'"x"@en', b'"x"@en-GB', b'"x"@en--ltr', b'"x"@',
    b'"1"^^<' + XSD + b"integer>",
    b'"01"^^<' + XSD + b"integer>", b'"1.50"^^<' + XSD + b"decimal>", b'"1e0"^^<' + XSD + b"double>",
    b'"-NaN"^^<' + XSD + b"double>", b'"2026-01-01T24:00:00Z"^^<' + XSD + b"dateTime>",
    b'"99999-12-31T23:59:59.9999999+14:00"^^<' + XSD + b"dateTime>", b'"true"^^<' + XSD + b"boolean>",
    b"<<( <urn:s> <urn:p> <urn:o> )>>", b"<<( _:a <urn:p> \"x\"@en )>>", b"<<(", b")>>", b"<<", b">>", b"^^", b"@en",
    b"<urn:s> <urn:p> <urn:o> <urn:g> .\n", b"<urn:s> <urn:p> <urn:o> .\n", TIME, PROV, b".", b" .\n", b"# comment\n",
    b"<urn:g>", b"<urn:h>", b"_:g",
)  # fmt: skip
TURTLE = (
    b"@prefix p: <urn:> .\n", b"PREFIX p: <urn:>\n", b"@base <http://b/> .\n", b"BASE <http://b/>\n", b"p:a",
    b"p:a\\#b",
    b"p:a%20", b"p:", b":", b":a", b"a", b"[]", b"[ p:a 1 ]", b"(1 2)", b"()", b"1", b"-1.5", b"1e5", b"5.e3", b"+.5",
    b"true", b"false", b'"""', b"'''", b'"""long\n"""', b"p:g { p:s p:p p:o }\n", b"GRAPH p:g {", b"{", b"}", b";",
    b",",
    b"{| p:a 1 |}", b"~ p:r", b"<< p:a p:b p:c >>", b"<<( p:a p:b p:c )>>", b"@version \"1.2\" .", b'VERSION "1.2"',
    b'p:g <http://www.w3.org/ns/prov#generatedAtTime> 5 .\n', b"p:\xc3\xa9", b"p:a.b", b"p:a.",
)  # fmt: skip
MESSAGES = (
    b"MESSAGE\n", b"message\n", b"@message .\n", b"# @message\n", b'VERSION "1.2-messages"\n', b"@message", b"MESSAGEX",
    b'@version "1.2-messages" .\n', b"<urn:e> " + PROV + b" 7 . ", b" MESSAGE ",
)  # fmt: skip


def w3c(suite: str, ending: str) -> list[bytes]:
    """The files of a suite of the W3C, some of them wrong on purpose."""
    return [path.read_bytes() for path in sorted((folder("w3c-rdf-tests") / suite).glob(f"*{ending}"))]


def examples(pattern: str, lines: int) -> list[bytes]:
    """So many of the first lines of each example."""
    found = sorted((ROOT / "examples" / "streams").glob(pattern))
    return [b"".join(path.read_bytes().splitlines(keepends=True)[:lines]) for path in found]
