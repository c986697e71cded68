"""Literals at the edges of every datatype, and terms of every other kind, as (kind or datatype, text) pairs."""

from __future__ import annotations

from typing import Any

import pyoxigraph

XSD = "http://www.w3.org/2001/XMLSchema#"

FORMS: dict[str, list[str]] = {
    "integer": [
        "0", "-0", "1", "01", "+1", "-1", "7", "10", "59", "60", "100", "576460752303423487", "576460752303423488",
        "-576460752303423488", "-576460752303423489", "9007199254740992", "9007199254740993", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "", "+", " 1", "1.0", "x",
        "999999999999999999999999",
    ],
    "decimal": [
        "0", "0.0", "-0.0", "1", "1.0", "1.50", "-1.5", "+.5", "5.", ".", "", "0.1", "0.10", "-0.5", "0.5", "2.5",
        "-2.5", "2.45", "-2.65", "0.000000000000000001", "-0.000000000000000001", "0.0000000000000000001",
        "9007199254740993.0", "18014398509481983", "18014398509481984", "-18014398509481984", "-18014398509481985",
        "0.018014398509481984", "1234.567890123456789", "123456789012345678.123456789012345678",
        "9223372036854775807", "9223372036854775808", "170141183460469231731.687303715884105727",
        "170141183460469231731.687303715884105728", "-170141183460469231731.687303715884105728",
        "-170141183460469231731.6873037158841057270", "1e0", "1.5.5", "-", "100", "1000000000000000000", "0.30",
        "99.99", "0.1234567890123456780", "0.1234567890123456789",
    ],
    "double": [
        "0", "-0", "0e0", "1", "1.0E0", "-1", "1.5", "2.5", "-2.5", "0.5", "-0.5", "0.49999999999999994", "0.1",
        "1e-1", "1e21", "1e22", "1e23", "1.5e10", "1e300", "-1e300", "4.9e-324", "5e-324", "2e-324",
        "2.2250738585072014e-308", "1.7976931348623157e308", "1e309", "-1e309", "1e-400", "0e400", "0.0e99999999999",
        "1e99999999999999999999", "1e-99999999999999999999", "000001e3", "NaN", "nan", "-NaN", "INF", "+INF", "-INF",
        "Infinity", "inf", "INFX", "", ".", "e1", ".5", "5.", "5.e1", "+.5e+1", "1e", "1e+", "0x1p3", " 1",
        "9007199254740993", "9223372036854775808", "18446744073709551616", "36893488147419103232",
        "73786976294838206464", "1.0842021724855044e-19", "1.0842021724855045e-19", "5.421010862427522e-20",
        "1.0842021724855043e-19", "3.6893488147419099e19", "1e-7", "123456789.123", "1.0000000000000002", "100",
        "1_0",
    ],
    "boolean": ["true", "false", "1", "0", "TRUE", " true", "", "2"],
    "dateTime": [
        "1970-01-01T00:00:00Z", "1970-01-01T00:00:00", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00",
        "2020-01-01T00:00:00+00:00", "2020-01-01T00:00:00-00:00", "2020-01-01T00:00:00.000Z", "2020-01-01T24:00:00",
        "2020-12-31T24:00:00Z", "2020-01-01T24:00:00.0Z", "2020-01-01T24:00:01", "2020-01-01T00:00:00.1230",
        "2020-01-01T00:00:00.000001Z", "2020-01-01T00:00:00.0000001Z", "2020-01-01T00:00:00.123456789012345678Z",
        "2020-01-01T00:00:00.1234567890123456789Z", "2020-01-01T02:00:00+02:00", "2019-12-31T18:30:00-05:30",
        "2020-01-01T00:00:00+14:00", "2020-01-01T00:00:00-14:00", "2020-01-01T00:00:00+14:01",
        "2020-01-01T00:00:00+5:00", "2020-01-01T00:00:00z", "2020-01-01T13:59:59Z", "2020-01-01T14:00:00Z",
        "2020-01-01T14:00:01Z", "2019-12-31T10:00:00Z", "2019-12-31T09:59:59.9Z", "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00.5Z", "0000-12-31T23:59:59.5Z", "0000-12-31T23:59:59Z", "0000-01-01T00:00:00Z",
        "-0000-01-01T00:00:00Z", "-0001-02-29T00:00:00Z", "-0004-02-29T00:00:00Z", "-0001-01-01T00:00:00",
        "9999-12-31T23:59:59.999999Z", "10000-01-01T00:00:00Z", "11104-01-01T00:00:00Z", "11105-01-01T00:00:00Z",
        "-7164-01-01T00:00:00Z", "-7165-01-01T00:00:00Z", "010000-01-01T00:00:00Z", "999999999999-01-01T00:00:00Z",
        "5391559471918-01-01T00:00:00Z", "5391559471919-12-31T00:00:00Z", "-5391559471918-01-01T00:00:00Z",
        "-5391559471919-01-01T00:00:00Z", "99999999999999999999-01-01T00:00:00Z",
        "9223372036854775807-01-01T00:00:00Z", "2020-02-29T12:30:45.5Z", "2020-02-30T00:00:00", "1900-02-29T00:00:00",
        "2000-02-29T23:59:59.999999", "2020-04-31T00:00:00", "2020-01-01T00:00:60", "2020-01-01T00:60:00",
        "2020-01-01T25:00:00", "2020-1-1T00:00:00", "2020-01-01T00:00:00.", "2020-01-01 00:00:00", "2020-01-01T00:00",
        "2020-13-01T00:00:00", "2020-00-01T00:00:00", "2020-01-00T00:00:00", "20-01-01T00:00:00", "",
        "2020-01-01T00:00:00Zx", "+2020-01-01T00:00:00Z",
    ],
    "dateTimeStamp": ["2020-01-01T00:00:00.000Z", "2020-01-01T00:00:00"],
    "float": ["0", "1.0", "1", "0.1", "NaN", "INF", "16777217", "x", "-0"],
    "int": ["01", "2147483648", "x", "-5"],
    "byte": ["300"],
    "long": ["7"],
    "short": ["99999"],
    "nonNegativeInteger": ["-1", "1"],
    "positiveInteger": ["0"],
    "negativeInteger": ["1"],
    "nonPositiveInteger": ["0"],
    "unsignedInt": ["-1"],
    "unsignedLong": ["18446744073709551615", "5"],
    "unsignedByte": ["3"],
    "unsignedShort": ["3"],
    "date": ["2020-01-01", "2020-01-01Z", "2020-01-01+00:00", "2020-1-1"],
    "time": ["24:00:00", "10:00:00.000Z"],
    "duration": ["P1Y12M", "PT60M"],
    "dayTimeDuration": ["PT24H", "P1D"],
    "yearMonthDuration": ["P12M"],
    "gYear": ["2020Z", "02020"],
    "gYearMonth": ["2020-01+00:00"],
    "gMonth": ["--01"],
    "gMonthDay": ["--01-01+00:00"],
    "gDay": ["---01Z"],
    "string": ["", "a", "b", "ab", "abc", "B", "true", "1", "ä", "äb", "ß", "\U0001f600", "\uffff", "a b", "Zebra"],
    "normalizedString": ["a"],
    "anyURI": ["http://example.org/a"],
    "hexBinary": ["aa"],
    "base64Binary": ["aa"],
}  # fmt: skip

