"""No reference to a C++ string outlives it: Cython makes one of ``"…" if … else "…"`` where a ``string`` is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OF_A_TEMPORARY = re.compile(r"__pyx_t_\d+ = \(\(std::string const &\)\"")


def generated() -> Iterator[Path]:
    """The C++ that Cython has made."""
    for package in ("gpm", "nfa_native"):
        yield from sorted((ROOT / package).rglob("*.cpp"))


def test_no_reference_is_one_to_a_temporary() -> None:
    files = [*generated()]
    assert len(files) > 20
    assert [str(path) for path in files if OF_A_TEMPORARY.search(path.read_text(encoding="utf-8"))] == []


def test_such_a_reference_is_seen() -> None:
    assert OF_A_TEMPORARY.search('    __pyx_t_1 = ((std::string const &)"<");\n')
