"""Stores as snapshots of version 7 had them: arrays in NumPy's own format, the matcher's records as they lay in memory.

They are made into today's stores, which are then read, and checked, like any others.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nfa_native.automata.automaton import Automaton
from nfa_native.core import archive
from nfa_native.core.counters import numbers_of

Arrays = Mapping[str, NDArray[Any]]
WORDS = "words of "
KINDS = "iuf"
EVENT = np.dtype(
    [("time", "<i8"), ("position", "<i8"), ("event", "<u8"), ("block", "<u8"), ("blocks", "<u4"), ("head", "<u4")]
)
BLOCK = np.dtype([("word", "<u8"), ("atom", "<u4"), ("rows", "<u4")])
NODE = np.dtype([(name, "<u4") for name in ("pos", "label", "next", "sibling", "max start")])
STAGED = np.dtype(
    [("deadline", "<i8"), ("word", "<u8"), ("pick", "<u8")]
    + [(name, "<u4") for name in ("rows", "picks", "state", "label", "next", "max start")]
)
PICK = np.dtype([("atom", "<u4"), ("unused", "<u4"), ("event", "<u8")])
CLOCK = (
    "lo", "position", "next event", "open", "tick", "promised", "first of tick", "many rows", "created", "ticks",
    "results", "head", "tail", "kept", "survived",
)  # fmt: skip
CLOCK_TYPES = {
    **dict.fromkeys(("lo", "kept", "first of tick", "tail"), np.uint32),
    **dict.fromkeys(("position", "tick", "promised"), np.int64),
    **dict.fromkeys(("open", "many rows"), np.int32),
    **dict.fromkeys(("next event", "created", "survived", "ticks", "results"), np.uint64),
}


def is_of_version_7(data: bytes) -> bool:
    """Whether these bytes are arrays in NumPy's format."""
    return data[:2] == b"PK"


