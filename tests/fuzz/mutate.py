"""Damage to inputs: of bytes, of tokens, of lines and brackets.  All chance comes from the ``Random`` that is given."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

LARGEST = 1 << 17  # bytes of an input that was made here
EXTREME = (
    b"0", b"-0", b"-1", b"00", b"127", b"128", b"255", b"65535", b"65536", b"2147483647", b"2147483648", b"4294967295",
    b"4294967296", b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808",
    b"-9223372036854775809", b"18446744073709551615", b"18446744073709551616", b"9" * 40, b"1e308", b"1e309", b"1e-400",
    b"-1.7976931348623157e308", b"0.1", b"1.", b".5", b"1e", b"NaN", b"INF", b"-INF", b"0." + b"3" * 40,
)  # fmt: skip
ODD = (
    b"\0", b"\x01", b"\x1b[2J", b"\x7f", b"\x80", b"\xc0\x80", b"\xc3", b"\xe2\x80\xa8", b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b"\xfe", b"\xff", b"\r", b"\r\n", b"\n\n", b"\t", b"\x85", b"\xc2\xa0",
    b"\\", b'"', b"'", b"`", b'"""', b"#", b"\\u0000", b"\\u0023", b"\\uD800", b"\\U0010FFFF", b"\\U00110000", b"\\u00",
    b"\\n", b"\\x", b"%00", b"/*", b"*/", b"--", b"//", b"\xe2\x80\x9c",
)  # fmt: skip
PAIRS = (b"()", b"[]", b"{}", b"<>", (b"<<( ", b" )>>"), (b"<<", b">>"), b'""')
_TOKEN = re.compile(
    rb'"(?:[^"\\\n]|\\.)*+"|<[^<>\s]*+>|[?$@]?[A-Za-z_][\w:-]*+|[+-]?\d+(?:\.\d+)?|\s++|[\x80-\xff]++|.', re.DOTALL
)
_NUMBER = re.compile(rb"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LETTER = re.compile(rb"[A-Za-z]")

Change = Callable[[bytes, bytes, Sequence[bytes], random.Random], bytes]  # input, another one, words of the language


def mutated(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """``data`` after some changes, of at most ``LARGEST`` bytes."""
    for _ in range(choose.choice((1, 1, 1, 2, 2, 4, 8))):
        data = choose.choice(CHANGES)(data, other, words, choose)[:LARGEST]
    return data


def tokens(data: bytes) -> list[bytes]:
    """The words, signs, strings and spaces of a text of any language."""
    return _TOKEN.findall(data)


# ── bytes ────────────────────────────────────────────────────────────────────────────────────────────────
def span(data: bytes, choose: random.Random) -> tuple[int, int]:
    """Where a piece of ``data`` begins and ends; most are short."""
    start = choose.randint(0, len(data))
    return start, min(len(data), start + choose.choice((1, 1, 2, 4, 8, 30, 200, len(data))))


def bit_flipped(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    place = choose.randrange(len(data) or 1)
    return data[:place] + bytes(byte ^ 1 << choose.randrange(8) for byte in data[place : place + 1]) + data[place + 1 :]


def byte_replaced(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    start, stop = span(data, choose)
    return data[:start] + choose.randbytes(choose.choice((1, 1, 4))) + data[min(stop, start + 4) :]


def removed(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    start, stop = span(data, choose)
    return data[:start] + data[stop:]


def truncated(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    return data[: choose.randint(0, len(data))]


def repeated(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    start, stop = span(data, choose)
    return data[:start] + data[start:stop] * choose.choice((2, 2, 3, 10, 130, 1000)) + data[stop:]


def odd_put_in(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    place = choose.randint(0, len(data))
    return data[:place] + choose.choice(ODD) + data[place + choose.randrange(2) :]


def escaped(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """A letter, or any sign, written as an escape."""
    place = choose.randrange(len(data) or 1)
    code = choose.choice(("\\u%04X", "\\u%04x", "\\U%08X", "\\x%02x", "%%%02X"))
    return data[:place] + b"".join((code % byte).encode() for byte in data[place : place + 1]) + data[place + 1 :]


def spliced(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    return data[: choose.randint(0, len(data))] + other[choose.randint(0, len(other)) :]


def piece_of_other(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    start, stop = span(other, choose)
    low, high = span(data, choose)
    return data[:low] + other[start:stop] + data[choose.choice((low, high)) :]


# ── words ────────────────────────────────────────────────────────────────────────────────────────────────
def token_changed(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """A word removed, doubled, replaced or swapped with another."""
    parts = tokens(data) or [b""]
    place, second = choose.randrange(len(parts)), choose.randrange(len(parts))
    kind = choose.randrange(6)
    if kind == 0:
        parts[place], parts[second] = parts[second], parts[place]
    else:
        word = choose.choice(words) if words else b""
        parts[place] = (parts[second], b"", parts[place] * 2, word, parts[place] + b" " + word)[kind - 1]
    return b"".join(parts)


def token_of_other(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    parts, others = tokens(data) or [b""], tokens(other) or [b""]
    place, length, start = choose.randrange(len(parts)), choose.choice((1, 1, 3, 10)), choose.randrange(len(others))
    parts[place : place + choose.choice((0, 1, length))] = others[start : start + length]
    return b"".join(parts)


def number_changed(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    found = [match.span() for match in _NUMBER.finditer(data)]
    start, stop = choose.choice(found) if found else span(data, choose)
    return data[:start] + choose.choice(EXTREME) + data[stop:]


def stretched(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """A letter of a word many times: a long name, string or number."""
    found = [match.start() for match in _LETTER.finditer(data)] or [0]
    place = choose.choice(found)
    return data[:place] + data[place : place + 1] * choose.choice((30, 300, 5_000, 70_000)) + data[place + 1 :]


# ── lines and brackets ───────────────────────────────────────────────────────────────────────────────────
def lines_changed(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """Lines removed, doubled, swapped, or of the other input."""
    lines = data.splitlines(keepends=True) or [b""]
    others = other.splitlines(keepends=True) or [b""]
    place, second = choose.randrange(len(lines)), choose.randrange(len(lines))
    kind = choose.randrange(4)
    if kind == 0:
        lines[place], lines[second] = lines[second], lines[place]
    else:
        some = choose.choice(others)
        lines[place : place + 1] = ([], [lines[place]] * 2, [lines[place], some])[kind - 1]
    return b"".join(lines)


def nested(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """A piece in brackets in brackets …, sometimes never closed."""
    start, stop = span(data, choose)
    pair = choose.choice(PAIRS)
    before, after = (pair[:1], pair[1:]) if isinstance(pair, bytes) else pair
    depth = choose.choice((1, 2, 10, 90, 101, 250, 3_000))
    before = choose.choice((before, before, before + data[start:stop][:40] + b" "))
    return data[:start] + before * depth + data[start:stop] + after * choose.choice((depth, depth, 0)) + data[stop:]


CHANGES: tuple[Change, ...] = (
    bit_flipped, byte_replaced, removed, truncated, repeated, odd_put_in, odd_put_in, escaped, spliced, piece_of_other,
    token_changed, token_changed, token_of_other, token_of_other, number_changed, stretched, lines_changed,
    lines_changed, nested,
)  # fmt: skip
