"""A state as a tree of JSON values and bytes: bytes become sections of a container, and are found again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spaseq.errors import SnapshotError

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
