"""How deep a text is nested is found out before pyoxigraph reads it, which would not survive."""

from __future__ import annotations

import json
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given, strategies as st
from pyoxigraph import RdfFormat

from gpm.nested_json import LONGEST_CHAIN, check_json
from gpm.nested_xml import check_xml
from gpm.nesting import DEEPEST, is_too_deep, too_deep_at
from gpm.parsing import parse
from tests.gpm.nested import CLOSE, OPEN, deep, tricks

SHALLOW = deep(1)

# ── triple terms ─────────────────────────────────────────────────────────────────────────────────────────
MANY = "<<(" * 300
NOT_DEEP = {
    "in a string": f'<urn:s> <urn:p> "{MANY}" .',
    "in a string with quotes": f'<urn:s> <urn:p> "\\"{MANY}\\\\" .',
    "in a string with the other quotes": f"""<urn:s> <urn:p> "'{MANY}'" , '"{MANY}"' .""",
    "in a long string": f'<urn:s> <urn:p> """ " "" \\""" \n{MANY} """ .',
    "in a long string with the other quotes": f"<urn:s> <urn:p> ''' ' '' \\''' \"\"\" \n{MANY} ''' .",
    "in a comment": f"# {MANY} ' \" <\n<urn:s#x> <urn:p> <urn:o> . # {MANY}",
    "in a comment that a carriage return ends": f"# {MANY}\r<urn:s> <urn:p> {SHALLOW} .",
    "one after the other": f"<urn:s> <urn:p> {SHALLOW} .\n" * 300,
    "in a collection": f"<urn:s> <urn:p> ({SHALLOW * 300}) .",
    "behind names with escapes": "@prefix p: <urn:> . " + f"p:a\\#b\\'c p:d\\'e {SHALLOW} .\n" * 300,
    "as deep as may be": f"<urn:s> <urn:p> {deep(DEEPEST)} .",
    "brackets that make blank nodes": "<< " * 300 + "<urn:s>" + " <urn:p> <urn:o> >>" * 300 + " <urn:p> <urn:o> .",
}


@pytest.mark.parametrize("case", NOT_DEEP)
def test_what_is_not_deep(case: str) -> None:
    text = NOT_DEEP[case].encode()
    assert not is_too_deep(text)
    assert list(parse(text, RdfFormat.TRIG))


TRICKS = tricks(DEEPEST + 1)


@pytest.mark.parametrize("trick", TRICKS)
def test_what_is_too_deep(trick: str) -> None:
    text = TRICKS[trick].encode("utf-8", "surrogateescape")
    assert is_too_deep(text)
    place = too_deep_at(text)
    assert place is not None
    assert text[place : place + 3] == b"<<("


