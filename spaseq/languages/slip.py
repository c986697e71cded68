"""A place where a parser stopped, as the rules that guess at the slip of the pen see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from spaseq.languages.node import Span


@dataclass(frozen=True, slots=True)
class Slip:
    """Where the parser stopped: ``word`` stands there, ``before`` and ``after`` around it, ``terminals`` are open."""

    word: str
    before: str
    after: str
    terminals: tuple[str, ...]
    expected: frozenset[str]

    @property
    def last(self) -> str:
        """The last character before the place that is no space."""
        return self.before.rstrip()[-1:]


Kind = TypeVar("Kind", bound=Slip)
Place = tuple[str, Span, Sequence[str], Iterable[str]]


def first_hint(kind: type[Kind], rules: Iterable[Callable[[Kind], str]], place: Place) -> str:
    """The hint of the first rule that fits, or nothing; ``place`` is what ``expectation.Hint`` gets."""
    text, span, terminals, expected = place
    word = text[span.start : span.end]
    slip = kind(word, text[: span.start], text[span.end :], tuple(terminals), frozenset(expected))
    return next((hint for rule in rules if (hint := rule(slip))), "")
