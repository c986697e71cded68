"""Damaged queries: whatever is cut, doubled or swapped, the answer is a query or an error with a place."""

from __future__ import annotations

import re

from hypothesis import given, settings, strategies as st

from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.languages.spaseq import format_query, parse

QUERY = r"""PREFIX ex: <http://e/>
SELECT DISTINCT ?s (SUM(?y) AS ?t) (CONCAT("a", STR(?x)) AS ?u)
WITHIN 10 SECONDS SLIDING FROM STREAM S <http://e/s> FROM STREAM ex:t
WHERE { SEQ((A ; B! : (C | A & C)) ; B:{2,3} , C?)
  DEFINE GPM A ON S { ?s ex:p/ex:q* ?x ; a [ ex:r (1 -2.5 "x"@en) ] . FILTER(?x > 3 && ?x NOT IN (4, 5)) }
  DEFINE GPM B ON S { ?s ex:p ?y FILTER(COALESCE(?y > PREV(?y), true)) OPTIONAL { ?s ?z _:b } VALUES ?w { 1 UNDEF } }
  DEFINE GPM C ON ex:t { { ?s ex:p 1 } UNION { BIND(IF(?x = 1, <a:b>, 2) AS ?v) } GRAPH ex:kb { ?s ex:z ?k }
    { SELECT ?s (COUNT(*) AS ?n) { ?s ?q ?r } GROUP BY ?s HAVING (COUNT(*) > 1) ORDER BY DESC(?s) LIMIT 3 } } }
"""
TOKENS = re.findall(r"\s+|\w+|[^\w\s]", QUERY)
places = st.integers(0, len(TOKENS) - 1)


def check(text: str) -> None:
    try:
        parsed = parse(text)
    except (QuerySyntaxError, QueryError) as error:
        assert error.line >= 1 and error.column >= 1
        assert error.location.text in text and error.render()
    else:
        assert parse(format_query(parsed.tree)).query == parsed.query


@settings(max_examples=120, deadline=None)
@given(places, st.sampled_from([*TOKENS, "\x00", "“", "\\", "#", "é", "?", "$", "@", "%", "'"]), st.booleans())
def test_one_token_changed(place: int, token: str, insert: bool) -> None:
    check("".join([*TOKENS[:place], token, *TOKENS[place + (not insert) :]]))


@settings(max_examples=40, deadline=None)
@given(places, places)
def test_part_missing(start: int, end: int) -> None:
    check("".join(TOKENS[: min(start, end)] + TOKENS[max(start, end) :]))


def test_every_prefix() -> None:
    for end in range(0, len(TOKENS), 4):
        check("".join(TOKENS[:end]))
