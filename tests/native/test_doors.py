"""C++ exceptions have a way out of the native code: what Python calls calls what may throw through a door.

``nfa_native/core/guard.pxd`` says what doors are.  A function that raises Python exceptions (``def``, or without
``noexcept``), or that takes the GIL, holds references, so no C++ exception may pass it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for room in ("nfa_native", "gpm/native") for path in (ROOT / room).rglob("*.p[yx][xdi]"))
HEADERS = sorted((ROOT / "nfa_native").rglob("*.hpp"))
IN_HEADER = re.compile(
    r"^ *(?:static )?(?:inline )?(?:void|bool|u?int\w+|size_t) (\w+)\([^{;]*\) (?:const )?(noexcept )?\{", re.MULTILINE
)
BEGIN = re.compile(r"( *)(?:def|cdef|cpdef) (?!class |enum|struct|extern|cppclass)")
NAME = re.compile(r"(\w+)(?:\[[^\]]*\])?\(")
CALL = re.compile(r"(?<![\w.])(\w+)\(")
THROWS = re.compile(
    r"\.(?:push_back|emplace_back|resize|assign|insert|append|reserve)\("
    r"|\bout_of_memory\(|\brequire\(|\ballocated\(|\bnew [A-Z]"
)
PYTHON = re.compile(r"\.(?:append|insert)\(")  # lists have these, too
NEVER = {"append", "encode", "build", "slot_of", "is_wanted", "read_triple", "add_step", "concatenate", "join", "reach"}


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a native module: its body without comments and texts, by the numbers of its lines."""

    path: str
    name: str
    is_native: bool  # no exception of Python's leaves it, and it does not take the GIL
    lines: dict[int, str]

    def calls(self) -> set[str]:
        """Functions that it calls itself, not through a door."""
        return {name for line in self.lines.values() for name in CALL.findall(line)}


def bare(line: str) -> str:
    """A line without its comment and without what stands in quotes."""
    return re.sub(r'"[^"]*"', '""', line).split("#")[0].rstrip()


def indent(line: str) -> int:
    """How many blanks it begins with."""
    return len(line) - len(line.lstrip())


def functions(path: Path) -> Iterator[Function]:
    """All functions of a file."""
    lines = path.read_text().splitlines()
    at = 0
    while at < len(lines):
        found, at = BEGIN.match(lines[at]), at + 1
        if found is None:
            continue
        head = bare(lines[at - 1])
        while head.count("(") > head.count(")"):
            head, at = head + bare(lines[at]), at + 1
        if not head.endswith(":") or (name := NAME.search(head)) is None:
            continue
        end = at
        while end < len(lines) and (
            not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > len(found[1])
        ):
            end += 1
        is_native = "noexcept" in head and "with gil" not in head
        body = {number + 1: bare(lines[number]) for number in range(at, end)}
        yield Function(str(path.relative_to(ROOT)), name[1], is_native, body)


@pytest.fixture(scope="module")
def all_functions() -> list[Function]:
    return [function for path in SOURCES for function in functions(path)]


@pytest.fixture(scope="module")
def in_headers() -> set[str]:
    """The names of functions and methods of the headers that may throw."""
    defined = [found for path in HEADERS for found in IN_HEADER.findall(path.read_text())]
    return {name for name, cannot in defined if not cannot}


@pytest.fixture(scope="module")
def throwing(all_functions: list[Function], in_headers: set[str]) -> set[str]:
    """The names of native functions that may throw, themselves or by others."""
    native = [function for function in all_functions if function.is_native]
    methods = re.compile(rf"\.(?:{'|'.join(in_headers)})\(")
    found = {
        each.name for each in native if any(THROWS.search(line) or methods.search(line) for line in each.lines.values())
    }
    found |= in_headers
    while more := {each.name for each in native if each.calls() & found} - found:
        found |= more
    return found - NEVER


def test_only_doors_lead_to_functions_that_may_throw(all_functions: list[Function], throwing: set[str]) -> None:
    assert len(throwing) > 200
    wrong = [
        f"{each.path}:{number}: {name} may throw"
        for each in all_functions if not each.is_native
        for number, line in each.lines.items()
        for name in CALL.findall(line) if name in throwing
    ]  # fmt: skip
    assert wrong == []


def test_only_safe_methods_let_containers_grow_where_references_are_held(all_functions: list[Function]) -> None:
    wrong = [
        f"{each.path}:{number}: {line.strip()}"
        for each in all_functions if not each.is_native
        for number, line in each.lines.items() if THROWS.search(line) and not PYTHON.search(line)
    ]  # fmt: skip
    assert wrong == []


def test_native_functions_use_no_method_that_asks_for_the_gil(all_functions: list[Function]) -> None:
    assert [
        each for each in all_functions if each.is_native and any(".safe_" in line for line in each.lines.values())
    ] == []


def test_containers_are_ours() -> None:
    assert [path.name for path in SOURCES if "libcpp" in path.read_text()] == []


def test_native_functions_do_not_use_new(all_functions: list[Function]) -> None:
    """Cython catches what it throws, and goes on: ``fresh`` does not."""
    lines = [(each, line) for each in all_functions for line in each.lines.values()]
    assert [each.name for each, line in lines if re.search(r"\bnew [A-Z]", line)] == []
