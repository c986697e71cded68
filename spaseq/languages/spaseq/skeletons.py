"""Texts with their constants cut out: queries of one rule have one skeleton, however many they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# What is looked at from left to right: comments, strings (with a language or datatype), IRIs, variables, prefixed and
# other names, numbers.  All else stays as it is, also what may be an IRI, or ``<`` and ``>``.
_NAME = r"[A-Za-z_][\w-]*"
_PREFIXED = rf"(?:{_NAME})?:[\w:%-]+(?:\.+[\w:%-]+)*"
_IRI = r"<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|^`\\?&()!=]*>"
_LONG = r"""\"\"\"(?:"{0,2}(?:[^"\\]|\\.))*\"\"\"|'''(?:'{0,2}(?:[^'\\]|\\.))*'''"""
_SHORT = r"""\"(?:[^"\\\n\r]|\\.)*\"|'(?:[^'\\\n\r]|\\.)*'"""
_TOKEN = re.compile(
    rf"(?P<comment>\#[^\n]*)"
    rf"|(?P<string>(?:{_LONG}|{_SHORT})(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^(?:{_IRI}|{_PREFIXED}))?)"
    rf"|(?P<iri>{_IRI})"
    r"|(?P<other><[^\s<>\"{}|^`]*>|\\.)"
    rf"|(?P<variable>[?$]\w+)"
    rf"|(?P<prefixed>{_PREFIXED})"
    rf"|(?P<name>{_NAME})"
    rf"|(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)",
    re.DOTALL,
)
_CUT = {"string": '"', "iri": "<", "prefixed": "<", "number": "1"}  # what is cut out, and what marks its place


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


def cut(text: str) -> tuple[Skeleton, tuple[str, ...]]:
    """The skeleton of a text, and its constants."""
    parts, marks, constants = [""], [], []
    end = 0
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        if kind == "comment":
            parts[-1] += text[end : found.start()]
        elif kind in _CUT:
            parts[-1] += text[end : found.start()]
            parts.append("")
            marks.append(_CUT[kind])
            constants.append(found.group())
        else:
            continue
        end = found.end()
    parts[-1] += text[end:]
    key = "\0".join(piece for pair in zip(parts, (*marks, ""), strict=True) for piece in pair)
    return Skeleton(key, tuple(parts)), tuple(constants)
