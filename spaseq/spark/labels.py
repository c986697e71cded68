"""Labels for the engines of a job, such that each of Spark's shuffle partitions gets equally many of them.

Spark puts a row into the partition that Murmur3 gives for its key: chosen at will, few keys fall unevenly.
"""

from __future__ import annotations

from collections.abc import Sequence

SEED = 42  # of Spark's HashPartitioning
MASK = 0xFFFFFFFF


def labels(engines: int, partitions: int) -> tuple[int, ...]:
    """A label for each engine, all different; that of engine n falls into partition n mod ``partitions``."""
    waiting = {partition: list(range(partition, engines, partitions)) for partition in range(min(engines, partitions))}
    found = [0] * engines
    candidate = 0
    while waiting:
        partition = partition_of(candidate, partitions)
        if partition in waiting:
            found[waiting[partition].pop(0)] = candidate
            if not waiting[partition]:
                del waiting[partition]
        candidate += 1
    return tuple(found)


def partition_of(label: int, partitions: int) -> int:
    """Where Spark puts rows whose key is this integer (of 32 bits)."""
    return _signed(murmur3(label)) % partitions


def murmur3(value: int, seed: int = SEED) -> int:
    """Murmur3 (x86, 32 bits) of an integer of 32 bits, as Spark has it."""
    mixed = (value * 0xCC9E2D51) & MASK
    mixed = (_rotated(mixed, 15) * 0x1B873593) & MASK
    mixed = (_rotated(seed ^ mixed, 13) * 5 + 0xE6546B64) & MASK ^ 4
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = ((mixed ^ (mixed >> shift)) * factor) & MASK
    return mixed ^ (mixed >> 16)


def numbers_of(found: Sequence[int]) -> dict[int, int]:
    """The engine of each label."""
    return {label: number for number, label in enumerate(found)}


def _rotated(value: int, places: int) -> int:
    return ((value << places) | (value >> (32 - places))) & MASK


def _signed(value: int) -> int:
    return value - (1 << 32) if value >= 1 << 31 else value