Node = pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal


def literals() -> list[pyoxigraph.Literal]:
    """One literal for each form, and some with languages and foreign datatypes."""
    typed = [
        pyoxigraph.Literal(form, datatype=pyoxigraph.NamedNode(XSD + datatype))
        for datatype, forms in FORMS.items()
        for form in forms
    ]
    texts = ("", "a", "b", "ab", "ä")
    tagged = [pyoxigraph.Literal(text, language=tag) for text in texts for tag in ("en", "EN-us", "de")]
    foreign = [
        pyoxigraph.Literal(text, datatype=pyoxigraph.NamedNode("http://example.org/" + name))
        for text in ("1", "2")
        for name in ("kelvin", "bar")
    ]
    return typed + tagged + foreign


def nodes() -> list[Node]:
    """IRIs and blank nodes."""
    iris = ("http://example.org/a", "http://example.org/b", "urn:ab", XSD + "integer")
    return [*map(pyoxigraph.NamedNode, iris), pyoxigraph.BlankNode("a"), pyoxigraph.BlankNode("b")]


def term_bytes(term: Node) -> bytes:
    """The bytes of a term as the term table reads them."""
    if isinstance(term, pyoxigraph.NamedNode):
        return b"I" + term.value.encode()
    if isinstance(term, pyoxigraph.BlankNode):
        return b"B" + term.value.encode()
    if term.language is not None:
        return b"L" + term.language.encode() + b"\0" + term.value.encode()
    if term.datatype.value == XSD + "string":
        return b"S" + term.value.encode()
    return b"T" + term.datatype.value.encode() + b"\0" + term.value.encode()


def stored(terms: list[Node]) -> list[Any]:
    """Each term as pyoxigraph's Store gives it back."""
    store = pyoxigraph.Store()
    subjects = [pyoxigraph.NamedNode(f"urn:{number}") for number in range(len(terms))]
    predicate = pyoxigraph.NamedNode("urn:p")
    store.extend(pyoxigraph.Quad(subject, predicate, term) for subject, term in zip(subjects, terms, strict=True))
    return [next(store.quads_for_pattern(subject, None, None)).object for subject in subjects]
