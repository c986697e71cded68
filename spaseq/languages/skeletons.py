"""Texts with their constants cut out: queries of one rule have one skeleton, however many they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A text between its constants: ``parts`` has what stands before each, and behind the last one.

    ``key`` is equal for texts that differ in comments and in constants of a kind.
    """

    key: str
    parts: tuple[str, ...]

    def text(self, constants: Sequence[str]) -> str:
        """The text with these constants."""
        found = [piece for pair in zip(self.parts, constants, strict=False) for piece in pair]
        return "".join((*found, self.parts[-1]))


def cut(text: str, token: re.Pattern[str], marks: Mapping[str, str]) -> tuple[Skeleton, tuple[str, ...]]:
    """The skeleton of a text, and its constants.

    ``token`` is what is looked at from left to right, by kind: those of a kind that has a mark, which stands for it in
    keys, are constants, a ``comment`` is left out, others stay as they are.
    """
    parts, kinds, constants = [""], [], []
    end = 0
    for found in token.finditer(text):
        kind = found.lastgroup or ""
        if kind == "comment":
            parts[-1] += text[end : found.start()]
        elif kind in marks:
            parts[-1] += text[end : found.start()]
            parts.append("")
            kinds.append(marks[kind])
            constants.append(found.group())
        else:
            continue
        end = found.end()
    parts[-1] += text[end:]
    key = "\0".join(piece for pair in zip(parts, (*kinds, ""), strict=True) for piece in pair)
    return Skeleton(key, tuple(parts)), tuple(constants)
