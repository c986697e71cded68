"""Matches as lines of JSON, made by columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpm.native.json import lists, solutions
from gpm.native.texts import times, woven
from gpm.rows import TextColumn
from spaseq.results.match import derived_to_dict
from spaseq.results.table import MatchTable
from spaseq.results.terms import Decoder, native
from spaseq.results.texts import names_of, texts_of
from spaseq.showing import json_text


def match_lines(table: MatchTable, start: str) -> bytes:
    """The lines of all matches in UTF-8: ``first``, ``last``, ``events``, ``bindings``; each begins with ``start``."""
    pieces: list[bytes | TextColumn] = [
        start.encode(), b'"first": "', times(table.first), b'", "last": "', times(table.last),
        b'", "events": ', _events(table), b', "bindings": ', _bindings(table),
    ]  # fmt: skip
    if table.derived is not None:
        pieces.append(texts_of(", " + json_text(derived_to_dict(event))[1:-1] for event in table.derived))
    return woven(len(table), [*pieces, b"}\n"])


def _events(table: MatchTable) -> TextColumn:
    names = table.atom_names
    keys = np.array([names.index(name) for name in names], np.uint16)  # atoms of one name share a list
    iris = names_of(table.event_name, table.pick_events)
    return lists(table.pick_offsets, keys[table.pick_atoms], _keys(names), iris)


def _bindings(table: MatchTable) -> TextColumn:
    terms, words = native(table.terms, table.words)
    return solutions(terms, words, _keys(table.columns), Decoder(terms).json)


def _keys(names: Sequence[str]) -> list[bytes]:
    return [json_text(name).encode() for name in names]
