"""The words in a snapshot: each with the bytes of its term, since another process numbers terms anew."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from gpm.terms import ox_term
from nfa_native.arrays import distinct
from nfa_native.words import Terms
from spaseq.engine.protocols import WordMap, Words
from spaseq.errors import SnapshotError


def pack_words(held: Iterable[Words], terms: Terms) -> tuple[bytes, bytes]:
    """The distinct words among ``held``, ascending, and their terms (lengths as a JSON list, then the bytes)."""
    words = distinct(np.concatenate([np.zeros(1, np.uint64), *held]))[1:]  # 0 is no term
    texts = terms.bytes_many(words)
    lengths = json.dumps([len(text) for text in texts], separators=(",", ":")).encode()
    return words.astype("<u8").tobytes(), lengths + b"\n" + b"".join(texts)


def unpack_words(words: bytes, texts: bytes, terms: Terms) -> WordMap:
    """A function from the words of ``pack_words`` to those of ``terms``; it raises SnapshotError for others.

    ValueError, SyntaxError: some bytes are no term.
    """
    old = np.frombuffer(words, "<u8").astype(np.uint64)
    lengths, _, text = texts.partition(b"\n")
    ends = np.cumsum([0, *json.loads(lengths)]).tolist()
    written = [text[start:end] for start, end in pairwise(ends)]
    for one in written:
        ox_term(one)  # what is none would be found when a result shows it
    new = terms.intern_many_transient(written)
    old, new = np.append(np.zeros(1, np.uint64), old), np.append(np.zeros(1, np.uint64), new)

    def word_map(wanted: Words) -> Words:
        places = np.minimum(np.searchsorted(old, wanted), len(old) - 1)
        if not np.array_equal(old[places], wanted):
            raise SnapshotError("the snapshot mentions terms that it does not have")
        return np.ascontiguousarray(new[places])

    return word_map
