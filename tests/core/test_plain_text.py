"""How much of a text comes before a character that writers escape."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from tests.core.harness import library

SPECIAL = re.compile(r'[\x00-\x1f"\\\x7f-\x9f]')
LETTERS = st.sampled_from("abcdefgh \x1f !#[]~°\xa0\xbf\xc2éαβ日𝄞")
TEXTS = st.text(LETTERS | st.characters(exclude_categories=["Cs"]), max_size=40)


@given(st.text(LETTERS, max_size=30), TEXTS)
def test_plain_bytes_come_before_the_first_special_character(plain: str, rest: str) -> None:
    text = plain + rest
    found = SPECIAL.search(text)
    expected = len(text[: found.start()].encode()) if found else len(text.encode())
    data = text.encode()
    assert library().plain_bytes_of(data, len(data)) == expected


def test_each_character_at_each_place() -> None:
    for code in (*range(0x120), 0x2028, 0x1F600):
        for place in range(18):
            data = ("°" * (place // 2) + "a" * (place % 2) + chr(code) + "b" * 9).encode()
            before = len(("°" * (place // 2) + "a" * (place % 2)).encode())
            expected = before if SPECIAL.match(chr(code)) else len(data)
            assert library().plain_bytes_of(data, len(data)) == expected, (code, place)
            # a text that ends within a character is not read beyond its end
            assert library().plain_bytes_of(data, before + 1) == (
                before if code < 0x80 and SPECIAL.match(chr(code)) else before + 1
            )
