"""The stub of the enums of automata lists what ``kinds.pxd`` says."""

from __future__ import annotations

import ast
from enum import IntEnum
from pathlib import Path

from nfa_native.automata import kinds

STUB = Path(__file__).parents[2] / "nfa_native" / "automata" / "kinds.pyi"


def test_the_stub_has_the_numbers_of_the_enums() -> None:
    listed = {
        one.name: {line.targets[0].id: line.value.value for line in one.body}  # type: ignore[attr-defined]
        for one in ast.parse(STUB.read_text(encoding="utf-8")).body
        if isinstance(one, ast.ClassDef)
    }
    enums = [one for one in vars(kinds).values() if isinstance(one, type) and issubclass(one, IntEnum)]
    assert listed == {
        one.__name__: {member.name: member.value for member in one} for one in enums if one is not IntEnum
    }
