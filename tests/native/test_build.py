"""The build: a module is built again for the headers that it includes and no others; enums are written once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nfa_native.automata import kinds
from nfa_native.terms import operations
from tools.native_code import ENUMS, headers_of

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for room in ("nfa_native", "gpm/native") for path in (ROOT / room).rglob("*.pyx"))


@pytest.fixture(scope="module")
def depends() -> dict[str, set[str]]:
    """By module the headers for which it is built again, both by their paths from the root."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        relative = [path.relative_to(ROOT) for path in SOURCES]
        return {path.as_posix(): set(headers_of(path.with_suffix(".cpp"))) for path in relative}


@pytest.mark.parametrize(
    "header",
    ["nfa_native/paths/path_columns.hpp", "nfa_native/paths/window/forest.hpp", "nfa_native/paths/reach_search.hpp"],
)
def test_a_header_of_paths_builds_modules_of_paths_again(depends: dict[str, set[str]], header: str) -> None:
    built = [module for module, headers in depends.items() if header in headers]
    assert built
    assert all(module.startswith("nfa_native/paths/") for module in built)


def test_a_header_that_only_a_header_includes_counts(depends: dict[str, set[str]]) -> None:
    assert "nfa_native/paths/window/number_table.hpp" in depends["nfa_native/paths/window/watcher.pyx"]
    assert "nfa_native/paths/window/number_table.hpp" not in depends["nfa_native/paths/searcher.pyx"]


def test_no_header_concerns_every_module(depends: dict[str, set[str]]) -> None:
    headers = set().union(*depends.values())
    found = {header: sum(header in some for some in depends.values()) for header in headers}
    assert max(found.values()) < len(depends) / 2, found


def test_what_a_header_includes_is_found_by_both_ways_to_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {
        "a/one.cpp": '#include <vector>\n#include "two.hpp"\n',
        "a/two.hpp": '#include "b/three.hpp"\n// "four.hpp" is none\n',
        "b/three.hpp": '#include "../a/two.hpp"\n#include "nowhere.hpp"\n',
        "b/four.hpp": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert headers_of(Path("a/one.cpp")) == ["a/two.hpp", "b/three.hpp"]


def test_enums_are_written_once() -> None:
    """No member of an enum that Python and C++ know is in a file that git knows, but in the module of the enum."""
    known = {
        f"enum class {name}" for module in (kinds, operations) for name in vars(module) if name[:1].isupper()
    }  # fmt: skip
    written = {path.with_suffix(suffix) for path in ENUMS for suffix in (".hpp", ".pxd")}
    for path in sorted((ROOT / "nfa_native").rglob("*.[hp][pxy][pdxi]")):
        if path.relative_to(ROOT) not in written:
            found = set(re.findall(r"\benum class \w+", path.read_text(encoding="utf-8")))
            assert not found & known, path
