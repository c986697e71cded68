"""Aggregates of exact numbers, integers and decimals of any size, as words: sums and means, not rounded on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nfa_native.terms.words import Terms

ONE = 10**18  # decimals are counted in units of 10**-18
_INTEGER = b"Thttp://www.w3.org/2001/XMLSchema#integer\0"
_DECIMAL = b"Thttp://www.w3.org/2001/XMLSchema#decimal\0"


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of ``count`` numbers in units of 10**-18; it ``is_decimal`` if one of them is."""

    scaled: int
    is_decimal: bool
    count: int

    def total(self, terms: Terms) -> int:
        """The word of the sum: an integer if all numbers are."""
        return decimal(self.scaled, terms) if self.is_decimal else integer(self.scaled // ONE, terms)

    def mean(self, terms: Terms) -> int:
        """The word of the mean, cut after 18 digits; 0 of no numbers."""
        if not self.count:
            return integer(0, terms)
        magnitude = abs(self.scaled) // self.count
        return decimal(-magnitude if self.scaled < 0 else magnitude, terms)


def of_exact(name: str, ranks: Sequence[int], terms: Terms) -> int:
    """The word of the SUM, AVG, MIN or MAX of exact numbers, given by their ranks; 0 if it is unbound."""
    match name:
        case "MIN" | "MAX":
            return number_of_rank(min(ranks) if name == "MIN" else max(ranks), terms) if ranks else 0
    decimals = sum(rank & 1 for rank in ranks)
    result = Sum((sum(ranks) - decimals) // 2, decimals > 0, len(ranks))
    return result.mean(terms) if name == "AVG" else result.total(terms)


def number_of_rank(rank: int, terms: Terms) -> int:
    """The word of a number by its place in the order of exact numbers: twice its value, and 1 more for a decimal."""
    scaled, is_decimal = divmod(rank, 2)
    return decimal(scaled, terms) if is_decimal else integer(scaled // ONE, terms)


def decimal(scaled: int, terms: Terms) -> int:
    """The word of an xsd:decimal."""
    whole, part = divmod(abs(scaled), ONE)
    text = f"{'-' if scaled < 0 else ''}{whole}.{part:018}".rstrip("0").rstrip(".")
    return terms.intern_transient(_DECIMAL + text.encode())


def integer(value: int, terms: Terms) -> int:
    """The word of an xsd:integer, which is forgotten when no result holds it any more."""
    return terms.intern_transient(_INTEGER + str(value).encode())
