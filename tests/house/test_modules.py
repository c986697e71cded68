"""Modules say whole things, under names of the field: rules for their sizes, their names and their protocols."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("spaseq", "gpm", "nfa_native")
KINDS = ("graphs", "tuples", "paths")
SHORTEST = 40  # lines of a module
MOST_MEMBERS = 12  # of a protocol, without those of the protocols that it extends
# Moods and participles, which say what was done to a thing and not what it is; pictures, for which the field has a word
# (evaluator, skyline, package, entry point, term, partition, merged input, semiring); and names of what has none.
NO_NAMES = """
    agreed appeared aware carried done doubt finished found given kept met owned past pending promised running saying
    seen selecting sifting sorted spent stored told usual waiting
    aggregator cut cuts door doors lane lanes part parts room rooms stairs streamset totaller twins word words
    base common helper helpers misc stuff things tools util utils
"""
Offences = Iterator[str]


def modules(root: Path, packages: tuple[str, ...] = PACKAGES) -> Iterator[Path]:
    """The modules of packages in Python, headers and Cython among them."""
    endings = (".py", ".pyx", ".hpp")
    yield from sorted(path for one in packages for path in (root / one).rglob("*") if path.suffix in endings)


def names_of_others(root: Path) -> Offences:
    """Modules that are called by a picture or a mood."""
    for path in modules(root):
        if set(NO_NAMES.split()) & set(path.stem.split("_")):
            yield f"{path.relative_to(root)}: the field has another name"


def stems_of_the_runtime(root: Path) -> Offences:
    """Modules of a kind of data that are called like one of the runtime: the same thing, written again."""
    common = {path.stem for path in (root / "spaseq/runtime").rglob("*.py")} - {"__init__"}
    for kind in KINDS:
        for path in modules(root, (f"spaseq/{kind}",)):
            if path.stem in common:
                yield f"{path.relative_to(root)}: runtime has a module of this name"


def short_modules(root: Path) -> Offences:
    """Modules that say too little; what a format is may be said in a few lines."""
    for path in modules(root, ("spaseq",)):
        few = len(path.read_text(encoding="utf-8").splitlines()) < SHORTEST
        if few and path.stem not in ("__init__", "__main__") and path.parent.name != "formats":
            yield f"{path.relative_to(root)}: fewer than {SHORTEST} lines"


def wide_protocols(root: Path) -> Offences:
    """Protocols with too many members of their own."""
    for path in modules(root):
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and _is_protocol(node) and len(_members(node)) > MOST_MEMBERS:
                    yield f"{path.relative_to(root)}: {node.name} has {len(_members(node))} members"


def _is_protocol(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).startswith(("Protocol", "typing.Protocol")) for base in node.bases)


def _members(node: ast.ClassDef) -> set[str]:
    return {name for one in node.body for name in _defined(one)}


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.name]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


RULES = (names_of_others, stems_of_the_runtime, short_modules, wide_protocols)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_project_keeps(rule: Callable[[Path], Offences]) -> None:
    assert [*rule(ROOT)] == []


MEMBERS = "".join(f"    def member{number}(self) -> int: ...\n" for number in range(MOST_MEMBERS + 1))
LONG = "x = 1\n" * SHORTEST


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (names_of_others, "spaseq/plan/twins.py", LONG),
        (names_of_others, "nfa_native/joins/kept_rows.hpp", LONG),
        (stems_of_the_runtime, "spaseq/tuples/reorder.py", LONG),
        (stems_of_the_runtime, "spaseq/graphs/native/core.py", LONG),
        (short_modules, "spaseq/plan/cells.py", "x = 1\n"),
        (wide_protocols, "spaseq/plan/cells.py", f"class Cells(Protocol):\n{MEMBERS}"),
        (wide_protocols, "gpm/rows.py", f"class Rows(Some, Protocol[T]):\n{MEMBERS}"),
    ],
)
def test_an_offence_is_seen(rule: Callable[[Path], Offences], path: str, text: str, tmp_path: Path) -> None:
    kept = {"spaseq/runtime/core.py": LONG, "spaseq/runtime/reorder.py": LONG, "spaseq/results/formats/csv.py": ""}
    for name, content in {**kept, path: text}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    (offence,) = rule(tmp_path)
    assert offence.startswith(f"{path}: ")
