"""What a long run gives back leaves the process; what a worker of Spark gives back is kept for its next batch."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

BETWEEN = """
from pathlib import Path
from spaseq.memory import {told}

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 >> 20

print({told}())
bytearray(20 << 20)[:] = bytes(20 << 20)  # freed at once: glibc now keeps blocks of that size
begun, small, large = resident(), [], []
for number in range(20):
    large.append(bytearray(b"x") * (5 << 20))
    small.append(bytearray(3000))
del large
print(resident() - begun)
"""


NEXT = """
from resource import RUSAGE_SELF, getrusage
from spaseq.memory import {told}

def batch():
    bytearray(20 << 20)[:] = bytes(20 << 20)

print({told}())
batch()
before = getrusage(RUSAGE_SELF).ru_minflt
for number in range(20):
    batch()
print((getrusage(RUSAGE_SELF).ru_minflt - before) * 4096 >> 20)
"""


def done(program: str, told: str, **environment: str) -> tuple[str, int]:
    """Whether the allocator was told, and the megabytes that the program prints."""
    inherited = {name: value for name, value in os.environ.items() if "MALLOC" not in name and name != "GLIBC_TUNABLES"}
    ended = subprocess.run(
        [sys.executable, "-c", program.replace("{told}", told)],
        env=inherited | environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    answer, megabytes = ended.stdout.split()
    return answer, int(megabytes)


of_glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the allocator is not glibc's")


@of_glibc
def test_large_blocks_are_given_back() -> None:
    told, remaining = done(BETWEEN, "give_back_large_blocks")
    assert told == "True"
    assert remaining < 20  # of 100


@of_glibc
def test_freed_blocks_are_kept_for_the_next_batch() -> None:
    told, new = done(NEXT, "keep_freed_blocks")
    assert told == "True"
    assert new < 80  # of 800


@pytest.mark.parametrize("name", ["MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"])
@pytest.mark.parametrize("told", ["give_back_large_blocks", "keep_freed_blocks"])
def test_settings_of_the_user_stand(name: str, told: str) -> None:
    assert done(BETWEEN, told, **{name: "100000000"})[0] == "False"
