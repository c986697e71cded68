"""Doors: the ways by which strangers' bytes come in, each with what is put through it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.fuzz.mutate import mutated

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
NAMES = (
    "nquads", "trig", "messages", "jsonld", "jelly", "push", "spaseq", "ceql", "sql", "paths", "graphs", "edges",
    "snapshots", "csv", "jsonl", "parquet", "terminal",
)  # fmt: skip

Mutate = Callable[[bytes, bytes, Sequence[bytes], random.Random], bytes]


class DisagreementError(Exception):
    """Two ways to read an input, of which one is not ours, say different things."""


@dataclass(frozen=True)
class Door:
    """One way in.

    ``enter`` takes an input and says in a word or two what was in it; SpaseqError: it was refused; every other error is
    a finding.  ``seeds`` are good inputs from elsewhere in the tree, ``words`` those of the language.
    """

    name: str
    enter: Callable[[bytes], str]
    seeds: Callable[[], Sequence[bytes]] = tuple
    words: Sequence[bytes] = ()
    mutate: Mutate = mutated

    def inputs(self) -> list[bytes]:
        """All that is kept for this door, in an order of its own, without twins."""
        kept = [path.read_bytes() for path in files(self.name)]
        return list(dict.fromkeys([*kept, *self.seeds()]))


def files(name: str) -> Iterator[Path]:
    """The files of a door's corpus, sorted."""
    yield from sorted((CORPUS / name).iterdir()) if (CORPUS / name).is_dir() else ()


def door(name: str) -> Door:
    """The door of this name, one of ``NAMES``."""
    found = import_module(f"tests.fuzz.doors.{name}").DOOR
    assert isinstance(found, Door) and found.name == name
    return found


def same(ours: object, theirs: object, about: str) -> None:
    """DisagreementError if two answers differ."""
    if ours != theirs:
        raise DisagreementError(f"{about}: ours {ours!r:.300}, theirs {theirs!r:.300}")
