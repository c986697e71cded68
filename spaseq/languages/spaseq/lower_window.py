"""WITHIN: lengths in microseconds or events, and the time at which windows are aligned."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from gpm import algebra
from spaseq.languages.problem import Problem
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.names import Prefixes
from spaseq.pattern.sequences import Window
from spaseq.pattern.times import LONGEST, MICROSECONDS, nearest_time

_DATE_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?")


def lower_window(node: tree.Window, names: Prefixes) -> Window:
    """The window; Problem if its length is not a positive integer, or its start no date and time."""
    text = node.length.text
    if not re.fullmatch(r"\+?0*[1-9][0-9]*", text):
        raise Problem(f"WITHIN {text[:30]} is no window: the length is a positive integer", node.length.span)
    events = node.unit == "EVENTS"
    length = int(text[:30]) * (1 if events else MICROSECONDS[node.unit])
    if length > LONGEST or len(text) > 30:
        message = f"WITHIN {text[:30]} {node.unit} is longer than time itself"
        raise Problem(message, node.length.span, "leave WITHIN out")
    if node.origin is None:
        return Window(length, node.sliding, events)
    return Window(length, node.sliding, events, _origin(node.origin, names))


def _origin(node: tree.Literal, names: Prefixes) -> int:
    """Microseconds since 1970 of an xsd:dateTime."""
    if node.datatype is None or names.iri(node.datatype) != algebra.XSD_DATETIME:
        raise Problem("FROM takes a date and time", node.span, 'write "2026-01-01T00:00:00Z"^^xsd:dateTime')
    match = _DATE_TIME.fullmatch(node.text.strip())
    try:
        if not match:
            raise ValueError
        moment = datetime.fromisoformat(match[1] + (match[3] or "Z"))
    except ValueError:
        hint = f'write "{nearest_time(node.text) or "2026-01-01T00:00:00Z"}"^^xsd:dateTime'
        raise Problem(f'"{node.text}" is no date and time', node.span, hint) from None
    whole = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return whole + int((match[2] or ".0")[1:7].ljust(6, "0"))
