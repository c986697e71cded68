"""A process in which allocations of the native code fail one after the other: see ``injector.cpp``.

    python -m tests.allocations.injection NAME FIRST LAST STEP MODE

is that process; it prints what became of each failure as JSON.  ``tried`` starts it, with the injector preloaded.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("injector.cpp")
OURS = ("nfa_native/", "gpm/native/")
SINGLE, LASTING = "single", "lasting"  # one allocation fails, or all from it on

# What becomes of a run in which an allocation failed.
ERROR = "error"  # there was an error, the only one that is right
HARMLESS = "harmless"  # the result is the right one
WRONG = "wrong result"
OTHER = "another error"
USABLE = "usable afterwards"
NOISE = "more on standard error"
VERDICTS = (ERROR, HARMLESS, WRONG, OTHER, USABLE, NOISE)
GOOD = (ERROR, HARMLESS)
FIRST_CODE = 40  # exit code of the first verdict


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of failures: how many allocations the run has, how often what happened, and where what must not."""

    allocations: int
    verdicts: dict[str, int]
    bad: dict[int, str]  # number of the allocation: what happened


@cache
def injector() -> Path | None:
    """The compiled injector; None: it cannot be had here (no GNU system, no compiler)."""
    compiler = os.environ.get("CXX", "g++")
    if not sys.platform.startswith("linux") or shutil.which(compiler) is None:
        return None
    built = ROOT / "build" / "allocations" / "injector.so"
    if not built.exists() or built.stat().st_mtime < SOURCE.stat().st_mtime:
        built.parent.mkdir(parents=True, exist_ok=True)
        fresh = built.with_suffix(f".{os.getpid()}")
        command = [compiler, "-std=c++17", "-O2", "-shared", "-fPIC", "-o", str(fresh), str(SOURCE)]
        if subprocess.run(command, capture_output=True).returncode:
            return None
        fresh.replace(built)
    return built


def tried(name: str, first: int, last: int, step: int = 1, mode: str = SINGLE, deadline: int = 600) -> Tried:
    """Let the allocations ``first``, ``first + step`` … up to ``last`` of a run fail, each in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, name, *map(str, (first, last, step)), mode]
    environment = os.environ | {"LD_PRELOAD": str(injector()), "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=deadline)
    if done.returncode:
        raise AssertionError(f"{name} does not run to its end: {done.returncode}\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return Tried(found["allocations"], found["verdicts"], {int(n): what for n, what in found["bad"].items()})


# ── in the process ───────────────────────────────────────────────────────────────────────────────────────────────────


def ranges() -> Iterator[tuple[int, int, bool]]:
    """Where the code of modules lies: begin, end, and whether it is not ours but works for us."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        parts = line.split(maxsplit=5)
        if len(parts) == 6 and "x" in parts[1]:
            begin, end = (int(part, 16) for part in parts[0].split("-"))
            path = Path(parts[5])
            if path.is_relative_to(ROOT) and str(path.relative_to(ROOT)).startswith(OURS):
                yield begin, end, False
            elif path.name.startswith("libstdc++"):
                yield begin, end, True


def loaded() -> ctypes.CDLL:
    """The injector of this process, which watches the modules that are loaded."""
    library = ctypes.CDLL(None)
    library.injector_watch.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    library.injector_arm.argtypes = [ctypes.c_long] * 3 + [ctypes.c_int, ctypes.c_void_p]
    library.injector_disarm.restype = ctypes.c_long
    for begin, end, passes in ranges():
        library.injector_watch(begin, end, passes)
    return library


def standard_error() -> bytes:
    """What a child has written there since its allocation failed."""
    size = os.lseek(2, 0, os.SEEK_CUR)
    return os.pread(2, size, 0)


def ended(status: int) -> str:
    """What became of a child, by its status."""
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    code = os.waitstatus_to_exitcode(status) - FIRST_CODE
    return VERDICTS[code] if 0 <= code < len(VERDICTS) else f"exit code {code + FIRST_CODE}"


def main(name: str, first: int, last: int, step: int, forever: bool) -> None:
    """Try the allocations of the run of that name."""
    from tests.allocations.runs import case

    run = case(name)
    wanted = run.go()  # all is imported and cached, and this is what must come out
    library = loaded()
    statuses = (ctypes.c_int * (last - first + 1))()
    library.injector_arm(first, last, step, forever, ctypes.addressof(statuses))
    try:
        found = run.go()
    except BaseException as error:
        found = error
    allocations = library.injector_disarm()
    if library.injector_is_child():
        os._exit(FIRST_CODE + VERDICTS.index(run.verdict(found, wanted, standard_error())))
    if found != wanted:
        raise AssertionError(f"the run gives other results the second time: {found!r:.300}")
    ends = {first + at: ended(statuses[at]) for at in range(0, min(last, allocations) - first + 1, step)}
    bad = {number: what for number, what in ends.items() if what not in GOOD}
    print(json.dumps({"allocations": allocations, "verdicts": Counter(ends.values()), "bad": bad}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5] == LASTING)
