"""Damaged queries: whatever is cut, doubled or swapped, the answer is a query or an error with a place."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from hypothesis import given, settings, strategies as st

from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.languages.ceql import format_query, parse

QUERIES = (
    """SELECT MAX t1, hs -- the driest hour
FROM S, `other stream`
WHERE (T AS t1 ; (H+ AS hs OR T ALL S>H:+) : (H AS h1 FILTER h1[hum IN (1, -2.5)]))
FILTER t1[temp > 40 AND NOT (hum BETWEEN 3 AND a + 1)] AND (hs[name LIKE 'it''s\\_%'] OR h1[x IN {1..}])
FILTER t1.temp < h1.temp * 2
PARTITION BY [place, `in`], c WITHIN 1 HOUR 30 MINUTES LIMIT 1000 CONSUME BY ANY
""",
    """SELECT COUNT(*), AVG(s.price) AS mean, b.name
FROM Stock
WHERE SELL AS s ; (BUY OR SELL)+ AS b
FILTER s[name = 'MSFT' AND volume IS NOT NULL] AND b[price > s.price OR price IN RANGE (1, s.volume % 7)]
WITHIN 30000 [stock_time]
GROUP BY b.name
""",
    """SELECT s, $company, b.price
FROM Stock
GIVEN ($company, $limit) { ('MSFT', 5), (-7, TRUE) }
WHERE SELL AS s ; BUY AS b
FILTER s[name = $company AND price > $limit] AND b[name LIKE $company]
WITHIN $limit HOURS
""",
)
TOKENS_OF_EACH = [re.findall(r"\s+|\w+|[^\w\s]", query) for query in QUERIES]
TOKENS = [token for tokens in TOKENS_OF_EACH for token in tokens]
ENDS = list(accumulate(map(len, TOKENS_OF_EACH)))
places = st.integers(0, len(TOKENS) - 1)
STRANGE = ["\x00", "“", "\\", "#", "é", "?", "$", "@", "'", "`", '"', "/*", "..", ">>", "1e999", "9" * 5000, "\ud800"]


def check(text: str) -> None:
    try:
        parsed = parse(text)
    except (QuerySyntaxError, QueryError) as error:
        assert error.line >= 1 and error.column >= 1
        assert error.location.text in text and error.render()
    else:
        assert parse(format_query(parsed.tree)).query == parsed.query
        assert all(warning.render() for warning in parsed.warnings)


def of_one(tokens: list[str], place: int) -> str:
    """The damaged query that ``place`` lies in."""
    number = bisect_right(ENDS, place)
    start, end = [0, *ENDS][number], ENDS[number] + len(tokens) - len(TOKENS)
    return "".join(tokens[start:end])


@settings(max_examples=200, deadline=None)
@given(places, st.sampled_from([*TOKENS, *STRANGE]), st.booleans())
def test_one_token_changed(place: int, token: str, insert: bool) -> None:
    check(of_one([*TOKENS[:place], token, *TOKENS[place + (not insert) :]], place))


@settings(max_examples=100, deadline=None)
@given(places, places)
def test_tokens_swapped(first: int, second: int) -> None:
    tokens = list(TOKENS)
    tokens[first], tokens[second] = tokens[second], tokens[first]
    check(of_one(tokens, first))


@settings(max_examples=60, deadline=None)
@given(places, places)
def test_part_missing(start: int, end: int) -> None:
    check(of_one(TOKENS[: min(start, end)] + TOKENS[max(start, end) :], start))


def test_every_prefix() -> None:
    for query in QUERIES:
        for end in range(0, len(query), 5):
            check(query[:end])


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    check(text)
    check(f"SELECT * WHERE {text}")
    check(f"SELECT * WHERE A FILTER A[{text}]")
