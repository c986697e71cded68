"""A place where a parser stopped, as the rules that guess at the slip of the pen see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from spaseq.languages.node import Span

_NEAR = 500  # characters; the rules look for words that end at the place, which takes the square of what they see
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Slip:
    """Where the parser stopped: ``word`` stands there, ``before`` and ``after`` around it, ``terminals`` are open.

    A long word is cut, and ``before`` is only what is near; ``all_before`` is what regular expressions may look through
    once, from its beginning.
    """

    word: str
    before: str
    after: str
    terminals: tuple[str, ...]
    expected: frozenset[str]
    all_before: str

    @property
    def last(self) -> str:
        """The last character before the place that is no space."""
        return self.before.rstrip()[-1:]


Kind = TypeVar("Kind", bound=Slip)
Stop = tuple[str, Span, Sequence[str], Iterable[str]]


def first_hint(kind: type[Kind], rules: Iterable[Callable[[Kind], str]], place: Stop) -> str:
    """The hint of the first rule that fits, or nothing; ``place`` is what ``expectation.Hint`` gets."""
    text, span, terminals, expected = place
    before, word, after = text[: span.start], text[span.start : span.end], text[span.end :]
    word = word if len(word) <= _LONGEST else word[:_LONGEST] + "…"
    slip = kind(word, before[-_NEAR:], after, tuple(terminals), frozenset(expected), before)
    return next((hint for rule in rules if (hint := rule(slip))), "")
