"""The translator of Turtle and TriG against pyoxigraph: what it translates is valid, and the same statements."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, RdfFormat, parse

from gpm.native.turtle import Translator
from gpm.nesting import is_too_deep
from tests.data import folder

UNSURE = 2
SUITE = sorted(path.read_bytes() for path in folder("w3c-rdf-tests").glob("rdf-trig/*.trig"))
RICH = b"""@prefix p: <urn:> . # a comment
PREFIX : <http://x.org/y#>
p:g { p:a p:b 1, -2.5, +3e4, .5 ; a p:c ; p:d "x", 'y"z\\'', \"\"\"l"
o\\n\"\"\", '''q''', "t"@en-US, "5"^^p:int, "6"^^<urn:int> ;; .
  [ p:e [ p:f ( 1 "2" p:x () [] ) ] ] . _:b.c p:d true, false }
p:a.b p:c:d <http://x.org/y#z> , :, :1 ; p:e [] .
GRAPH <urn:g> { } { p:a p:b p:c. } [] p:a p:b . [ p:a p:b ] .
"""
# Tokens that a mistake, or the next piece of the text, may put anywhere.
TOKENS = [
    *b"""
    . ; , [ ] ( ) { } a p:a p: : q:1 1 1. 1.5 1e5 +.5 true false "x" 'x' \"\"\"x\"\"\" \'\'\' @en ^^ <urn:x> <x> _:a
    _:b. #c GRAPH graph - %41 \\ p:\xc3\xa9 << ~ {| --ltr \\n \\u0041 \0 @ e E1 .. :: p:a- p:-a p:.a p:a. \xff
    @prefix PREFIX BASE <urn:> <<( )>>
    """.split(),
    b"\n", b" ", b"\t", b"\r", b"@prefix p: <urn:> .", b"PREFIX q: <http://a>",
]  # fmt: skip


def canonical(statements: list[Quad]) -> Dataset:
    dataset = Dataset(statements)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset


def check(text: bytes, graphs: bool = True) -> bool:
    """Compare what is translated with the parser; whether that is all."""
    lines, at, _ = Translator(graphs).read(text + b"\n", 0)
    expected = list(parse(text[:at], RdfFormat.TRIG if graphs else RdfFormat.TURTLE))
    assert canonical(list(parse(lines, RdfFormat.N_QUADS))) == canonical(expected)
    return at >= len(text)


def test_all_that_people_write_is_translated() -> None:
    assert check(RICH)


@pytest.mark.parametrize("graphs", [True, False])
@pytest.mark.parametrize("number", range(len(SUITE)))
def test_w3c(number: int, graphs: bool) -> None:
    check(SUITE[number], graphs)


@given(st.lists(st.sampled_from(TOKENS), max_size=12), st.sampled_from([b"", b" ", b"\n"]), st.booleans())
def test_any_tokens(tokens: list[bytes], between: bytes, graphs: bool) -> None:
    text = b"@prefix p: <urn:> . " + between.join(tokens)
    if not is_too_deep(text):
        check(text, graphs)


@pytest.mark.parametrize("seed", range(300))
def test_damaged_texts(seed: int) -> None:
    chance = random.Random(seed)
    text = bytearray(chance.choice([RICH, *SUITE]))
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(text) + 1)
        text[start : start + chance.choice([0, 0, 1, 3])] = chance.choice(TOKENS)
    if not is_too_deep(bytes(text)):
        check(bytes(text))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_a_text_in_pieces_gives_the_same_lines(size: int) -> None:
    whole, _, _ = Translator(True).read(RICH, 0)
    translator, rest, found = Translator(True), b"", b""
    for start in range(0, len(RICH), size):
        text = rest + RICH[start : start + size]
        lines, at, outcome = translator.read(text, 0)
        assert outcome != UNSURE
        found, rest = found + lines, text[at:]
    assert (found, rest) == (whole, b"")


@pytest.mark.parametrize(
    "unit",
    [
        "<x> p:b 1 .",
        "p:a p:b <<( p:a p:b p:c )>> .",
        "p:a p:b p:c {| p:d 1 |} .",
        "p:a p:b p:c\\-d .",
        "p:a p:b p:%41 .",
        "p:a p:b p:é .",
        "p:a p:b 5.e3 .",
        "q:a p:b 1 .",
        "p:a p:b 'x'@e-1-x .",
        'p:a p:b "x\n" .',
        "(1) p:b 2 .",
        "BASE <urn:x>",
        'VERSION "1.2"',
        "@prefix r: <x> .",
        "p:a p:b" + " [ p:c" * 200 + "]" * 200 + " .",
    ],
)
def test_what_is_left_to_the_parser(unit: str) -> None:
    translator = Translator(True)
    text = b"@prefix p: <urn:> .\np:a p:b p:c .\n"
    lines, at, outcome = translator.read(text + unit.encode() + b"\n", 0)
    assert (lines, at, outcome) == (b"<urn:a> <urn:b> <urn:c> .\n", len(text), UNSURE)
    assert translator.prefixes == {"p": "urn:"}


def test_prefixes_of_what_is_not_sure_do_not_count() -> None:
    translator = Translator(graphs=False, messages=True)
    translator.prefixes = {"p": "urn:one:"}
    text = b"p:a p:b p:c . MESSAGE PREFIX p: <urn:two:> p:a p:b p:c . <x> p:b 1 .\n"
    assert translator.read(text, 0)[0].count(b"\n") == 2
    assert translator.prefixes == {"p": "urn:one:"}


def test_places_are_where_objects_end() -> None:
    translator = Translator(True)
    translator.read(b"<a:s>\n <a:p> <a:o> ,\n <a:n> .\n", 0)
    assert [translator.place(line) for line in (0, 1, 2)] == [18, 27, 30]
