"""Constants as they are written, to their values."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import Context, Decimal, InvalidOperation

from spaseq.languages.query_text import Problem
from spaseq.languages.sql import tree
from spaseq.pattern.rows.expressions import SqlConstant
from spaseq.pattern.rows.types import (
    ANY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
    MOST_DIGITS,
    TEXT,
    TIMESTAMP,
    decimal,
)
from spaseq.text import did_you_mean

UNITS = {"SECOND": 1_000_000, "MINUTE": 60_000_000, "HOUR": 3_600_000_000, "DAY": 86_400_000_000}
_MOST_INTEGER = (1 << 63) - 1
_EXACT = Context(prec=100)
_LENGTH = re.compile(r"([+-]?)(\d{1,18})(\.\d{1,6})?")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?")


def literal(node: tree.Expression) -> SqlConstant:
    """The value of a constant; Problem if there is no such value."""
    match node:
        case tree.Number(text):
            return _number(text, node)
        case tree.Text(value):
            return SqlConstant(value, TEXT)
        case tree.Boolean(truth):
            return SqlConstant(truth, BOOLEAN)
        case tree.Dated(kind, text):
            return _dated(kind, text, node)
        case tree.Interval():
            return SqlConstant(timedelta(microseconds=microseconds(node)), INTERVAL)
        case _:
            return SqlConstant(None, ANY)


def _number(text: str, node: tree.Node) -> SqlConstant:
    if text.isdecimal():
        if int(text) > _MOST_INTEGER:
            raise Problem(
                f"{text} is beyond BIGINT, whose greatest is {_MOST_INTEGER}", node.span, f"write {text}.0, a decimal"
            )
        return SqlConstant(int(text), INTEGER)
    if "E" in text.upper():
        return SqlConstant(float(text), DOUBLE)
    try:
        value = Decimal(text, _EXACT)
    except InvalidOperation:
        raise Problem(f"{text} is no number", node.span) from None
    scale = len(text.partition(".")[2])
    precision = max(len(text.replace(".", "").lstrip("0")), scale, 1)
    if precision > MOST_DIGITS:
        raise Problem(f"a decimal has at most {MOST_DIGITS} digits", node.span, "write a double, as in 1.5e0")
    return SqlConstant(value, decimal(precision, scale))


def _dated(kind: str, text: str, node: tree.Node) -> SqlConstant:
    try:
        if kind == "DATE":
            return SqlConstant(date.fromisoformat(_checked(text, r"\d{4}-\d\d-\d\d")), DATE)
        return SqlConstant(datetime.fromisoformat(_checked(text, _TIMESTAMP.pattern)), TIMESTAMP)
    except ValueError:
        form = "2026-11-28" if kind == "DATE" else "2026-11-28 10:20:30"
        raise Problem(f"'{text}' is no {kind.lower()}", node.span, f"as in {kind} '{form}'") from None


def _checked(text: str, form: str) -> str:
    if not re.fullmatch(form, text, re.ASCII):
        raise ValueError(text)
    return text


def microseconds(node: tree.Interval) -> int:
    """How long an interval is; Problem if that cannot be said, or is beyond 64 bits."""
    unit = node.unit.removesuffix("S")
    if node.to is not None or unit in ("YEAR", "MONTH", "WEEK"):
        shown = node.unit if node.to is None else f"{node.unit} TO {node.to}"
        raise Problem(
            f"intervals of {shown} are not supported", node.span, "write a number of DAY, HOUR, MINUTE or SECOND"
        )
    if unit not in UNITS:
        raise Problem(f"there is no unit {node.unit}", node.span, did_you_mean(node.unit, list(UNITS)))
    found = _LENGTH.fullmatch(node.text.strip())
    if found is None or (found[3] and unit != "SECOND"):
        raise Problem(f"'{node.text}' is no number of {unit.lower()}s", node.span, f"as in INTERVAL '5' {unit}")
    length = Decimal(found[2] + (found[3] or "")) * UNITS[unit]
    if length > _MOST_INTEGER:
        raise Problem("the interval is too long", node.span)
    return int(length) * (-1 if (node.sign == "-") != (found[1] == "-") else 1)
