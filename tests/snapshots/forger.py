"""Forged snapshots: numbers in their stores changed to what a reader may stumble over, and a digest that fits."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nfa_native.core import archive
from spaseq.runtime.snapshot.container import GRAPHS

DIGEST = 32
ARCHIVE = b"SPAR"
Stores = dict[str, tuple[int, dict[str, NDArray[Any]]]]


def signed(body: bytes) -> bytes:
    """With a digest that fits."""
    return body + hashlib.sha256(body).digest()


def forged(data: bytes, choose: random.Random) -> bytes:
    """Some columns of some stores of a sound snapshot changed, or values of its header."""
    header, sections = GRAPHS.unpack(data)
    stores = [name for name in sorted(sections) if sections[name][:4] == ARCHIVE]
    for _ in range(choose.choice((1, 1, 1, 2, 3, 5))):
        if choose.randrange(4) == 0:
            change_header(header, choose)
        else:
            name = choose.choice(stores)
            sections[name] = forged_archive(sections[name], choose)
    return GRAPHS.pack(header, sections)


def mutated(data: bytes, choose: random.Random) -> bytes:
    """Bytes changed, removed or doubled anywhere, the digest made again."""
    body = bytearray(data[:-DIGEST])
    for _ in range(choose.choice((1, 1, 2, 4, 16))):
        place, kind = choose.randrange(len(body) or 1), choose.randrange(6 if body else 3)
        if kind == 0:
            del body[place : place + choose.choice((1, 2, 4, 8, 100))]
        elif kind == 1:
            body[place:place] = body[place : place + choose.choice((1, 4, 8, 64))]
        elif kind == 2:
            size = choose.choice((1, 2, 4, 8))
            body[place : place + size] = choose.choice((b"\xff" * size, bytes(size), choose.randbytes(size)))
        else:
            body[place] ^= 1 << choose.randrange(8)
    return signed(bytes(body))


def forged_archive(data: bytes, choose: random.Random) -> bytes:
    """A column changed, also of an archive that lies in a column."""
    stores = archive.unpack(data)
    named = [(store, name) for store, (_, columns) in sorted(stores.items()) for name in sorted(columns)]
    if not named:
        return data
    filled = [(store, name) for store, name in named if stores[store][1][name].size]
    store, name = choose.choice(filled if filled and choose.randrange(8) else named)
    columns = stores[store][1]
    if columns[name].tobytes()[:4] == ARCHIVE and choose.randrange(8):
        columns[name] = _forged_inner(columns, name, choose)
    elif choose.randrange(3) == 0:
        _change_rows(columns, name, choose)
    else:
        columns[name] = other_numbers(columns[name], choose)
    if choose.randrange(50) == 0:
        del columns[name]
    if choose.randrange(50) == 0:
        stores[store] = (choose.choice((0, 2, 9)), columns)
    return archive.pack(stores)


def _forged_inner(columns: dict[str, NDArray[Any]], name: str, choose: random.Random) -> NDArray[Any]:
    """Archives one after the other, of the sizes in another column, or one alone: one of them forged."""
    data = columns[name].tobytes()
    sizes = columns["sizes"].tolist() if "sizes" in columns else [len(data)]
    which = choose.randrange(len(sizes))
    start = sum(sizes[:which])
    inner = forged_archive(data[start : start + sizes[which]], choose)
    if "sizes" in columns:
        columns["sizes"] = np.array([*sizes[:which], len(inner), *sizes[which + 1 :]], np.int64)
    return np.frombuffer(data[:start] + inner + data[start + sizes[which] :], np.uint8)


def _change_rows(columns: dict[str, NDArray[Any]], name: str, choose: random.Random) -> None:
    """Another length, in this column, or in all that are as long: records removed, doubled or in another order."""
    length = len(columns[name])
    order = list(range(length))
    kind = choose.randrange(4)
    if kind == 0:
        del order[choose.randint(0, length) :]
    elif kind == 1 and order:
        order.append(choose.choice(order))
    elif kind == 2 and order:
        del order[choose.randrange(length)]
    else:
        choose.shuffle(order)
    alike = [one for one, array in columns.items() if len(array) == length]
    for one in alike if choose.randrange(2) else [name]:
        columns[one] = columns[one][order]


def other_numbers(array: NDArray[Any], choose: random.Random) -> NDArray[Any]:
    """Some numbers changed: by little, to those of others, or to the ends of what they can be."""
    changed = array.copy()
    flat = changed.reshape(-1)
    if not flat.size:
        return np.append(array, array[:0])
    ends = np.iinfo(array.dtype)
    for _ in range(choose.choice((1, 1, 2, 8))):
        place = choose.randrange(flat.size)
        old, other = int(flat[place]), int(flat[choose.randrange(flat.size)])
        values = (
            old + 1, old - 1, old + 2, other, other + 1, 0, 1, 2, ends.max, ends.min, ends.max // 2, ends.max // 2 + 1,
            old + (1 << choose.randrange(ends.bits)), choose.randrange(flat.size + 2), choose.randrange(256),
        )  # fmt: skip
        value = choose.choice(values)
        flat[place] = min(max(value, ends.min), ends.max)
    return changed


def change_header(value: Any, choose: random.Random) -> None:
    """A value somewhere in JSON."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = choose.choice(keys)
        if isinstance(value[key], dict | list) and value[key] and choose.randrange(20):
            value = value[key]
            continue
        value[key] = _other(value[key], choose)
        return


def _other(value: Any, choose: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        ends = (0, 1, -1, value + 1, value - 1, 2**31, 2**32, 2**62, 2**63 - 1, -(2**63), 2**64, 10**30)
        return choose.choice(ends)
    if isinstance(value, list):
        return choose.choice((value[:-1], [*value, *value[:1]], [], value[::-1]))
    return choose.choice(("", "x", "A", "0x0", "0xff", "0", "1", "5", None, 0, [], {}))
