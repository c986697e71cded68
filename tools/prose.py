"""Lines of prose in Markdown: ``python tools/prose.py FILE …`` breaks those that are too long.

A paragraph or an item of a list with a line of more than 120 characters is filled anew, others stay as they are.  Code,
tables, headings and comments are no prose.  Neither code spans nor links are broken, so a line that is nothing but one
of them may be longer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

WIDTH = 120
_ITEM = re.compile(r"\s*(?:[*+-]|\d+[.)])\s+")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_NO_PROSE = re.compile(r"\s*(?:$|#|\||<|>)")
_WORD = re.compile(r"(?:(?P<ticks>`+).+?(?<!`)(?P=ticks)(?!`)|\[[^\]]*\]\([^)]*\)|\S)+")
_MARK = re.compile(r"[*+-]$|\d+[.)]$|[#>|=-]")  # what would mean something else at the beginning of a line


def wrapped(text: str) -> str:
    """A Markdown text with its prose in lines of at most 120 characters."""
    return "".join(line for block in blocks(text) for line in (filled(block) if too_long(block) else block))


def too_long(block: list[str]) -> bool:
    return is_prose(block[0]) and any(len(line.rstrip("\n")) > WIDTH for line in block)


def is_prose(line: str) -> bool:
    return not (_NO_PROSE.match(line) or _FENCE.match(line) or (line.startswith("    ") and not _ITEM.match(line)))


def blocks(text: str) -> Iterator[list[str]]:
    """A text's lines by what they are parts of: a paragraph or item, a fence, a comment; any other line by itself."""
    block: list[str] = []
    end = ""  # what the last line of a fence or of a comment has
    for line in text.splitlines(keepends=True):
        goes_on = bool(block) and is_prose(block[0]) and not _ITEM.match(line) and is_prose(line.lstrip())
        if not (end or goes_on) and block:
            yield block
            block = []
        block.append(line)
        end = _end_of(line) if not end else end if end not in line else ""
    if block:
        yield block


def _end_of(line: str) -> str:
    """What closes the fence or comment that a line opens; nothing if it opens none."""
    if fence := _FENCE.match(line):
        return fence[1]
    return "-->" if line.lstrip().startswith("<!--") and "-->" not in line else ""


def filled(block: list[str]) -> Iterator[str]:
    """The lines of a paragraph or item anew, each as long as it may be."""
    head = _ITEM.match(block[0])
    first = head[0] if head else block[0][: len(block[0]) - len(block[0].lstrip())]
    line, rest = first, " " * len(first)
    for word in _words("".join(block)[len(first) :]):
        if len(line) + len(word) + 1 > WIDTH and line.strip() and line != first:
            yield line.rstrip() + "\n"
            line = rest
        line += word if line in (first, rest) else f" {word}"
    yield line + "\n"


def _words(text: str) -> Iterator[str]:
    """What may stand at the beginning of a line, with what may not behind it."""
    word = ""
    for one in (match[0].replace("\n", " ") for match in _WORD.finditer(" ".join(text.split()))):
        if word and not _MARK.match(one):
            yield word
            word = one
        else:
            word = f"{word} {one}" if word else one
    yield word


def main(files: list[str]) -> None:
    for path in map(Path, files):
        path.write_text(wrapped(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
