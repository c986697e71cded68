"""The outer form of a snapshot: magic, version, a JSON header, named sections of bytes, a digest of all of it.

A state may be a tree of JSON values and bytes (``flattened``): its bytes become sections, and are found again.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spaseq.errors import OptionError, SnapshotError

_FRONT = struct.Struct("<8sIQ")  # magic, version, length of the header
_DIGEST = 32


@dataclass(frozen=True, slots=True)
class Container:
    """Snapshots of one kind: how they begin, which versions are read (the last is written), and ``of`` what."""

    magic: bytes
    oldest: int
    version: int
    of: str

    def pack(self, header: Mapping[str, Any], sections: Mapping[str, bytes]) -> bytes:
        """The same bytes for the same content."""
        index = [[name, len(data)] for name, data in sections.items()]
        text = json.dumps({"header": header, "sections": index}, sort_keys=True, separators=(",", ":")).encode()
        body = b"".join([_FRONT.pack(self.magic, self.version, len(text)), text, *sections.values()])
        return body + hashlib.sha256(body).digest()

    def unpack(self, data: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Header and sections; SnapshotError if ``data`` is no such snapshot, of another version, or damaged."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise OptionError(f"a snapshot is bytes, not {type(data).__name__}")
        if len(data) < _FRONT.size + _DIGEST or data[: len(self.magic)] != self.magic:
            other = next((kind.of for kind in (GRAPHS, TUPLES) if data[: len(kind.magic)] == kind.magic), "")
            raise SnapshotError(f"this is no snapshot of {self.of}{f', but one of {other}' if other else ''}")
        _, version, length = _FRONT.unpack_from(data)
        if not self.oldest <= version <= self.version:
            raise SnapshotError(f"the snapshot has version {version}; this program reads {self._versions()}")
        body = memoryview(data)[:-_DIGEST]
        if hashlib.sha256(body).digest() != data[-_DIGEST:]:
            raise SnapshotError("the snapshot is damaged: its digest does not fit its content")
        try:
            return _content(body, _FRONT.size + length)
        except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
            raise SnapshotError(f"the snapshot is damaged: {error}") from error

    def version_of(self, data: bytes) -> int:
        """The version of what was unpacked."""
        version: int = _FRONT.unpack_from(data)[1]
        return version

    def _versions(self) -> str:
        return f"version{f's {self.oldest} to' if self.oldest < self.version else ''} {self.version}"


RESULTS_WAIT = "results wait: take all of an iterator of results, or call once more after an error of a callback,"


def check_settled(holds: bool) -> None:
    """OptionError: results wait, which a snapshot would lose."""
    if not holds:
        raise OptionError(f"{RESULTS_WAIT} before a snapshot")


def _content(body: memoryview, at: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The header, and the sections, which begin there."""
    sections = {}
    content = json.loads(bytes(body[_FRONT.size : at]))
    for name, size in content["sections"]:
        sections[name] = bytes(body[at : at + max(0, size)])
        at += len(sections[name])
        if len(sections[name]) != size:
            raise ValueError(f"the part {name} is not all there")
    if at != len(body):
        raise ValueError("there is more than it says")
    return content["header"], sections


GRAPHS = Container(b"SPASEQ\x00\x01", 8, 9, "a SPAseq engine")
TUPLES = Container(b"SPASEQ\x00\x02", 1, 1, "an engine of tuples")


_PLACE = "#"  # of the section with some bytes


def flattened(value: Any, sections: dict[str, bytes]) -> Any:
    """The value as JSON; its bytes are added to the sections."""
    if isinstance(value, bytes):
        sections[str(len(sections))] = value
        return {_PLACE: str(len(sections) - 1)}
    if isinstance(value, Mapping):
        return {key: flattened(one, sections) for key, one in value.items()}
    return [flattened(one, sections) for one in value] if isinstance(value, list | tuple) else value


def inflated(value: Any, sections: Mapping[str, bytes]) -> Any:
    """What was flattened; SnapshotError: some bytes are not there."""
    if isinstance(value, dict):
        place = value.get(_PLACE) if len(value) == 1 else None
        if isinstance(place, str):
            if place not in sections:
                raise SnapshotError(f"the snapshot is damaged: the part {place:.80} is missing")
            return sections[place]
        return {key: inflated(one, sections) for key, one in value.items()}
    return [inflated(one, sections) for one in value] if isinstance(value, list) else value
