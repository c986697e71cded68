"""Names of edge tables as words, many at once: those of the same names one by one."""

from __future__ import annotations

import random

import numpy as np
import pyarrow
import pytest

from nfa_native.terms.dictionary import Terms
from nfa_native.terms.names import name_words
from spaseq.paths.terms import node_bytes

BEGINNINGS = ("", "http://", "https://", "urn:", "http:/", "urn", "HTTP://", "x")
ENDS = (
    "",
    "a",
    "x y",
    "<",
    ">",
    '"',
    "{",
    "}",
    "|",
    "\\",
    "^",
    "`",
    "\x00",
    "\x20",
    "\x1f",
    "\x21",
    "é",
    "\x7f",
    "😀",
    "c" * 300,
)


def words_of(terms: Terms, names: list[str], skipped: int = 0) -> list[int]:
    column = pyarrow.array(["skipped"] * skipped + names, pyarrow.string()).slice(skipped)
    _, offsets, text = column.buffers()
    bounds = np.frombuffer(offsets, np.int32, len(names) + 1, 4 * skipped)
    found: list[int] = name_words(terms, bounds, np.frombuffer(text, np.uint8)).tolist()
    return found


@pytest.mark.parametrize("seed", range(20))
def test_words_are_those_of_the_same_names_one_by_one(seed: int) -> None:
    choose = random.Random(seed)
    names = [
        choose.choice(BEGINNINGS) + "".join(choose.choices(ENDS, k=choose.randrange(4)))
        for _ in range(choose.randrange(1, 400))
    ]
    terms = Terms()
    known = [terms.intern(node_bytes(name)) for name in names[::3] if name]
    found = words_of(terms, names, choose.randrange(3))
    assert len(known) == len([name for name in names[::3] if name])
    assert [word == 0 for word in found] == [not name for name in names]
    texts = [(word, name) for word, name in zip(found, names, strict=True) if name]
    assert [terms.bytes(word) for word, _ in texts] == [node_bytes(name) for _, name in texts]
    assert [word for word, _ in texts] == [terms.intern(node_bytes(name)) for _, name in texts]


def test_words_are_not_pinned() -> None:
    terms = Terms()
    words_of(terms, [f"name {number}" for number in range(1000)])
    assert terms.collect([]) == 1000 and len(terms) == 0


@pytest.mark.parametrize("offsets", [[0, 3, 2], [-1, 2], [0, 4], [], [1, 0]])
def test_offsets_fit_the_text(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="offsets"):
        name_words(Terms(), np.array(offsets, np.int32), np.zeros(3, np.uint8))
    assert name_words(Terms(), np.array([0], np.int32), np.zeros(0, np.uint8)).tolist() == []


def test_frozen_tables_get_no_names() -> None:
    terms = Terms()
    terms.freeze()
    with pytest.raises(ValueError, match="frozen"):
        words_of(terms, ["a"])
