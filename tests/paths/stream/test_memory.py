"""Memory follows the window, not the stream: all nodes, predicates and edges are fresh."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import numpy as np
import pyarrow
from pathlib import Path
from spaseq.paths import EdgeStream

def resident():
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024

BATCH, WINDOW = 10_000, 20_000
queries = (
    'QUERY one FROM LABEL "hub" ANY SHORTEST !()+ '
    'QUERY near FROM LABEL "hub" ALL SHORTEST (!()|^!()){1,3} '
    'QUERY never FROM LABEL "hub" ALL TRAIL :never/:never'
)
stream, memory = EdgeStream(queries, WINDOW, named=True), []
for first in range(0, 60 * BATCH, BATCH):
    numbers = np.arange(first, first + BATCH)
    table = pyarrow.table({
        "subject": ["hub" if n % 97 == 0 else f"node {n - 1}" for n in numbers],
        "relation": [f"relation {n // 7}" for n in numbers],
        "object": [f"node {n}" for n in numbers],
    })
    found = len(stream.push_table(numbers, table))
    assert found > BATCH / 2 and len(stream) <= WINDOW + 1
    memory.append(resident())
print(round(memory[19], 1), round(max(memory[20:]), 1))
"""


def test_memory_does_not_grow_with_the_stream() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    warm, most = map(float, done.stdout.split())
    assert most < 1.1 * warm + 10
