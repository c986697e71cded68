"""The kernel's loops hold no Python: every ``noexcept nogil`` function is looked at in the C++ that Cython makes of it.

The annotated HTML shows the same by colour, but colours C++ containers as well; the code itself is exact.  Tolerated is
only what runs after a C++ exception (memory that cannot be had): Cython catches it around ``push_back`` and the like,
turns it into a Python error (``__Pyx_CppExn2PyErr``) and reports it.  Nothing of it runs otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from Cython.Compiler.Main import CompilationOptions, compile_single
from Cython.Compiler.Options import get_directive_defaults

pytestmark = pytest.mark.xdist_group("annotation")  # each worker would make all of it again
ROOT = Path(__file__).parents[2]
DIRECTIVES = {"boundscheck": False, "wraparound": False, "cdivision": True, "initializedcheck": False}
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for room in ("nfa_native", "gpm/native")
    for path in (ROOT / room).rglob("*.pyx")
)
MATCHER = "nfa_native.joins.matcher"
SOLVER = "gpm.native.solver"
DEFINED = re.compile(
    r"^ *cdef (?:inline )?[\w.\[\], *]*?(\w+)\s*\((?:[^()]|\([^()]*\))*\) noexcept nogil:", re.MULTILINE
)
CALL = re.compile(r"\b(?:Py[A-Z]\w*|_?Py_[A-Z]\w*|__Pyx_\w+|__PYX_\w+)\s*\(")
HARMLESS = re.compile(
    r"__Pyx_div_\w+\s*\(|__Pyx_mod_\w+\s*\(|__PYX_STD_MOVE\w*\s*\(|Py_UNREACHABLE\s*\(|__Pyx_pow_\w+\s*\("
)


def source(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")).with_suffix(".pyx")


def sources(module: str) -> str:
    """The Cython text of a module with what it includes."""
    path = source(module)
    text = path.read_text(encoding="utf-8")
    return re.sub(
        r'^include "(.*)"$', lambda m: (path.parent / m[1]).read_text(encoding="utf-8"), text, flags=re.MULTILINE
    )


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The C++ of every module: what it was built from, or, where that is not there, made in a temporary folder."""
    folder = tmp_path_factory.mktemp("generated")
    return {module: (built(module) or made(module, folder)).read_text(encoding="utf-8") for module in MODULES}


def built(module: str) -> Path | None:
    """The C++ that is no older than all Cython of the same folder and those in it."""
    path = source(module)
    target, known = path.with_suffix(".cpp"), (one for one in path.parent.rglob("*.px?"))
    newest = max(one.stat().st_mtime for one in (path, *known) if one == path or one.suffix != ".pyx")
    return target if target.exists() and target.stat().st_mtime >= newest else None


def made(module: str, folder: Path) -> Path:
    target = folder / f"{module}.cpp"
    options = CompilationOptions(
        cplus=True, language_level=3, output_file=str(target), include_path=[str(ROOT)],
        compiler_directives=get_directive_defaults() | DIRECTIVES,
    )  # fmt: skip
    assert compile_single(str(source(module)), options, module).num_errors == 0
    return target


def body(code: str, module: str, function: str) -> str:
    """The C++ of a function, without comments and strings; empty if Cython left it out because nobody calls it."""
    name = "__pyx_f_" + "".join(f"{len(part)}{part}_" for part in module.split(".")) + function
    head = re.search(rf"^static [^;{{}}\n]*\b{name}\([^;{{}}]*\) \{{$", code, re.MULTILINE)
    if head is None:
        return ""
    end = code.index("\n}\n", head.end())
    text = re.sub(r"/\*.*?\*/", "", code[head.end() : end], flags=re.DOTALL)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


def without_handlers(text: str) -> str:
    """Code without what runs after a C++ exception: `catch` blocks, and the part behind the error label."""
    while (at := text.find("catch(...) {")) >= 0:
        depth, end = 1, at + len("catch(...) {")
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:at] + text[end:]
    return re.sub(r"__pyx_L\d+_error:;.*?(?=__pyx_L0:;|\Z)", "", text, flags=re.DOTALL)


def python_calls(text: str) -> Iterator[str]:
    for call in CALL.finditer(without_handlers(text)):
        if not HARMLESS.match(call[0]):
            yield call[0]


@pytest.mark.parametrize("module", MODULES)
def test_kernel_functions_hold_no_python(generated: dict[str, str], module: str) -> None:
    functions = [name for name in DEFINED.findall(sources(module)) if not name.startswith("ask_")]
    bodies = {name: body(generated[module], module, name) for name in functions}
    wrong = {name: sorted(set(python_calls(text))) for name, text in bodies.items()}
    assert not {name: calls for name, calls in wrong.items() if calls}


def test_enough_functions_were_looked_at(generated: dict[str, str]) -> None:
    functions = [name for name in DEFINED.findall(sources(SOLVER)) if not name.startswith("ask_")]
    assert len(functions) > 40
    found = [name for name in functions if body(generated[SOLVER], SOLVER, name)]
    assert len(found) >= len(functions) - 3, set(functions) - set(found)


def test_headers_hold_no_python() -> None:
    """But that of hashes, whose secrets Python draws when a module is loaded."""
    headers = sorted((ROOT / "nfa_native").rglob("*.hpp"))
    assert len([one for one in headers if one.parent.name == "joins"]) > 15
    wrong = {one.name: CALL.findall(one.read_text(encoding="utf-8")) for one in headers if one.name != "mixing.hpp"}
    assert not {name: calls for name, calls in wrong.items() if calls}


def test_python_would_be_found(generated: dict[str, str]) -> None:
    """The function that asks Python does call it: the search is not blind."""
    name = "ask_filter"
    code = generated[MATCHER]
    head = re.search(rf"^static [^;{{}}\n]*matcher_{name}\([^;{{}}]*\) \{{$", code, re.MULTILINE)
    assert head is not None
    assert list(python_calls(code[head.end() : code.index("\n}\n", head.end())]))
