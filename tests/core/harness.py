"""``harness.cpp``, compiled with assertions when it is first asked for, and its functions."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("harness.cpp")
NATIVE = Path(__file__).resolve().parents[2] / "nfa_native"
FLAGS = ["-std=c++17", "-O1", "-UNDEBUG", "-D_GLIBCXX_ASSERTIONS", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
SANITIZERS = ["-fsanitize=address,undefined"] if "libasan" in os.environ.get("LD_PRELOAD", "") else []
HANDLE, I64, U64 = ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint64
U32, SIZE = ctypes.c_uint32, ctypes.c_size_t
GIVES = {
    "ring_new": HANDLE, "ring_add": U32, "ring_at": I64, "ring_has": ctypes.c_int, "ring_count": U32, "ring_head": U32,
    "ring_tail": U32, "ring_room": SIZE, "table_new": HANDLE, "table_find": I64, "table_used": SIZE, "table_room": SIZE,
    "table_longest_run": SIZE, "ring_until_mark": U32, "zones_new": HANDLE, "zones_before": I64,
    "zones_size": SIZE, "zones_zone": ctypes.c_int, "skyline_new": HANDLE, "skyline_below_": I64, "skyline_count": SIZE,
    "plain_bytes_of": SIZE, "sliding_new": HANDLE, "sliding_total": U64, "sliding_count": SIZE, "sliding_used": SIZE,
}  # fmt: skip
TAKES = {
    "ring_new": (SIZE, U32), "ring_add": (HANDLE, I64), "ring_at": (HANDLE, U32), "ring_has": (HANDLE, U32),
    "ring_drop": (HANDLE, U32), "ring_mark": (HANDLE, I64), "ring_forget": (HANDLE, I64), "zones_new": (),
    "table_new": (), "table_open": (HANDLE, SIZE), "table_put": (HANDLE, U64, I64), "table_find": (HANDLE, U64),
    "table_sweep": (HANDLE, I64, U64),
    "zones_add": (HANDLE, I64, I64), "zones_know": (HANDLE, SIZE), "zones_strike": (HANDLE, SIZE),
    "zones_before": (HANDLE, I64, I64, I64, I64, ctypes.POINTER(ctypes.c_uint64)),
    "zones_size": (HANDLE, ctypes.c_int), "zones_zone": (HANDLE, ctypes.c_int, SIZE, ctypes.POINTER(I64)),
    "plain_bytes_of": (ctypes.c_char_p, SIZE),
    "skyline_new": (), "skyline_add": (HANDLE, I64, I64), "skyline_drop": (HANDLE, I64),
    "skyline_below_": (HANDLE, I64, I64), "sliding_new": (SIZE,), "sliding_expire": (HANDLE, I64),
    "sliding_feed": (HANDLE, ctypes.POINTER(U64), I64, I64, SIZE),
    "sliding_total": (HANDLE, SIZE, U32, I64, ctypes.POINTER(I64)),
}  # fmt: skip
KINDS = ("ring", "table", "zones", "skyline", "sliding")
OF_HANDLE = ("delete", "count", "head", "tail", "room", "until_mark", "clear", "used", "longest_run")


@cache
def library() -> Any:
    """All functions of the harness.  CalledProcessError: it does not compile."""
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "harness.so"
        command = [os.environ.get("CXX", "g++"), *FLAGS, *SANITIZERS, f"-I{NATIVE}", "-o", str(built), str(SOURCE)]
        subprocess.run(command, check=True, env=os.environ | {"LD_PRELOAD": ""})
        found = ctypes.CDLL(str(built))
    kinds = {f"{kind}_{what}": (HANDLE,) for kind in KINDS for what in OF_HANDLE}
    for name, takes in (kinds | TAKES).items():
        if hasattr(found, name):
            getattr(found, name).argtypes = takes
            getattr(found, name).restype = GIVES.get(name)
    return found


class Native:
    """An object of the harness; its methods are the functions named after its kind."""

    def __init__(self, kind: str, *arguments: int) -> None:
        self._kind, self._library = kind, library()
        self._handle = getattr(self._library, f"{kind}_new")(*arguments)

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._library, f"{self._kind}_{name}")
        return lambda *arguments: function(self._handle, *arguments)

    def __del__(self) -> None:
        getattr(self._library, f"{self._kind}_delete")(self._handle)
