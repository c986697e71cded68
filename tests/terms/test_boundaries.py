"""Every value next to a boundary of the words: where a value leaves its word, and where it stops being a value."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator

import pyoxigraph
import pytest

from nfa_native.terms.dictionary import Terms
from tests.terms.boundary_values import XSD, Node, stored, term_bytes
from tests.terms.test_words import assert_as_stored, is_misprinted

NEAR = range(-3, 4)
ZONES = [None, 0, 1, -1, 330, 839, 840, -840]


def literals(datatype: str, forms: Iterable[str]) -> list[Node]:
    """Literals of an XSD datatype."""
    return [pyoxigraph.Literal(form, datatype=pyoxigraph.NamedNode(XSD + datatype)) for form in dict.fromkeys(forms)]


def around(*centres: int) -> list[int]:
    """Numbers at and next to some numbers and their negatives."""
    return sorted({sign * (centre + step) for centre in centres for step in NEAR for sign in (1, -1)})


def takes_room(method: str, *arguments: float) -> bool:
    """Whether the table needs an entry for the value that a method of ``Terms`` makes."""
    terms = Terms()
    getattr(terms, method)(*arguments)
    return len(terms) > 0


def written(number: int) -> Iterator[str]:
    """Lexical forms of an integer."""
    sign, digits = "-" * (number < 0), str(abs(number))
    yield from (sign + digits, f"{sign or '+'}{digits}", f"{sign}{'0' * 30}{digits}")


# ── integers ─────────────────────────────────────────────────────────────────────────────────────────────────
INTEGERS = around(0, 2**31, 2**32, 2**53, 2**58, 2**59, 2**60, 2**63, 2**64, 10**18, 10**19, 2**127, 2**128)
DERIVED = [
    "int", "byte", "long", "short", "unsignedInt", "unsignedLong", "unsignedByte", "unsignedShort", "positiveInteger",
    "negativeInteger", "nonPositiveInteger", "nonNegativeInteger",
]  # fmt: skip


def test_integers() -> None:
    assert_as_stored(Terms(), literals("integer", (form for number in INTEGERS for form in written(number))))


@pytest.mark.parametrize("datatype", DERIVED)
def test_derived_integers_are_integers_to_the_store(datatype: str) -> None:
    same = literals("integer", map(str, INTEGERS)) + literals(datatype, map(str, INTEGERS))
    assert_as_stored(Terms(), same)


def test_integers_leave_their_word_at_60_bits() -> None:
    for number in INTEGERS:
        assert takes_room("integer", number) == (not -(2**59) <= number < 2**59), number


# ── decimals ─────────────────────────────────────────────────────────────────────────────────────────────────
def decimal_form(mantissa: int, scale: int) -> str:
    """The lexical form of mantissa · 10**-scale."""
    digits = f"{abs(mantissa):0{scale + 1}d}"
    return f"{'-' * (mantissa < 0)}{digits[: len(digits) - scale]}.{digits[len(digits) - scale :]}"


MANTISSAS = around(0, 10, 10**17, 10**18, 2**53, 2**54, 2**55, 2**63, 2**64, 2**127 // 10**18, 2**127)
SCALED = [(mantissa, scale) for mantissa in MANTISSAS for scale in range(19)]


def test_decimals() -> None:
    forms = [decimal_form(*scaled) for scaled in SCALED]
    more = [f"{'-' * form.startswith('-')}{'0' * 30}{form.lstrip('-')}{'0' * 30}" for form in forms[::7]]
    assert_as_stored(Terms(), literals("decimal", forms + more + [form.rstrip("0") for form in forms[::19]]))


def test_digits_beyond_the_eighteenth() -> None:
    forms = [decimal_form(mantissa, scale) for mantissa in MANTISSAS for scale in (19, 20, 37, 38, 39)]
    assert_as_stored(Terms(), literals("decimal", forms))


def test_decimals_leave_their_word_at_55_bits_of_mantissa() -> None:
    for mantissa, scale in SCALED:
        small, left = mantissa, scale
        while left and small % 10 == 0:
            small, left = small // 10, left - 1
        if -(2**127) <= mantissa * 10 ** (18 - scale) < 2**127:
            assert takes_room("decimal", mantissa, scale) == (not -(2**54) <= small < 2**54), (mantissa, scale)


def test_decimals_end_at_128_bits() -> None:
    for number in around(2**127):
        terms = Terms()
        if -(2**127) <= number < 2**127:
            assert terms.decimal(number, 18) == terms.intern(f"T{XSD}decimal\0{decimal_form(number, 18)}".encode())
        else:
            with pytest.raises(OverflowError):
                terms.decimal(number, 18)


# ── doubles ──────────────────────────────────────────────────────────────────────────────────────────────────
def neighbours(value: float) -> list[float]:
    """The double and those next to it, and their negatives."""
    (bits,) = struct.unpack("Q", struct.pack("d", value))
    found = [struct.unpack("d", struct.pack("Q", bits + step))[0] for step in NEAR if bits + step >= 0]
    return found + [-one for one in found]


LARGEST, SMALLEST_NORMAL = struct.unpack("dd", struct.pack("QQ", 0x7FEFFFFFFFFFFFFF, 0x0010000000000000))
CENTRES = [2.0**exponent for exponent in (-1074, -1060, -64, -63, -62, -1, 0, 1, 53, 63, 64, 65, 66, 127, 128, 1023)]
DOUBLES = [one for centre in [0.0, 0.1, 1e21, 1e22, LARGEST, SMALLEST_NORMAL, *CENTRES] for one in neighbours(centre)]


def test_doubles() -> None:
    finite = [one for one in DOUBLES if math.isfinite(one)]
    forms = [form for one in finite for form in (repr(one), f"{one:.17e}", f"{one:+.25E}", f"{one:.30f}")]
    halves = [
        "1.7976931348623158079e308",
        "1.7976931348623159e308",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
    ]
    assert_as_stored(Terms(), literals("double", [*forms, *halves, "NaN", "INF", "-INF", "0e0", "-0e0"]))


def test_doubles_leave_their_word_beyond_seven_bits_of_exponent() -> None:
    for value in [*DOUBLES, math.nan]:
        inline = value == 0 or 2.0**-63 < abs(value) < 2.0**65
        assert takes_room("double", value) != inline, value


def test_doubles_of_python_are_their_lexical_forms() -> None:
    for value in DOUBLES:
        terms = Terms()
        form = repr(value).replace("inf", "INF")
        assert terms.double(value) == terms.intern(f"T{XSD}double\0{form}".encode())


def test_all_that_is_no_number_is_one_term() -> None:
    terms = Terms()
    quiet = {terms.double(struct.unpack("d", struct.pack("Q", bits))[0]) for bits in (0x7FF8 << 48, 0xFFF8 << 48)}
    assert quiet == {terms.intern(f"T{XSD}double\0NaN".encode())}


# ── dateTimes ────────────────────────────────────────────────────────────────────────────────────────────────
MICROSECONDS = [*around(0, 10**6, 86_400 * 10**6, 2**53, 2**57, 2**58, 2**59, 2**62), -(2**63), 2**63 - 1]
MICROSECONDS += [first + step for first in (-62_135_596_800 * 10**6, 253_402_300_800 * 10**6) for step in NEAR]


def test_datetimes_by_their_microseconds() -> None:
    for micros in MICROSECONDS:
        for zone in ZONES:
            early = (micros + 62_135_596_800 * 10**6) < 0
            if early and micros % 10**6:
                continue  # refused: see test_words
            terms = Terms()
            word = terms.datetime(micros, zone)
            inline = zone in (0, None) and -(2**58) <= micros < 2**58
            assert (len(terms) == 0) == inline, (micros, zone)
            text = terms.bytes(word)
            form = text.split(b"\0")[1].decode()
            (canonical,) = stored(literals("dateTime", [form]))
            assert term_bytes(canonical) == text or is_misprinted(canonical), (micros, zone)
            assert terms.intern(text) == word


def test_datetimes() -> None:
    years = [-(10**13), -10000, -9999, -7165, -7164, -1, 0, 1, 1582, 1900, 1969, 1970, 2000, 9999, 10000, 11104, 11105]
    years += [5391559471918, 5391559471919, -5391559471918, -5391559471919, 2**63 - 1, -(2**63), 2**63]
    days = ["01-01", "02-28", "02-29", "12-31"]
    clocks = ["00:00:00", "23:59:59", "23:59:59.999999", "23:59:59.9999995", "12:00:00.000000000000000001", "24:00:00"]
    zones = [
        "",
        "Z",
        "+00:00",
        "-00:00",
        "+00:01",
        "+14:00",
        "-14:00",
        "+13:59",
        "-13:59",
        "+14:01",
        "-14:01",
        "+15:00",
    ]
    forms = [
        f"{'-' * (year < 0)}{abs(year):04}-{day}T{clock}{zone}"
        for year in years
        for day in days
        for clock in clocks
        for zone in zones
    ]
    for start in range(0, len(forms), 5000):
        some = [term for term in literals("dateTime", forms[start : start + 5000]) if not is_misprinted(term)]
        assert_as_stored(Terms(), some)


def test_fractions_beyond_microseconds_take_room() -> None:
    for digits, inline in (("999999", True), ("9999990", True), ("9999995", False), ("000000000000000001", False)):
        terms = Terms()
        terms.intern(f"T{XSD}dateTime\0002026-01-01T00:00:00.{digits}Z".encode())
        assert (len(terms) == 0) == inline, digits


# ── terms ────────────────────────────────────────────────────────────────────────────────────────────────────
OPAQUE = {
    "float": ["0", "-0", "0.0", "1", "1.0E0", "1.5", "16777216", "16777217", "3.4028235e38", "3.4028236e38", "1e39",
              "1.17549435e-38", "1.4e-45", "7e-46", "INF", "+INF", "-INF", "NaN", "x", "", "0.1", "0.10"],
    "date": ["2026-01-01", "2026-01-01Z", "2026-01-01+00:00", "2026-01-01-00:00", "2026-01-01+14:00", "2024-02-29",
             "2026-02-29", "-0001-01-01", "0000-01-01", "10000-01-01", "2026-1-1", ""],
    "time": ["00:00:00", "24:00:00", "24:00:00Z", "23:59:59.9990", "12:00:00+00:00", "12:00:00-14:00", "12:00", ""],
    "duration": ["P1Y", "P12M", "P1Y12M", "P24M", "PT60M", "PT1H", "P1DT24H", "P2D", "-P1D", "PT0S", "P0Y", "PT0.0S",
                 "PT1.50S", "P", "PT", ""],
    "dayTimeDuration": ["PT24H", "P1D", "PT0S", "-PT0S", "PT86400S", "P1Y"],
    "yearMonthDuration": ["P12M", "P1Y", "P0M", "P0Y", "-P0M", "P1D"],
    "gYear": ["2026", "2026Z", "2026+00:00", "-0001", "0000", "02026"],
    "gYearMonth": ["2026-01", "2026-01Z", "2026-01+00:00", "2026-13"],
    "gMonthDay": ["--01-01", "--02-29", "--02-30", "--01-01Z", "--01-01+00:00"],
    "gMonth": ["--01", "--12Z", "--13", "--01+00:00"],
    "gDay": ["---01", "---31Z", "---32", "---01+00:00"],
    "boolean": ["true", "false", "1", "0", "01", "True", "TRUE", " true", "true ", ""],
    "string": ["", "a", "true", "1"],
    "token": ["", "a", " a "],
    "language": ["en", "EN"],
    "hexBinary": ["0a", "0A"],
}  # fmt: skip


def test_opaque_literals() -> None:
    assert_as_stored(Terms(), [term for datatype, forms in OPAQUE.items() for term in literals(datatype, forms)])


def test_a_typed_string_is_a_plain_one() -> None:
    terms = Terms()
    for text in ("", "a", "ä\n\t\\\"'", "x" * 100_000):
        assert terms.intern(f"T{XSD}string\0{text}".encode()) == terms.intern(b"S" + text.encode())
    plain = [pyoxigraph.Literal(text) for text in ("", "a", "b")]
    tagged = [pyoxigraph.Literal(text, language=tag) for text in ("", "a", "b") for tag in ("en", "de")]
    assert_as_stored(Terms(), plain + tagged + literals("string", ["", "a", "b"]))


def test_language_tags_differ_by_no_case() -> None:
    tags = ["en", "EN", "eN", "en-us", "en-US", "EN-us", "de-Latn-DE-1996", "zh-Hans", "zh-hans", "x-a"]
    terms = [pyoxigraph.Literal(text, language=tag) for text in ("", "A", "a") for tag in tags]
    sides = [pyoxigraph.BaseDirection(side) for side in ("ltr", "rtl")]
    assert_as_stored(Terms(), list(terms))
    table = Terms()
    directed = [f"L{tag}--{side.value}\0a".encode() for tag in ("ar", "AR") for side in sides]
    assert len(set(table.intern_many(directed).tolist())) == 2


@pytest.mark.parametrize("datatype", ["Integer", "integers", "intege", "doubl", "stringx", "dateTim", "dateTimeStampx"])
def test_datatypes_that_only_look_like_values(datatype: str) -> None:
    assert_as_stored(Terms(), literals(datatype, ["1", "01", "1.0", "true", "2026-01-01T00:00:00.0Z"]))


def test_long_forms() -> None:
    zeros = "0" * 5000
    assert_as_stored(Terms(), literals("integer", [zeros, zeros + "7", "7" + zeros, "-" + zeros]))
    assert_as_stored(Terms(), literals("decimal", [f"{zeros}.{zeros}", f"{zeros}7.5{zeros}", f"0.{zeros}1"]))
    assert_as_stored(Terms(), literals("double", [f"{zeros}1.5{zeros}e0", f"0.{zeros}1e5000", "9" * 400]))
