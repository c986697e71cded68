"""Rooms that are entered when somebody first asks for what is in them: so a part does not load the whole."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module


def entered(package: str, rooms: Mapping[str, str], name: str) -> object:
    """What a package calls ``name``, of the module that ``rooms`` say.  AttributeError: it has nothing of that name."""
    if name not in rooms:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(rooms[name]), name)
