"""Damaged queries: whatever is cut, doubled or swapped, the answer is queries or an error with a place."""

from __future__ import annotations

import re

from hypothesis import given, settings, strategies as st

from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.languages.paths import format_queries, parse

TEXT = r"""PREFIX : <urn:relation:>
QUERY films FROM LABEL "Kis\"met", :a.b TO <http://e/#b> ALL TRAIL PATHS :directed_by/^:directed_by/(:actors|a)+
PREFIX ex: <http://e/> # a comment
BASE <http://b/>
QUERY far FROM ex:a SHORTEST 3 (ex:p|^ex:q{2,3})*/[?x: xsd:integer(?x) > 9 && STR(?x) NOT IN ("1", '2'@en)]/!(a|^<c>)?
NOT BACK TO START
QUERY third ANY SHORTEST !ex:p{,2}/^(ex:q/ex:r){1,}
"""
TOKENS = re.findall(r"\s+|\w+|[^\w\s]", TEXT)
STRANGE = ["\x00", "“", "\\", "#", "é", "?", "$", "@", "'", '"', "->", "-[", "..", "*", "{", "999999999999", "\ud800"]
places = st.integers(0, len(TOKENS) - 1)


def check(text: str) -> None:
    try:
        parsed = parse(text)
    except (QuerySyntaxError, QueryError) as error:
        assert error.line >= 1 and error.column >= 1
        assert error.location.text in text and error.render()
    else:
        again = parse(format_queries(parsed.tree))
        assert again.queries == parsed.queries and again.tree == parsed.tree
        assert all(warning.render() for warning in parsed.warnings)


@settings(max_examples=200, deadline=None)
@given(places, st.sampled_from([*TOKENS, *STRANGE]), st.booleans())
def test_one_token_changed(place: int, token: str, insert: bool) -> None:
    check("".join([*TOKENS[:place], token, *TOKENS[place + (not insert) :]]))


@settings(max_examples=100, deadline=None)
@given(places, places)
def test_tokens_swapped(first: int, second: int) -> None:
    tokens = list(TOKENS)
    tokens[first], tokens[second] = tokens[second], tokens[first]
    check("".join(tokens))


@settings(max_examples=60, deadline=None)
@given(places, places)
def test_part_missing(start: int, end: int) -> None:
    check("".join(TOKENS[: min(start, end)] + TOKENS[max(start, end) :]))


def test_every_prefix() -> None:
    for end in range(0, len(TEXT), 3):
        check(TEXT[:end])


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    check(text)
    check(f"QUERY q {text}")
    check(f"QUERY q FROM {text} :p")
    check(f"QUERY q [?x: {text}]")
