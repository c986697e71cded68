"""The outer form of a snapshot: magic, version, a JSON header, named sections of bytes, a digest of all of it."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import Any

from spaseq.errors import OptionError, SnapshotError

MAGIC = b"SPASEQ\x00\x01"
VERSION = 8
OLDEST = 7  # whose parts are read, too
_FRONT = struct.Struct("<8sIQ")  # magic, version, length of the header
_DIGEST = 32


def pack(header: Mapping[str, Any], sections: Mapping[str, bytes]) -> bytes:
    """The same bytes for the same content."""
    index = [[name, len(data)] for name, data in sections.items()]
    text = json.dumps({"header": header, "sections": index}, sort_keys=True, separators=(",", ":")).encode()
    body = b"".join([_FRONT.pack(MAGIC, VERSION, len(text)), text, *sections.values()])
    return body + hashlib.sha256(body).digest()


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Header and sections; SnapshotError if ``data`` is no snapshot, of another version, or damaged."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise OptionError(f"a snapshot is bytes, not {type(data).__name__}")
    if len(data) < _FRONT.size + _DIGEST or data[: len(MAGIC)] != MAGIC:
        raise SnapshotError("this is no snapshot of a SPAseq engine")
    _, version, length = _FRONT.unpack_from(data)
    if not OLDEST <= version <= VERSION:
        raise SnapshotError(f"the snapshot has version {version}; this program reads versions {OLDEST} to {VERSION}")
    body = memoryview(data)[:-_DIGEST]
    if hashlib.sha256(body).digest() != data[-_DIGEST:]:
        raise SnapshotError("the snapshot is damaged: its digest does not fit its content")
    sections, at = {}, _FRONT.size + length
    try:
        content = json.loads(bytes(body[_FRONT.size : at]))
        for name, size in content["sections"]:
            sections[name] = bytes(body[at : at + max(0, size)])
            at += len(sections[name])
            if len(sections[name]) != size:
                raise ValueError(f"the part {name} is not all there")
        if at != len(body):
            raise ValueError("there is more than it says")
        return content["header"], sections
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise SnapshotError(f"the snapshot is damaged: {error}") from error
