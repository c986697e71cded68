"""No structure allocates as it is made: those of Cython's classes are made where a failed allocation ends the process.

Other allocations are made within doors (``core/guard.pxd``), which raise MemoryError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEMBER = re.compile(
    r"^ {4}(?:mutable )?std::(?:deque<.*;|(?:vector|string|map|set)\b.*\w ?(?:= )?\{[^}]+\};)", re.MULTILINE
)


def headers() -> Iterator[Path]:
    for package in ("gpm", "nfa_native"):
        yield from sorted((ROOT / package).rglob("*.hpp"))


def structures(text: str) -> Iterator[str]:
    """What stands between the braces of structures."""
    for found in re.finditer(r"^struct \w+[^;{]*\{\n(.*?)^\};", text, re.M | re.S):
        yield found[1]


def offences(text: str) -> list[str]:
    """Members whose default allocates."""
    return [found[0].strip() for body in structures(text) for found in MEMBER.finditer(body)]


def test_no_member_allocates_as_it_is_made() -> None:
    files = [*headers()]
    assert len(files) > 50
    assert {str(path): found for path in files if (found := offences(path.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize(
    "member",
    ["std::vector<int64_t> offsets{0};", "std::vector<uint8_t> opens = {1};", "std::deque<int> waiting;"],
)
def test_an_offence_is_seen(member: str) -> None:
    assert offences(f"struct One {{\n    int a = 0;\n    {member}\n}};\n")


@pytest.mark.parametrize(
    "member", ["std::vector<int64_t> offsets;", "std::vector<int> of() const {", "int a[2] = {0};"]
)
def test_others_are_none(member: str) -> None:
    assert not offences(f"struct One {{\n    {member}\n}};\n")
