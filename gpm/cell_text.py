"""The terms in the cells of TSV that pyoxigraph writes."""

from __future__ import annotations

import re

from gpm.algebra import XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from gpm.terms import term_bytes, triple_term

_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_UNESCAPE = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b'"': b'"', b"\\": b"\\", b"b": b"\b", b"f": b"\f", b"'": b"'"}


def cell_bytes(cell: bytes) -> bytes:
    """The bytes of the term (see ``gpm.terms``) that a TSV cell holds; the cell is not empty."""
    first = cell[:1]
    if first == b"<":
        return term_bytes(triple_term(cell.decode())) if cell.startswith(b"<<(") else b"I" + cell[1:-1]
    if first == b'"':
        return _literal_bytes(cell)
    if first == b"_":
        return b"B" + cell[2:]
    return b"T" + _bare_datatype(cell).encode() + b"\0" + cell


def _literal_bytes(cell: bytes) -> bytes:
    end = cell.rindex(b'"')
    text, suffix = cell[1:end], cell[end + 1 :]
    if b"\\" in text:
        text = _ESCAPED.sub(lambda found: _UNESCAPE[found[1]], text)
    if not suffix:
        return b"S" + text
    if suffix.startswith(b"@"):
        return b"L" + suffix[1:] + b"\0" + text
    return b"T" + suffix[3:-1] + b"\0" + text


def _bare_datatype(cell: bytes) -> str:
    """The datatype of a number or boolean that stands without quotes."""
    if cell in (b"true", b"false"):
        return XSD_BOOLEAN
    if b"e" in cell or b"E" in cell:
        return XSD_DOUBLE
    return XSD_DECIMAL if b"." in cell else XSD_INTEGER
