"""Random N-Quads lines, valid ones and such as have been tampered with, and what pyoxigraph makes of them."""

from __future__ import annotations

from random import Random

import pyoxigraph
from pyoxigraph import Quad, RdfFormat

from gpm.native.encoding import encode_lines
from gpm.native.tokens import Line, read_lines
from gpm.terms import encode
from nfa_native.terms.dictionary import Terms
from tests.terms.boundary_values import FORMS, XSD

SCOPE = 7
SPACES = ("", " ", " ", " ", "\t", " \t ")
SCHEMES = ("http", "https", "urn", "a", "A+1.-x", "mailto", "tag")
HOSTS = (
    "", "example.org", "EXAMPLE.org", "a.b:80", "a:", "user@host", "u:p%20w@h:1", "[::1]", "[2001:db8::1]:8080",
    "[::ffff:1.2.3.4]", "[1::1.2.3.4]", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:1.2.3.4]", "[v1.x:y]", "bücher.example",
    "%41.org", "a~b!c",
)  # fmt: skip
PATHS = ("", "/", "/a", "/a/b/", "//a", "/é", "/%C3%A9", "/a;b=c,d", "/~a.b-c_d", "/:@!$&'()*+,;=", "/日本")
QUERIES = ("", "", "", "?", "?a=b&c", "?/?", "?\ue000", "?é", "?%20")
FRAGMENTS = ("", "", "", "#", "#a", "#a/b?c", "#é", "#\\u00e9\\U0001F600", "#type")
LABELS = ("a", "b1", "_", "9", "a.b", "a..b", "a-b", "é", "a·", "日本", "a_", "A" * 40, "x\U00010000", "a\u0301")
TEXTS = (
    "", "a", "plain text", "tab\there", "\\t\\b\\n\\r\\f\\\"\\'\\\\", "\\u00e9", "\\U0001F600", "é日本\U0001f600",
    "\uffff", "\0", "a" * 30, "a" * 7 + "é", '\\"' * 9, "x" * 600, "//", "'", "<>", "\x7f",
)  # fmt: skip
LANGUAGES = (
    "en", "EN", "en-US", "de-AT-1996", "x-a", "i-klingon", "sgn-BE-FR", "zh-cmn-Hans-CN", "en-a-bb-x-c", "es-419",
    "sl-rozaj-biske", "en-GB-oed", "abcdefgh", "ar--rtl", "en-us--ltr",
)  # fmt: skip
PIECES = (
    b"<", b">", b'"', b"\\", b"_:", b".", b" ", b"\t", b"^^", b"@", b"#", b"<<(", b")>>", b"\\u0041", b"\\u00",
    b"\\UD800", b"\\ud800", b"\\U00110000", b"\\x", b"%", b"%4", b"%zz", b"[", b"]", b":", b"//", b"/", b"?", b"-",
    b"--", b"--ltr",
    b"-x", b"-a", b"en", b"1", b"\x00", b"\x7f", b"\x80", b"\xc3", b"\xc3\xa9", b"\xe2\x80\x8c", b"\xed\xa0\x80",
    b"\xef\xbf\xbe", b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b"\xff", b"\n", b"\r", b"{", b"|", b"^", b"`", b"'",
    b"_", b"\xc2\xb7",
    b"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>", b"@en--ltr", b"<a:b>", b"_:b", b'"c"', b"[::1]",
    b"[1::2:",
)  # fmt: skip


def space(random: Random) -> str:
    return random.choice(SPACES)


def iri(random: Random) -> str:
    """An absolute IRI in angle brackets."""
    host = "//" + random.choice(HOSTS) if random.random() < 0.7 else ""
    path = random.choice(PATHS)
    if not host and path.startswith("//"):
        path = path[1:]
    text = random.choice(SCHEMES) + ":" + host + path + random.choice(QUERIES) + random.choice(FRAGMENTS)
    return f"<{text}>"


def node(random: Random) -> str:
    """An IRI or a blank node."""
    return iri(random) if random.random() < 0.7 else "_:" + random.choice(LABELS)


def typed(random: Random) -> str:
    """A literal of an XSD datatype, ill-formed ones included, or of another."""
    datatype = random.choice(list(FORMS))
    form = random.choice(FORMS[datatype]).replace("\\", "\\\\").replace('"', '\\"')
    name = f"<{XSD}{datatype}>" if random.random() < 0.9 else iri(random)
    return f'"{form}"{space(random)}^^{space(random)}{name}'


