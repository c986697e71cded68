"""The tokenizer against pyoxigraph's strict parser, and what it remembers from line to line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from gpm.native.tokens import count_statements, read_lines
from tests.gpm.native.nquads import assert_agreement, check

# One line for each place where the standards, pyoxigraph or a reader in a hurry could differ.
EDGES = """\
<a:s><a:p><a:o>.
<a:s><a:p>_:o.
<a:s><a:p>_:o.b.
<a:s><a:p>"x"@en_:g.
<a:s><a:p>"x"@en<a:g>.
<a:s><a:p>"x"_:g.#c
<a:s> <a:p> "x"@en--ltr_:g .
<a:s> <a:p> "x"@en--LTR .
<a:s> <a:p> "x"@en-- .
<a:s> <a:p> "x"@ en .
<a:s> <a:p> "x"@a .
<a:s> <a:p> "x"@en-x .
<a:s> <a:p> "x"@x-abcdefghi .
<a:s> <a:p> "x" @en .
<a:s> <a:p> "x" ^^ <a:d> .
<a:s> <a:p> "x"^<a:d> .
<a:s> <a:p> "x"^^_:d .
<a:s> <a:p> "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .
<a:s> <a:p> "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString> .
<a:s> <a:p> "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langStrin\\u0067> .
<a:s> <a:p> "\\ud800" .
<a:s> <a:p> "\\U00110000" .
<a:s> <a:p> "\\u00e" .
<a:s> <a:p> "\\x" .
<a:s> <a:p> '''x''' .
<a:s> <a:p> 5 .
<a:s> <a:p> a:b .
<a:s> <a:p> <b> .
<a:s> <a:p> <> .
<a:s> <a:p> <1:b> .
<a:s> <a:p> <\\u0061:b> .
<a:s> <a:p> <a:\\u0020> .
<a:s> <a:p> <a:\\u003E> .
<a:s> <a:p> <a:\\n> .
<a:s> <a:p> <a:%4> .
<a:s> <a:p> <a:b#c#d> .
<a:s> <a:p> <a:[x]> .
<a:s> <a:p> <a://x:a> .
<a:s> <a:p> <a://x:> .
<a:s> <a:p> <a://[::1]x> .
<a:s> <a:p> <a://[1.2.3.4]> .
<a:s> <a:p> <a://[::01.2.3.4]> .
<a:s> <a:p> <a://[1:2:3:4:5:6:7::]> .
<a:s> <a:p> <a://[1:2:3:4:5:6:7:8::]> .
<a:s> <a:p> <a://[::1:2:3:4:5:6:7]> .
<a:s> <a:p> <a://[::1:2:3:4:5:6:7:8]> .
<a:s> <a:p> <a://[::12345]> .
<a:s> <a:p> <a://[1.2.3.4::]> .
<a:s> <a:p> <a://[1::1.2.3.4]> .
<a:s> <a:p> <a://[v.a]> .
<a:s> <a:p> <a://[V1.a:b]> .
<a:s> <a:p> <a://a@b@c> .
<a:s> <a:p> <a://a\\u002fb> .
<a:s> <a:p> _:-a .
<a:s> <a:p> _: .
<a:s> <a:p> _:a:b .
<a:s> <a:p> <<(<a:s><a:p><<( _:b <a:p> "x"@en )>>)>> .
<a:s> <a:p> <<( <a:s> <a:p> <a:o> ) >> .
<a:s> <a:p> << <a:s> <a:p> <a:o> >> .
<a:s> <a:p> <<( "a" <a:p> <a:o> )>> .
<<( <a:s> <a:p> <a:o> )>> <a:p> <a:o> .
<a:s> <a:p> <a:o> <<( <a:s> <a:p> <a:o> )>> .
<a:s> <a:p> <a:o> "g" .
<a:s> <a:p> <a:o> <a:g> <a:h> .
<a:s> <a:p> <a:o> . <a:s> <a:p> <a:o> .
<a:s> <a:p> <a:o> . .
<a:s> <a:p> <a:o>
<a:s> _:p <a:o> .
"s" <a:p> <a:o> .
@prefix a: <b:> .
VERSION "1.2"
.
"""


@pytest.mark.parametrize("line", EDGES.splitlines())
def test_edges(line: str) -> None:
    assert_agreement([line.encode()])


@pytest.mark.parametrize("wrong", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc3", b"\xe2\x80"])
def test_invalid_utf8_is_refused_where_pyoxigraph_refuses_it(wrong: bytes) -> None:
    assert_agreement([b'<a:s> <a:p> "%s" .' % wrong, b"<a:s> <a:%s> <a:o> ." % wrong, b"_:a%s <a:p> <a:o> ." % wrong])
    assert_agreement([b"# " + wrong, b"<a:s> <a:p> <a:o> . #" + wrong])


def test_what_is_remembered() -> None:
    lines = read_lines(
        b"<a:s> <a:p> 1 .\n<a:s> <a:p> <a:o> <a:s> .\n# nothing\n<a:s> <a:q> _:b <a:s> .\n"
        b"_:b <a:p> <a:o> _:b .\n_:b <a:p> _:c .\n_:b <a:p> _:d ."
    )
    assert [line.kind for line in lines] == [-1, 1, 0, 1, 1, 1, 1]
    assert [line.same_subject for line in lines] == [False, False, False, True, False, True, True]
    assert [line.same_graph for line in lines] == [False, False, False, True, False, False, True]
    assert [line.number for line in lines] == [-1, 0, -1, 1, 0, 0, 0]


def test_a_longer_term_is_not_the_one_before() -> None:
    first, second, third = read_lines(b"_:b <a:p> _:c _:g .\n_:bb <a:p> _:c _:g.g .\n_:b.b <a:pp> _:c _:g .")
    assert not second.same_subject and not third.same_subject and not second.same_graph
    assert (first.number, second.number, third.number) == (0, 0, 1)


def test_remembered_beginnings_of_iris_do_not_let_wrong_ones_through() -> None:
    for known in (b"<a:/b>", b"<a://h/b>", b"<a:b#c>", b"<a:b/c#d/e>"):
        line = b"<a:s> <a:p> %s ." % known
        for wrong in (b"<a://x:y>", b"<a:b#c#d>", b"<a:b#%>", b"<a://h/ >", b"<a:b/c#d/e#f>", b"<a:b#", b"<a:///[>"):
            assert_agreement([line, b"<a:s> <a:p> %s ." % wrong, line])


def test_predicates_beyond_the_memory_have_no_number() -> None:
    block = b"\n".join(b"<a:s> <a:p%d> <a:o> ." % number for number in [*range(5000), 4999, 17])
    assert [line.number for line in read_lines(block)] == [*range(4096), *[-1] * 905, 17]


def test_a_triple_term_may_be_deep_but_not_bottomless() -> None:
    line = b"<a:s> <a:p> " + b"<<( <a:s> <a:p> " * 100 + b'"x"' + b" )>>" * 100 + b" ."
    assert_agreement([line])
    deeper = line.replace(b'"x"', b'<<( <a:s> <a:p> "x" )>>')
    assert [found.kind for found in read_lines(deeper)] == [-1]


def test_the_first_bad_line_is_told() -> None:
    assert count_statements(b"# none\n\n<a:s> <a:p> <a:o> .\n<a:s> <a:p> <a:o> .") == 2
    with pytest.raises(ValueError, match="2"):
        count_statements(b"# none\n<a:s> <a:p> <a:o> .\n<a:s> <a:p> <o> .\n<a:s>")


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**62))
def test_agreement(seed: int) -> None:
    check(seed, 20)


@pytest.mark.deep
@settings(max_examples=2_000, deadline=None)
@given(st.integers(0, 2**62))
def test_agreement_on_many(seed: int) -> None:
    check(seed, 100)
