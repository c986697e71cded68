"""Every process has secrets of its own for its hash tables; nothing that can be seen depends on them."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest

SEEDS = ("1", "2", "3000")

CASES = """
import sys
from tests.cases.loader import cases
from tests.cases.runner import at_once, with_snapshots
step = int(sys.argv[1])
for number, case in enumerate(cases()):
    if number % step == 0:
        print(case.label, at_once(case), with_snapshots(case) if number % (3 * step) == 0 else "")
"""

TUPLES = """
import pyarrow
from spaseq.tuples import match
rows = [{"type": "AAB"[n % 3], "x": n * 7919 % 64 << 40, "p": n * 31 % 5 << 50} for n in range(400)]
table = pyarrow.Table.from_pylist(rows)
for query in (
    "SELECT * FROM S WHERE A AS a ; B AS b FILTER b[x = a.x] PARTITION BY p WITHIN 400 EVENTS",
    "SELECT a.x, COUNT(*) AS n FROM S WHERE A AS a ; B AS b PARTITION BY p WITHIN 20 EVENTS GROUP BY a.x",
    "SELECT * FROM S WHERE A AS a ; B AS b PARTITION BY p, x WITHIN 300 EVENTS",
):
    print(match(query, table).to_arrow().to_pylist())
"""

HALF = '''
import sys
import spaseq
QUERY = """
SELECT ?k ?v ?w (COUNT(*) AS ?n) WITHIN 1 HOURS SLIDING FROM STREAM s <urn:s>
WHERE { SEQ(A ; B) DEFINE GPM A ON s { ?e <urn:k> ?k ; <urn:v> ?v } DEFINE GPM B ON s { ?f <urn:k> ?k ; <urn:w> ?w } }
GROUP BY ?k ?v ?w
"""
def event(n):
    letter, key = "vw"[n % 2], n * 7919 % 13
    return f'_:x <urn:k> "key {key}" . _:x <urn:{letter}> {n % 5 << 61 if n % 3 else n % 7} .'.encode()
def show(matches):
    for one in matches:
        print(one.microseconds.decided, sorted((k, str(v)) for k, v in one.bindings.items()))
data = sys.stdin.buffer.read()
if data:
    engine, numbers = spaseq.Engine.restore(data, [QUERY]), range(150, 300)
else:
    engine, numbers = spaseq.Engine(lateness=10), range(150)
    engine.register(QUERY)
for number in numbers:
    show(engine.push("s", event(number), 10 * number))
if data:
    show(engine.close())
else:
    sys.stdout.flush()
    sys.stdout.buffer.write(b"SNAPSHOT" + engine.snapshot())
'''


def ran(program: str, seed: str, given: bytes = b"", argument: str = "") -> bytes:
    """What a program prints in a process with these secrets."""
    environment = os.environ | {"PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", program, argument]
    return subprocess.run(command, input=given, env=environment, check=True, capture_output=True, timeout=600).stdout


@pytest.mark.parametrize("step", ["24", pytest.param("1", marks=pytest.mark.deep)])
def test_results_of_the_cases(step: str) -> None:
    """In their order, which is that of decision."""
    first, *others = [ran(CASES, seed, argument=step) for seed in SEEDS]
    assert first.count(b"\n") > 100 / int(step)
    assert others == [first, first]


def test_results_on_tuples() -> None:
    first, *others = [ran(TUPLES, seed) for seed in SEEDS]
    assert b"[]" not in first
    assert others == [first, first]


@cache
def half(seed: str) -> tuple[bytes, bytes]:
    """What was printed until a snapshot was taken, and the snapshot."""
    printed, _, snapshot = ran(HALF, seed).partition(b"SNAPSHOT")
    return printed, snapshot


def test_a_snapshot_is_the_same_in_every_process() -> None:
    assert len({half(seed) for seed in SEEDS}) == 1


def test_a_snapshot_goes_on_where_other_secrets_are() -> None:
    _, snapshot = half("1")
    first, *others = [ran(HALF, seed, snapshot) for seed in SEEDS]
    assert first.count(b"\n") > 10
    assert others == [first, first]


SHOW = """
from nfa_native.events.columns import Numbering
import numpy as np
numbering = Numbering()
numbering.number(np.arange(10_000) << 7)
print(numbering.longest_run())
"""


def test_the_secrets_come_from_pythonhashseed() -> None:
    """Equal seeds give equal tables, others give others: so what a seed shows can be shown again."""
    runs = [ran(SHOW, seed) for seed in ("5", "5", "6", "7", "8")]
    assert runs[0] == runs[1]
    assert len(set(runs)) > 1
