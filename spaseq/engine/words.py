"""The words in a snapshot: each with the bytes of its term, since another process numbers terms anew."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from gpm.terms import ox_term
from nfa_native.core import archive
from nfa_native.core.arrays import column, distinct, read_store
from nfa_native.terms.words import Terms
from spaseq.engine.protocols import WordMap, Words
from spaseq.errors import SnapshotError

VERSION = 1  # of the store of words
_PLAIN = re.compile(  # terms of which it takes no parser to tell that they are some
    rb"I[A-Za-z][A-Za-z0-9+.-]*:(//[A-Za-z0-9.-]+(:[0-9]+)?/)?[A-Za-z0-9_.~+-][A-Za-z0-9_.~+/-]*(#[A-Za-z0-9_.~+/-]*)?"
    rb"|S[\0-\x7f]*|Thttp://www\.w3\.org/2001/XMLSchema#[A-Za-z]+\0[ -~]*"
).fullmatch


def pack_words(held: Iterable[Words], terms: Terms) -> bytes:
    """The distinct words among ``held``, ascending, and their terms: lengths, then the bytes."""
    words = distinct(np.concatenate([np.zeros(1, np.uint64), *held]))[1:]  # 0 is no term
    texts = terms.bytes_many(words)
    columns = {
        "words": words,
        "lengths": np.array([len(text) for text in texts], np.uint64),
        "bytes": np.frombuffer(b"".join(texts), np.uint8),
    }
    return archive.pack({"terms": (VERSION, columns)})


def _unpack(sections: Mapping[str, bytes]) -> tuple[Words, Words, bytes]:
    """Words, and the lengths and bytes of their terms; ValueError, SnapshotError: they do not fit each other."""
    columns = read_store(sections["terms"], "terms", VERSION)
    words, sizes = column(columns, "words", np.uint64), column(columns, "lengths", np.uint64)
    text = column(columns, "bytes", np.uint8).tobytes()
    if len(words) != len(sizes) or (words[1:] <= words[:-1]).any() or sum(sizes.tolist()) != len(text):
        raise SnapshotError("the snapshot is damaged: its terms do not fit each other")
    return words, sizes, text


def unpack_words(sections: Mapping[str, bytes], terms: Terms) -> WordMap:
    """A function from the words of ``pack_words`` to those of ``terms``; it raises SnapshotError for others.

    ValueError, SyntaxError: some bytes are no term.
    """
    old, sizes, text = _unpack(sections)
    ends = np.cumsum(np.append(np.uint64(0), sizes)).tolist()
    written = [text[start:end] for start, end in pairwise(ends)]
    for one in written:
        if not _PLAIN(one):
            ox_term(one)  # what is none would be found when a result shows it
    new = terms.intern_many_transient(written)
    old, new = np.append(np.zeros(1, np.uint64), old), np.append(np.zeros(1, np.uint64), new)

    def word_map(wanted: Words) -> Words:
        places = np.minimum(np.searchsorted(old, wanted), len(old) - 1)
        if not np.array_equal(old[places], wanted):
            raise SnapshotError("the snapshot mentions terms that it does not have")
        return np.ascontiguousarray(new[places])

    return word_map
