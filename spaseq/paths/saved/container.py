"""The outer form of a saved graph: a front, a header of JSON with its checksum, arrays one after the other.

All numbers are little-endian.  Each array begins at a multiple of ``ALIGNED`` bytes; the header says how many elements
each has, and where they lie follows from that, so that none lies in another.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

MAGIC = b"\x89SPASEQ graph\r\n\x1a"
VERSION = 1
ALIGNED = 64
TYPES = {  # of all arrays, in their order
    "text_ends": "<u8",
    "texts": "<u1",
    "text_order": "<u4",
    "predicate_ends": "<u8",
    "predicates": "<u1",
    "row_counts": "<u4",
    "edge_counts": "<u4",
    "are_sparse": "<u1",
    "sparse_vertices": "<u4",
    "offsets": "<u4",
    "targets": "<u4",
    "idle": "<u4",
    "named_nodes": "<u4",
    "name_labels": "<u4",
}
_FRONT = struct.Struct("<16sIIQ")  # magic, version, checksum and length of the header

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


class DamagedError(Exception):
    """What is wrong with the bytes of a saved graph."""


@dataclass(frozen=True, slots=True)
class SavedContent:
    """What a saved graph holds: ``header`` is whatever JSON can say, ``arrays`` are those of ``TYPES``."""

    header: Mapping[str, Any]
    arrays: Arrays

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the file, the same for the same content."""
        counts = [len(self.arrays[name]) for name in TYPES]
        text = json.dumps({"header": self.header, "counts": counts}, sort_keys=True, separators=(",", ":")).encode()
        yield _FRONT.pack(MAGIC, VERSION, zlib.crc32(text), len(text))
        yield text
        size = _FRONT.size + len(text)
        for name, kind in TYPES.items():
            yield bytes(-size % ALIGNED)
            array = self.arrays[name].astype(kind, copy=False).tobytes()
            yield array
            size += -size % ALIGNED + len(array)

    @staticmethod
    def of(data: Any) -> SavedContent:
        """The content of a buffer, in which the arrays stay.  DamagedError: it is none, or not all of it."""
        view = memoryview(data)
        if len(view) < _FRONT.size or bytes(view[: len(MAGIC)]) != MAGIC:
            raise DamagedError("this is no saved graph")
        _, version, checksum, length = _FRONT.unpack_from(view)
        if version != VERSION:
            raise DamagedError(f"the saved graph has version {version}; this program reads version {VERSION}")
        text = bytes(view[_FRONT.size : _FRONT.size + length]) if length < len(view) else b""
        if zlib.crc32(text) != checksum:
            raise broken("its header is not what was written")
        try:
            given = json.loads(text)
            if not isinstance(given["header"], dict):
                raise ValueError("its header is no object")
            return SavedContent(given["header"], _arrays(view, given["counts"], _FRONT.size + length))
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise broken(str(error)) from error


def broken(what: str) -> DamagedError:
    """An error that says what is wrong."""
    return DamagedError(f"the saved graph is damaged: {what}")


def _arrays(view: memoryview, counts: list[int], at: int) -> Arrays:
    """The arrays, which lie behind byte ``at``.  ValueError: they are not just what is there."""
    found = {}
    for (name, kind), count in zip(TYPES.items(), counts, strict=True):
        at += -at % ALIGNED
        size = count * np.dtype(kind).itemsize
        if type(count) is not int or not 0 <= size <= len(view) - at:
            raise ValueError(f"it has {len(view):,} bytes, and should have more")
        found[name] = np.ndarray(count, kind, view, at)
        at += size
    if at != len(view):
        raise ValueError(f"it has {len(view):,} bytes, and should have {at:,}")
    return found
