"""What the build of the native code finds out for itself: the numbers of enums, and which headers a module depends
on.

An enum that Python, Cython and C++ know is written once, in a Python module of ``ENUMS``.  Beside it are written a
header and its Cython declarations, which git ignores.
"""

from __future__ import annotations

import os
import re
import runpy
from collections.abc import Iterator, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any

ENUMS = (Path("nfa_native/automata/kinds.py"), Path("nfa_native/terms/operations.py"))
KEYWORDS = {"IF"}  # of Cython, where a member called so has a _ behind its name
INCLUDED = re.compile(r'^\s*#include "(.+)"', re.MULTILINE)


def write_enums() -> None:
    """The headers and declarations of all modules of ``ENUMS``; those that say the same already are left alone."""
    for module in ENUMS:
        known = runpy.run_path(str(module))
        _write(module.with_suffix(".hpp"), "\n".join(_header(module, known)))
        _write(module.with_suffix(".pxd"), "\n".join(_declarations(module, known)))


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _enums(known: Mapping[str, Any]) -> Iterator[type[IntEnum]]:
    for one in known.values():
        if isinstance(one, type) and issubclass(one, IntEnum) and one is not IntEnum:
            yield one


def _numbers(known: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    return ((name, one) for name, one in known.items() if name.isupper() and type(one) is int)


def _header(module: Path, known: Mapping[str, Any]) -> Iterator[str]:
    yield f"// Written by setup.py from {module.as_posix()}.\n#pragma once\n\n#include <cstddef>\n#include <cstdint>\n"
    yield f"namespace spaseq::{module.stem} {{\n"
    for enum in _enums(known):
        yield f"enum class {enum.__name__} : uint32_t {{"
        yield from (f"    {_native_name(member)} = {member.value}," for member in enum)
        yield "};\n"
    yield from (f"constexpr size_t {name} = {value};" for name, value in _numbers(known))
    yield f"\n}}  // namespace spaseq::{module.stem}\n"


def _declarations(module: Path, known: Mapping[str, Any]) -> Iterator[str]:
    header = module.with_suffix(".hpp").as_posix()
    yield f"# cython: language_level=3\n# Written by setup.py from {module.as_posix()}.\n"
    yield "from libc.stdint cimport uint32_t\n"
    yield f'cdef extern from "{header}" namespace "spaseq::{module.stem}":'
    for enum in _enums(known):
        yield f"    enum class {enum.__name__}(uint32_t):"
        yield from (f"        {_native_name(member)}" for member in enum)
    yield from (f"    const size_t {name}" for name, _ in _numbers(known))
    yield ""


def _native_name(member: IntEnum) -> str:
    return f"{member.name}_" if member.name in KEYWORDS else member.name


def headers_of(source: Path) -> list[str]:
    """The headers of ours that a C++ file includes, and those that they include: from the root."""
    waiting, found = [source], set[Path]()
    while waiting:
        new = set(_included_by(waiting.pop())) - found
        found |= new
        waiting += new
    return sorted(one.as_posix() for one in found)


def _included_by(source: Path) -> Iterator[Path]:
    """By a path from the root or from its own folder."""
    for name in INCLUDED.findall(source.read_text(encoding="utf-8")):
        for folder in (Path(), source.parent):
            place = Path(os.path.normpath(folder / name))
            if place.is_file():
                yield place
