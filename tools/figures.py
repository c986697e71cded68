"""Figures of the code: ``python tools/figures.py [FOLDER …]`` prints them for checkouts, side by side.

A line of code is one that is neither blank nor a comment nor part of a docstring.  *Imports* are lines that begin with
``import`` or ``from``, as a share of all lines.  The *part* that streams is what knows queries, streams and results:
``engine``, ``tuples`` and ``spark`` before there was ``runtime``, and ``runtime``, ``graphs``, ``tuples`` and ``spark``
since; of packages in these, only Spark's for tuples counts.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PART = ("engine", "runtime", "runtime/snapshot", "graphs", "tuples", "spark", "spark/tuples")
NATIVE = (".pyx", ".pxi", ".pxd", ".hpp")
LONGEST = 60  # lines of a function
SHORTEST = 40  # lines of a module
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A module by its path: its lines, lines of code, lines of imports, and functions that are too long."""

    path: Path
    lines: int
    code: int
    imports: int
    long: tuple[str, ...]

    @staticmethod
    def read(path: Path) -> Module:
        """The module in a file."""
        text = path.read_text(encoding="utf-8")
        lines, tree = text.splitlines(), ast.parse(text)
        imports = sum(line.startswith(("import ", "from ")) for line in lines)
        return Module(path, len(lines), len(_code(text) - _docstrings(tree)), imports, tuple(_long(tree)))


def _code(text: str) -> set[int]:
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            found |= set(range(token.start[0], token.end[0] + 1))
    return found


def _docstrings(tree: ast.Module) -> set[int]:
    found: set[int] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | _Definition)
            and ast.get_docstring(node, clean=False) is not None
        ):
            found |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return found


def _long(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, _Definition) and (node.end_lineno or 0) - node.lineno >= LONGEST:
            yield node.name


def modules(folder: Path) -> list[Module]:
    """All modules of ``spaseq`` in a checkout."""
    return [Module.read(path) for path in sorted((folder / "spaseq").rglob("*.py"))]


def _native(folder: Path, endings: Iterable[str]) -> list[int]:
    """The lines of each file of native code with one of these endings, but for what the build writes."""
    command = ["git", "ls-files", *(f"{root}/**{ending}" for root in ("nfa_native", "gpm") for ending in endings)]
    names = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.splitlines()
    return [len((folder / name).read_text(encoding="utf-8").splitlines()) for name in names]


def figures(folder: Path) -> dict[str, str]:
    """The figures of a checkout by name."""
    every = modules(folder)
    part = [one for one in every if str(one.path.parent.relative_to(folder / "spaseq")) in PART]
    lines = sum(one.lines for one in every)
    pxi = _native(folder, (".pxi",))
    short = [one for one in every if one.lines < SHORTEST and one.path.name != "__init__.py"]
    total: Callable[[list[Module]], str] = lambda some: f"{sum(one.lines for one in some):,} lines, {len(some)} modules"  # noqa: E731
    return {
        "the part that streams": total(part),
        "spaseq": total(every),
        "mean lines of code a module": f"{sum(one.code for one in every) / len(every):.1f}",
        "imports": f"{100 * sum(one.imports for one in every) / lines:.1f} %",
        f"modules under {SHORTEST} lines, but __init__": str(len(short)),
        f"functions over {LONGEST} lines": str(sum(len(one.long) for one in every)),
        ".pxi": f"{sum(pxi):,} lines, {len(pxi)} files",
        "native": f"{sum(_native(folder, NATIVE)):,} lines",
    }


def main(folders: list[str]) -> None:
    """Print the figures of each checkout, by default of this one."""
    found = [figures(Path(folder)) for folder in folders or ["."]]
    width = max(map(len, found[0]))
    for name in found[0]:
        print(name.ljust(width), *(one[name].rjust(26) for one in found))


if __name__ == "__main__":
    main(sys.argv[1:])