def unpack(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays by name; ValueError if the data are damaged.  Nothing is unpacked that is larger than the data."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            return {one.filename.removesuffix(".npy"): _array(parts, one) for one in parts.infolist()}
    except MemoryError:
        raise
    except Exception as error:  # NumPy and zipfile raise a dozen kinds on damaged bytes
        raise ValueError("the arrays are damaged") from error


def _array(parts: zipfile.ZipFile, one: zipfile.ZipInfo) -> NDArray[Any]:
    if one.compress_type != zipfile.ZIP_STORED or one.file_size != one.compress_size:
        raise ValueError("an array is packed")
    stream = io.BytesIO(parts.read(one))
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array has another format")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    if is_fortran or dtype.kind not in KINDS or any(size < 0 for size in shape):
        raise ValueError("an array is of another kind")
    return np.frombuffer(stream.read(), dtype).reshape(shape).copy()


def upgraded_matcher(automaton: Automaton, data: bytes) -> bytes:
    """A matcher's state as today's archive; ValueError: damaged."""
    arrays = unpack(data)
    try:
        return archive.pack({
            "clock": (1, _clock(arrays["numbers"])),
            "counters": (1, _counters(automaton, arrays["counters"].astype(np.uint64))),
            "history": (1, _history(automaton, arrays)),
            "nodes": (1, _fields(arrays["nodes"], NODE)),
            "staged": (1, _staged(arrays)),
            "cells": (1, _cells(automaton, arrays)),
            "deadlines": (1, _deadlines(arrays["deadlines"])),
            "seen": (1, _seen(arrays)),
        })  # fmt: skip
    except (LookupError, TypeError, OverflowError) as error:
        raise ValueError("the matcher's part of the snapshot is incomplete") from error


def _records(array: NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """Records ``uint8[n, size]`` as such."""
    if array.ndim != 2 or array.dtype != np.uint8 or array.shape[1] != kind.itemsize:
        raise ValueError("an array of the snapshot has records of another size")
    return array.reshape(-1).view(kind)


def _fields(array: NDArray[Any], kind: np.dtype[Any]) -> dict[str, NDArray[Any]]:
    records = _records(array, kind)
    return {name: np.ascontiguousarray(records[name]) for name in kind.names or ()}


def _clock(numbers: NDArray[Any]) -> dict[str, NDArray[Any]]:
    if numbers.shape != (len(CLOCK),):
        raise ValueError("the matcher's part of the snapshot is of another version")
    known = dict(zip(CLOCK, numbers.astype(np.int64), strict=True))
    return {name: np.array([known[name]]).astype(kind) for name, kind in CLOCK_TYPES.items()}


def _counters(automaton: Automaton, counters: NDArray[Any]) -> dict[str, NDArray[Any]]:
    atoms, steps = len(automaton.slots), len(automaton.transitions)
    names = ("offered", "lonely", "unjoined", "unfiltered", "fired", "pairs", "scanned")
    found = {"matched": counters[:atoms]}
    table = counters[atoms : atoms + steps * len(names)].reshape(steps, len(names))
    found |= {name: table[:, number] for number, name in enumerate(names)}
    at = atoms + steps * len(names)
    states: dict[str, list[int]] = {name: [] for name in ("entered", "expired", "skipped", "deferred", "killed")}
    for state in automaton.states:
        for number, name in enumerate(("entered", "expired", "skipped")):
            states[name].append(int(counters[at + number]))
        at += 3
        for _ in state.guards:
            states["deferred"].append(int(counters[at]))
            states["killed"].append(int(counters[at + 1]))
            at += 2
    found |= {name: np.array(values, np.uint64) for name, values in states.items()}
    if not steps:
        found = {name: array for name, array in found.items() if name not in names}
    return found


def _history(automaton: Automaton, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Blocks say now whether they share rows, not where their words are."""
    events, blocks = _fields(arrays["events"], EVENT), _records(arrays["blocks"], BLOCK)
    slots = np.array([*automaton.slots, 0], np.int64)
    sizes = blocks["rows"] * slots[np.minimum(blocks["atom"], len(slots) - 1)]
    first = np.zeros(len(blocks), np.bool_)
    starts = events.pop("block") - arrays["firsts"].astype(np.uint64)[0]
    first[starts[starts < len(blocks)].astype(np.int64)] = True
    shared = np.zeros(len(blocks), np.uint8)
    shared[1:] = (blocks["word"][1:] == blocks["word"][:-1]) & (sizes[1:] > 0) & (sizes[:-1] > 0) & ~first[1:]
    return {
        **events, "atom": blocks["atom"].copy(), "rows": blocks["rows"].copy(), "shared": shared,
        "words": arrays[WORDS + "events"],
    }  # fmt: skip


def _staged(arrays: Arrays) -> dict[str, NDArray[Any]]:
    staged = _fields(arrays["staged"], STAGED)
    del staged["word"]  # they come one after the other
    picked = _records(arrays["staged picks"], np.dtype("<u4"))
    return {**staged, "picked": picked, "words": arrays[WORDS + "staged"]}


def _cells(automaton: Automaton, arrays: Arrays) -> dict[str, NDArray[Any]]:
    states = range(len(automaton.states))
    tables = [arrays[f"cells {state}"].astype(np.int64).reshape(-1, 5) for state in states]
    fired = [arrays[f"fired {state}"].astype(np.uint32).reshape(-1) for state in states]
    table = np.concatenate([np.zeros((0, 5), np.int64), *tables])
    return {
        "of state": np.array([len(one) for one in tables], np.uint32),
        "node": table[:, 0].astype(np.uint32),
        "deadline": table[:, 1],
        "rows": table[:, 2].astype(np.uint32),
        "fired": (table[:, 3] != 0).astype(np.uint8),
        "listed": table[:, 4].astype(np.uint32),
        "fired of state": np.array([len(one) for one in fired], np.uint32),
        "fired cells": np.concatenate([np.zeros(0, np.uint32), *fired]),
        "words": np.concatenate([np.zeros(0, np.uint64), *(arrays[f"{WORDS}cells {state}"] for state in states)]),
    }


def _deadlines(table: NDArray[Any]) -> dict[str, NDArray[Any]]:
    rows = table.astype(np.int64).reshape(-1, 3)
    return {"time": rows[:, 0], "state": rows[:, 1].astype(np.uint32), "cell": rows[:, 2].astype(np.uint32)}


def _seen(arrays: Arrays) -> dict[str, NDArray[Any]]:
    picks = arrays["seen picks"].astype(np.uint8).view(PICK)
    return {
        "picks": (arrays["seen sizes"] // PICK.itemsize).astype(np.uint32),
        "first": arrays["seen first"].astype(np.uint32),
        "atom": picks["atom"].astype(np.uint64),
        "event": picks["event"].copy(),
        "words": arrays[WORDS + "seen"],
    }


def upgraded_partitions(data: bytes, counters: Any) -> dict[str, NDArray[Any]]:
    """The columns of today's store of partitions; ``counters`` are of the shape of those of one matcher."""
    arrays = unpack(data)
    try:
        known = json.loads(arrays["known"].tobytes())
        clock = [known["clock"][name] for name in ("count", "position", "next")]
        return {
            "key words": arrays["keys"], "open": arrays["open"], "sizes": arrays["sizes"],
            "matchers": arrays["matchers"], "missed words": arrays["missed"], "positions": arrays["positions"],
            "clock": np.array(clock, np.int64), "matched": np.array(known["matched"], np.int64),
            "gone": numbers_like(known["gone"], counters),
        }  # fmt: skip
    except (LookupError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError("the partitions' part of the snapshot is incomplete") from error


def upgraded_totals(data: bytes) -> dict[str, NDArray[Any]]:
    """The columns of today's store of totals."""
    names = {}
    for name, array in unpack(data).items():
        kind, _, atom = name.partition(" ")
        names[f"{atom} {kind}" if atom else name] = array
    return names


def numbers_like(tree: Any, like: Any) -> NDArray[np.int64]:
    """``numbers_of`` of a JSON value, if it has the shape of another tree; ValueError."""
    if not _has_shape(tree, like):
        raise ValueError("the counters of the snapshot are of another query")
    return numbers_of(tree)


def _has_shape(tree: Any, like: Any) -> bool:
    if isinstance(like, dict):
        return isinstance(tree, dict) and tree.keys() == like.keys() and all(_has_shape(tree[a], like[a]) for a in like)
    if isinstance(like, list):
        return isinstance(tree, list) and len(tree) == len(like) and all(map(_has_shape, tree, like))
    return type(tree) is (str if isinstance(like, str) else int)
