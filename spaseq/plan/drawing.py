"""What drawings of automata have in common, whichever automata they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Description = dict[str, Any]


def by_source(transitions: Iterable[Description]) -> dict[int, list[Description]]:
    """The described transitions out of each state that has some."""
    found: dict[int, list[Description]] = {}
    for one in transitions:
        found.setdefault(one["from"], []).append(one)
    return found


def mermaid_text(text: str) -> str:
    """Mermaid takes entities for what would end or split a label."""
    for character, code in (("#", "35"), (";", "59"), (":", "58"), ('"', "quot")):
        text = text.replace(character, f"\0{code}\1")
    return text.replace("\0", "#").replace("\1", ";")