def literal(random: Random) -> str:
    kind = random.random()
    if kind < 0.5:
        return typed(random)
    text = f'"{random.choice(TEXTS)}"'
    return text if kind < 0.75 else f"{text}{space(random)}@{random.choice(LANGUAGES)}"


def object_(random: Random, depth: int = 0) -> str:
    """Any object, triple terms within triple terms included."""
    kind = random.random()
    if kind < 0.1 and depth < 4:
        terms = (node(random), iri(random), object_(random, depth + 1))
        return f"<<({space(random)}{(space(random) or ' ').join(terms)}{space(random)})>>"
    return literal(random) if kind < 0.6 else node(random)


def statement(random: Random) -> str:
    """A valid statement; a label is followed by white space, for a point behind it could belong to it."""
    terms = [node(random), iri(random), object_(random)]
    if random.random() < 0.6:
        terms.append(random.choice([terms[0], node(random)]))
    text = space(random) + "".join(term + (space(random) or " ") for term in terms) + "."
    return text + space(random) + random.choice(["", "", "# comment", "#"])


def lines(random: Random, count: int) -> list[bytes]:
    """Valid statements, many of which have terms of the one before."""
    found = [statement(random)]
    while len(found) < count:
        fresh = statement(random)
        found.append(found[-1] if random.random() < 0.2 else fresh)
    return [line.encode() for line in found]


def mutated(random: Random, line: bytes, other: bytes) -> bytes:
    """The line with some bytes changed, put in, taken out or taken from another one."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at, until = sorted((random.randint(0, len(line)), random.randint(0, len(line))))
        match random.randrange(7):
            case 0:
                line = line[:at] + bytes([random.randrange(256)]) + line[at + 1 :]
            case 1:
                line = line[:at] + random.choice(PIECES) + line[at:]
            case 2:
                line = line[:at] + random.choice(PIECES) + line[at + 1 :]
            case 3:
                line = line[:at] + line[at + random.randint(1, 3) :]
            case 4:
                line = line[: len(line) - random.randint(0, 12)]
            case 5:
                line = line[:at] + other[at:until] + line[until:]
            case _:
                line = line[:at] + line[at:until][:20] + line[at:]
    return line


def parsed(line: bytes) -> list[Quad] | None:
    """The statements that pyoxigraph's strict parser reads, None if it refuses the text."""
    try:
        return list(pyoxigraph.parse(line, RdfFormat.N_QUADS))
    except SyntaxError:
        return None


def words_of(terms: Terms, quad: Quad) -> list[int]:
    """The words of what pyoxigraph read."""
    return [encode(terms, term, SCOPE) for term in (quad.subject, quad.predicate, quad.object)]


def assert_agreement(block: list[bytes]) -> None:
    """Our reader takes each text that pyoxigraph takes, no other one, and reads the same terms."""
    terms = Terms()
    rows = iter(read_lines(b"\n".join(block)))
    for text in block:
        quads = parsed(text)
        own = [next(rows) for _ in text.replace(b"\r", b"\n").split(b"\n")]
        assert (quads is not None) == all(line.kind >= 0 for line in own), text
        if quads is not None:
            assert_same_terms(terms, text, quads, [line for line in own if line.kind == 1])


def assert_same_terms(terms: Terms, text: bytes, quads: list[Quad], own: list[Line]) -> None:
    assert len(quads) == len(own), text
    words = encode_lines(terms, text.replace(b"\r", b"\n"), SCOPE)
    for number, (quad, line) in enumerate(zip(quads, own, strict=True)):
        assert words[:, number].tolist() == words_of(terms, quad), text
        assert bool(line.graph) != isinstance(quad.graph_name, pyoxigraph.DefaultGraph), text


def check(seed: int, count: int) -> None:
    """Agreement on ``count`` valid statements and as many mutated ones, read with one memory."""
    random = Random(seed)
    valid = lines(random, count)
    assert all(parsed(line) is not None for line in valid), "the generator writes something that is not valid"
    spoilt = [mutated(random, line, random.choice(valid)) for line in valid]
    assert_agreement([line for pair in zip(valid, spoilt, strict=True) for line in pair])
