"""What is pasted into a Cython module by ``include`` could stand there in any order.

Cython declares all functions of a module before it writes their bodies; types and constants it must have met before
they are used, and what a statement does happens where it stands.  So a ``.pxi`` has definitions only, and what it
defines but functions is used in itself alone, or it is the first one of its module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(path for room in ("nfa_native", "gpm/native") for path in (ROOT / room).rglob("*.pyx"))
INCLUDE = re.compile(r'^include "(.+)"', re.MULTILINE)
TEXT = re.compile(r'""".*?"""|b?"(?:\\.|[^"\\])*"|\bb?c?\'(?:\\.|[^\'\\])*\'|#[^\n]*', re.DOTALL)
DEFINITION = re.compile(
    r"(?:cdef |cpdef )?(?:enum\b|struct\b|union\b|cppclass\b|class\b|extern\b|packed struct\b)|ctypedef\b|@|\)|def\b"
    r"|(?:cdef|cpdef)\b[^=]*\("
)
VALUE = re.compile(r"cdef [\w *]+\b\w+ =(?: [\w<>]+\s*<<\s*\d+| -?[\d.xXA-Fa-f]+)?$")
TYPE = re.compile(r"^(?:cdef |cpdef )?(?:struct|union|cppclass|class) (\w+)|^ctypedef [^(\n]*\b(\w+)$", re.MULTILINE)
POINTER = re.compile(r"^ctypedef .*?\(\*(\w+)\)", re.MULTILINE)
ENUM = re.compile(r"^cdef enum( \w+)?:\n((?:    .*\n|\n)+)", re.MULTILINE)
VARIABLE = re.compile(r"^cdef [\w *]+\b(\w+) =", re.MULTILINE)


def bare(text: str) -> str:
    """Code without comments, and with nothing in quotes."""
    return re.sub(r"[ \t]+$", "", TEXT.sub("", text), flags=re.MULTILINE)


def statements(text: str) -> Iterator[str]:
    """Lines of the module itself that are no definition, nor a variable with a plain value."""
    for line in bare(text).splitlines():
        if line and not line[0].isspace() and not DEFINITION.match(line) and not VALUE.match(line):
            yield line


def named(text: str) -> set[str]:
    """What is defined but functions: types, constants and variables."""
    code = bare(text) + "\n"
    constants = (line.split("=")[0].strip(" ,\t") for found in ENUM.findall(code) for line in found[1].splitlines())
    names = {name for found in TYPE.findall(code) for name in found if name} | set(POINTER.findall(code))
    names |= {found[0].strip() for found in ENUM.findall(code)} | set(VARIABLE.findall(code)) | set(constants)
    return names - {""}


def shared(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """What a .pxi but the first one defines that another one uses, by the file that defines it."""
    used = {name: set(re.findall(r"\w+", bare(text))) for name, text in texts.items()}
    found = {}
    for name in list(texts)[1:]:
        others = set().union(*(words for other, words in used.items() if other != name))
        if names := named(texts[name]) & others:
            found[name] = names
    return found


def included(module: Path) -> dict[str, str]:
    """The texts that a module includes, in their order."""
    names: Sequence[str] = INCLUDE.findall(module.read_text(encoding="utf-8"))
    return {name: (module.parent / name).read_text(encoding="utf-8") for name in names}


@pytest.mark.parametrize("module", [path for path in MODULES if included(path)], ids=lambda path: path.stem)
def test_no_order_of_what_is_included_matters(module: Path) -> None:
    texts = included(module)
    assert {name: list(statements(text)) for name, text in texts.items() if list(statements(text))} == {}
    assert shared(texts) == {}


def test_every_file_that_can_be_included_is_included_once() -> None:
    pasted = [module.parent / name for module in MODULES for name in included(module)]
    assert sorted(pasted) == sorted(
        path for room in ("nfa_native", "gpm/native") for path in (ROOT / room).rglob("*.pxi")
    )


@pytest.mark.parametrize(
    "statement", ["print(1)", "TABLE = list(range(3))", "cdef object known = {}", "cdef int two = ONE + 1", "if True:"]
)
def test_a_statement_is_seen(statement: str) -> None:
    assert list(statements(f"# A table.\ncdef int one() noexcept nogil:\n    return 1\n{statement}\n")) == [statement]


@pytest.mark.parametrize(
    "definition",
    [
        "cdef struct Used:\n    int x",
        "cdef enum:\n    Used = 1",
        "ctypedef pair[int, int] Used",
        "ctypedef void (*Used)(int x) noexcept nogil",
        "cdef cppclass Used:\n    int x",
        "cdef class Used:\n    pass",
        "cdef int Used = 3",
    ],
)
def test_a_type_or_a_constant_that_another_file_uses_is_seen(definition: str) -> None:
    used = "cdef void use(Used* one) noexcept nogil:\n    pass\n"
    assert shared({"records": "", "one": f"{definition}\n", "other": used}) == {"one": {"Used"}}
    assert shared({"records": f"{definition}\n", "one": "", "other": used}) == {}
    assert shared({"records": "", "one": f"{definition}\n", "other": "# Used by nobody\n"}) == {}
