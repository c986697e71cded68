"""Terms and values: canonical N-Triples text on one side, Python values on the other; SPARQL's operators on values."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import ROUND_DOWN, Context, Decimal, localcontext
from fractions import Fraction

from .expressions import Iri

XSD = "http://www.w3.org/2001/XMLSchema#"
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\^\^<([^>]*)>|@(\S+))?', re.DOTALL)
ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t", '\\"': '"', "\\\\": "\\"}
WIDE = Context(prec=60)
ATTO = Decimal(1).scaleb(-18)

Value = int | Decimal | float | bool | str | Iri


class SparqlError(Exception):
    """SPARQL's evaluation error: what is unbound, mistyped or divided by zero."""


class UnsupportedTermError(Exception):
    """A term this oracle does not compute with."""


def value_of(term: str) -> Value:
    """The value of a term in N-Triples text."""
    if term.startswith("<"):
        return Iri(term[1:-1])
    found = LITERAL.fullmatch(term)
    if not found or found[3]:
        raise UnsupportedTermError(term)
    text, datatype = found[1], found[2]
    if datatype is None:
        return re.sub(r"\\.", lambda escape: ESCAPES[escape[0]], text)
    convert: dict[str, Callable[[str], Value]] = {"integer": int, "decimal": Decimal, "boolean": lambda t: t == "true"}
    kind = datatype.removeprefix(XSD)
    if kind not in convert:
        raise UnsupportedTermError(term)
    return convert[kind](text)


def term_of(value: Value) -> str:
    """The canonical N-Triples text of a value."""
    match value:
        case Iri(text):
            return f"<{text}>"
        case bool():
            return f'"{"true" if value else "false"}"^^<{XSD}boolean>'
        case int():
            return f'"{value}"^^<{XSD}integer>'
        case Decimal():
            return f'"{decimal_text(value)}"^^<{XSD}decimal>'
        case float():
            return f'"{decimal_text(Decimal(repr(value)))}"^^<{XSD}double>'
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def decimal_text(value: Decimal) -> str:
    """Shortest plain notation, without a point for whole numbers."""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("", "-0") else text


def plain_text(value: Value) -> str:
    """STR of a value."""
    match value:
        case Iri(text):
            return text
        case bool():
            return "true" if value else "false"
        case Decimal():
            return decimal_text(value)
    return str(value)


def exact(value: Value) -> Fraction:
    """A number as a fraction; an error on anything else."""
    if isinstance(value, Iri | str) or not is_number(value):
        raise SparqlError("not a number")
    return Fraction(value)


def is_number(value: Value) -> bool:
    """Whether value is an integer, a decimal or a double."""
    return isinstance(value, int | Decimal | float) and not isinstance(value, bool)


def truth(value: Value) -> bool:
    """SPARQL's effective boolean value."""
    if isinstance(value, Iri):
        raise SparqlError("an IRI has no truth value")
    return bool(value)


def equal(left: Value, right: Value) -> bool:
    """`=`: numbers by value, everything else only equals its own kind."""
    if is_number(left) and is_number(right):
        return left == right
    return type(left) is type(right) and left == right


def less(left: Value, right: Value) -> bool:
    """`<` on numbers or strings; an error on anything else."""
    if (is_number(left) and is_number(right)) or (isinstance(left, str) and isinstance(right, str)):
        return bool(left < right)  # type: ignore[operator]
    raise SparqlError("no order between these")


def compare(sign: str, left: Value, right: Value) -> bool:
    """The six comparisons."""
    match sign:
        case "=":
            return equal(left, right)
        case "!=":
            return not equal(left, right)
        case "<":
            return less(left, right)
        case ">":
            return less(right, left)
        case "<=":
            return not less(right, left)
    return not less(left, right)


def calculate(sign: str, left: Value, right: Value) -> Value:
    """`+ - * /` on numbers; `/` of integers is a decimal, cut to 18 digits."""
    if not (is_number(left) and is_number(right)):
        raise SparqlError("not a number")
    if sign != "/":
        function = {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign]
        with localcontext(WIDE):
            result: Value = function(left, right)
        return result
    if right == 0:
        raise SparqlError("division by zero")
    with localcontext(WIDE):
        quotient = Decimal(left) / Decimal(right)  # type: ignore[arg-type]
        return quotient.quantize(ATTO, rounding=ROUND_DOWN).normalize()
