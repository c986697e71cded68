"""STDEV, VARIANCE and MEDIAN of terms, which SPARQL 1.1 does not have."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import pyoxigraph

from gpm.algebra import XSD, XSD_DOUBLE

Number = Fraction | float  # a float is infinite, or not a number

_INTEGERS = (
    "integer nonNegativeInteger nonPositiveInteger negativeInteger positiveInteger "
    "long int short byte unsignedLong unsignedInt unsignedShort unsignedByte"
)
_EXACT = frozenset(XSD + name for name in ("decimal", *_INTEGERS.split()))
_LEXICAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN")
_DOUBLE = pyoxigraph.NamedNode(XSD_DOUBLE)
SPREADS = ("STDEV", "VARIANCE", "MEDIAN")


def spread(function: str, terms: Iterable[object]) -> pyoxigraph.Literal | None:
    """The STDEV, VARIANCE (both of a sample: divided by n − 1) or MEDIAN of ``terms``, an xsd:double.

    None, unbound: of no terms (STDEV, VARIANCE: of fewer than two), or if one is no number.  Exact values are computed
    with, and rounded in the end, so the order of the terms does not matter.
    """
    numbers = [number_of(term) for term in terms]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or len(known) < (1 if function == "MEDIAN" else 2):
        return None
    return pyoxigraph.Literal(_text(_value(function, known)), datatype=_DOUBLE)


def number_of(term: object) -> Number | None:
    """The value of a numeric literal; None for any other term."""
    if not isinstance(term, pyoxigraph.Literal) or not _LEXICAL.fullmatch(term.value):
        return None
    datatype = term.datatype.value
    if datatype in _EXACT:
        return Fraction(term.value)
    if datatype not in (XSD_DOUBLE, XSD + "float"):
        return None
    value = float(term.value) if datatype == XSD_DOUBLE else _single(term.value)
    return Fraction(value) if math.isfinite(value) else value


def _single(text: str) -> float:
    """The value of an xsd:float."""
    import numpy as np  # only here: to check a query takes no arrays

    return float(np.float32(text))


def _value(function: str, numbers: Sequence[Any]) -> float:
    from statistics import median, stdev, variance  # as numpy

    infinite = any(isinstance(number, float) for number in numbers)
    if infinite and (function != "MEDIAN" or any(math.isnan(number) for number in numbers)):
        return math.nan
    try:
        of: dict[str, Any] = {"STDEV": stdev, "VARIANCE": variance, "MEDIAN": median}
        return float(of[function](numbers))
    except OverflowError:
        return math.inf if function != "MEDIAN" or median(numbers) > 0 else -math.inf


def _text(value: float) -> str:
    return "NaN" if math.isnan(value) else repr(value).upper().replace("INFINITY", "INF")
