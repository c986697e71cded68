"""What a long run gives back leaves the process."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

BETWEEN = """
from pathlib import Path
from spaseq.cli.allocator import give_back_large_blocks

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 >> 20

print(give_back_large_blocks())
bytearray(20 << 20)[:] = bytes(20 << 20)  # freed at once: glibc now keeps blocks of that size
begun, small, large = resident(), [], []
for number in range(20):
    large.append(bytearray(b"x") * (5 << 20))
    small.append(bytearray(3000))
del large
print(resident() - begun)
"""


def kept(**environment: str) -> tuple[str, int]:
    """Whether the allocator was told, and how many of 100 MB remain when they have been freed."""
    inherited = {name: value for name, value in os.environ.items() if "MALLOC" not in name and name != "GLIBC_TUNABLES"}
    done = subprocess.run(
        [sys.executable, "-c", BETWEEN], env=inherited | environment, capture_output=True, text=True, check=True
    )
    told, megabytes = done.stdout.split()
    return told, int(megabytes)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the allocator is not glibc's")
def test_large_blocks_are_given_back() -> None:
    told, megabytes = kept()
    assert told == "True"
    assert megabytes < 20


@pytest.mark.parametrize("name", ["MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"])
def test_settings_of_the_user_stand(name: str) -> None:
    assert kept(**{name: "100000000"})[0] == "False"
