"""What plans of all kinds say of themselves: by what a query is partitioned, how their automata are drawn, and by which
names is asked when steps are made that may wait.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nfa_native.automata.kinds import Evaluating
from spaseq.errors import OptionError


@dataclass(frozen=True, slots=True)
class Partitioning:
    """By what the events of a query go apart, and why.

    ``keys`` are variables (attributes, in CEQL) in which all events are equal that can have to do with each other;
    none: the query stays whole.  ``why`` says so in words.  ``shown``: every row has the keys, and each key is looked
    at on its own, so an event with several may go with each of them; else such an event must not be cut from any.
    """

    keys: tuple[str, ...]
    why: str
    shown: bool = False


def whole(why: str) -> Partitioning:
    """No cut."""
    return Partitioning((), why)


# ── drawings ─────────────────────────────────────────────────────────────────────────────────────────────
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


# ── when steps are made that may wait ────────────────────────────────────────────────────────────────────
EVALUATIONS = {"auto": Evaluating.AUTO, "eager": Evaluating.EAGER, "lazy": Evaluating.LAZY}


def evaluation_of(name: str) -> Evaluating:
    """When steps are made that could wait, by its name; OptionError: there is no such way."""
    found = EVALUATIONS.get(name) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(f'"{one}"' for one in EVALUATIONS)
        raise OptionError(f"evaluation is one of {known}, not {name!r:.80}")
    return found