TOKENS = """
<urn:o> <urn:\\u0061> p:a p:a\\#b _:b " ' \"\"\" ''' "x" \\ \\# \\' < > << >> , # ( ) [ ] { } {| |} ~ @en ^^ 1.5 ä
"""
PIECES = st.sampled_from(
    [OPEN, OPEN, CLOSE, CLOSE, SHALLOW, "<urn:s> <urn:p> ", "@prefix p: <urn:> .", " .\n", "\n", "\r", *TOKENS.split()]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def level(term: Any) -> int:
    found = 0
    while isinstance(term, pyoxigraph.Triple):
        term, found = term.object, found + 1
    return found


@given(TEXTS, st.sampled_from([RdfFormat.TRIG, RdfFormat.TURTLE, RdfFormat.N_QUADS]), st.integers(0, 3))
def test_pyoxigraph_never_makes_a_term_that_is_deeper_than_what_was_found(
    text: str, file_format: RdfFormat, most: int
) -> None:
    data = ("@prefix p: <urn:> . " * (file_format != RdfFormat.N_QUADS) + text).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gpm.nesting.DEEPEST", most)
        if is_too_deep(data):
            return
    try:
        for quad in pyoxigraph.parse(data, file_format):
            assert level(quad.object) <= most
    except SyntaxError:
        pass


@given(TEXTS)
def test_text_that_pyoxigraph_takes_is_as_deep_as_its_deepest_term(text: str) -> None:
    data = ("@prefix p: <urn:> . " + text).encode()
    try:
        deepest = max((level(quad.object) for quad in pyoxigraph.parse(data, RdfFormat.TRIG)), default=0)
    except SyntaxError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gpm.nesting.DEEPEST", deepest)
        assert not is_too_deep(data)


def test_the_scan_takes_time_in_proportion_to_the_text() -> None:
    for piece in ("< ", '"""\\', "'''a''\\'", '" \\" ', "<<( ", "# \r", "\\", ")"):
        is_too_deep(("<<(" * 101 + ")>>" * 101 + piece * 500_000).encode())


# ── JSON-LD ──────────────────────────────────────────────────────────────────────────────────────────────
def chain(length: int) -> str:
    """A context whose terms are defined by each other."""
    terms = {f"a{n}": f"a{n + 1}:x" for n in range(length)} | {f"a{length}": "urn:x:"}
    return json.dumps({"@context": terms, "a0": 1})


JSON_TOO_DEEP = {
    "objects": '{"urn:a:p":' * 101 + "1" + "}" * 101,
    "lists": '{"urn:a:p":' + '{"@list":[' * 60 + "1" + "]}" * 60 + "}",
    "graphs": '{"@graph":' * 101 + "[]" + "}" * 101,
    "a string with quotes before": '{"urn:a:p":"\\"", "urn:a:q":' + "[" * 101 + "]" * 101 + ', "urn:a:r":"\\""}',
    "a string without its end before": '{"urn:a:p":"' + "[" * 101,
    "terms": chain(20_000),
    "terms, by an escaped name": chain(20_000).replace("@context", "\\u0040context"),
    "terms, twice": '{"@context":{},' + chain(20_000)[1:],
    "terms in a list": chain(20_000).replace('"@context": ', '"@context": [').replace("}", "}]", 1),
    "terms of a term": '{"@context": {"b": {"@id": "urn:b:b",' + chain(20_000)[1:].replace(', "a0": 1', "") + "}}",
    "terms before a mistake": chain(20_000) + "]",
    "expanded definitions": chain(20_000).replace(':x"', ':x"}').replace(': "a', ': {"@id": "a'),
    "long terms": json.dumps({"@context": {"p": "urn:" + "x" * 500_000} | {f"a{n}": f"p:{n}" for n in range(900)}}),
}  # fmt: skip


@pytest.mark.parametrize("case", JSON_TOO_DEEP)
def test_json_that_is_too_deep(case: str) -> None:
    with pytest.raises(SyntaxError):
        check_json(JSON_TOO_DEEP[case].encode())


JSON_NOT_DEEP = {
    "brackets in a string": json.dumps({"urn:a:p": '[{"' * 300}),
    "brackets one after the other": json.dumps({"urn:a:p": [{"@id": f"urn:a:{n}"} for n in range(300)]}),
    "many terms": json.dumps({"@context": {"ex": "urn:ex:"} | {f"a{n}": f"ex:{n}" for n in range(5000)}, "a1": 1}),
    "as many as may be": chain(LONGEST_CHAIN),
    "long numbers": '{"urn:a:p": [' + "1" * 5000 + ', {"urn:a:q": 1e5000}' * 1500 + "]}",
}


@pytest.mark.parametrize("case", JSON_NOT_DEEP)
def test_json_that_is_not_deep(case: str) -> None:
    assert list(parse(JSON_NOT_DEEP[case].encode(), RdfFormat.JSON_LD))


# ── RDF/XML ──────────────────────────────────────────────────────────────────────────────────────────────
RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:version="1.2" xmlns:p="urn:p:">'


def xml(levels: int, attribute: str = "") -> str:
    node = '<rdf:Description rdf:about="urn:s">'
    inner = f'{node}<p:p rdf:resource="urn:o"/></rdf:Description>'
    outer = f"{node}<p:p{attribute}>" * levels + inner + "</p:p></rdf:Description>" * levels
    return f"{RDF}{outer}</rdf:RDF>"


LAUGHS = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
XML_TOO_DEEP = {
    "elements": xml(501),
    "triple terms": xml(101, ' rdf:parseType="Triple"'),
    "triple terms, by another name": xml(101, ' rdf:parseType="Triple"').replace("rdf:", "r:").replace(":rdf=", ":r="),
    "triple terms, escaped": xml(101, ' rdf:parseType="&#84;riple"'),
    "triple terms behind a comment": "<!-- <a --> " + xml(101, ' rdf:parseType="Triple"'),
    "triple terms before a mistake": xml(101, ' rdf:parseType="Triple"') + "<",
    "triple terms behind a mistake": xml(101, ' rdf:parseType="Triple"').replace(RDF, RDF + "<a><b></a></b>"),
    "triple terms behind an unknown entity": xml(101, ' rdf:parseType="Triple"').replace(RDF, RDF + "&x;"),
    "brackets in an attribute": xml(501, ' p:q="/>"'),
    "many laughs": f'<!DOCTYPE r [<!ENTITY e0 "{"ha" * 100}">{LAUGHS}]>' + xml(1).replace("urn:s", "&e9;"),
}  # fmt: skip


@pytest.mark.parametrize("case", XML_TOO_DEEP)
def test_xml_that_is_too_deep(case: str) -> None:
    with pytest.raises(SyntaxError):
        check_xml(XML_TOO_DEEP[case].encode())


def test_xml_that_is_not_deep() -> None:
    entities = '<!DOCTYPE r [<!ENTITY e "urn:p:">]>'
    for text in (xml(100), xml(100, ' rdf:parseType="Triple"'), entities + xml(20).replace("urn:s", "&e;s")):
        assert list(parse(text.encode(), RdfFormat.RDF_XML))
