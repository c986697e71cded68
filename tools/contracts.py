"""Import contracts that see compiled code, too: ``make lint`` and ``tests/house`` check those of ``pyproject.toml``.

import-linter reads Python alone.  These two kinds of contract add what Cython modules and C++ headers use before they
check: ``cimport``, ``import``, ``include`` and ``#include``, and what Python imports of compiled modules.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from functools import cache
from pathlib import Path

from grimp import ImportGraph
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.layers import LayersContract
from importlinter.domain.contract import ContractCheck

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("gpm", "nfa_native")
ENDINGS = {".pyx", ".pxd", ".hpp"}
INCLUDED = re.compile(r'^include "(.+)"$', re.MULTILINE)
HEADER = re.compile(r'^#include "(.+)"$', re.MULTILINE)
USED = re.compile(r"^ *from ([\w.]+) (?:c?import) \(?(\w+)|^ *(?:c?import) ([\w.]+)", re.MULTILINE)


class LayersOfAll(LayersContract):
    """``layers``, of compiled modules, too."""

    type_name = "layers_of_all"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        return super().check(with_compiled(graph), verbose)


class NoCirclesInAll(AcyclicSiblingsContract):
    """``acyclic_siblings``, of compiled modules, too."""

    type_name = "no_circles_in_all"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        return super().check(with_compiled(graph), verbose)


def with_compiled(graph: ImportGraph) -> ImportGraph:
    """The graph, in which compiled modules and what they use are added."""
    python = {module for module in graph.modules if not graph.is_module_squashed(module)}  # else of another project
    sources = {path: module_of(path) for path in compiled_sources()}
    for module in sources.values():
        graph.add_module(module)
    compiled = set(sources.values()) - python
    for path, module in sources.items():
        _add(graph, module, uses_of(path), graph.modules)
    for module in sorted(python):
        _add(graph, module, python_uses(module), compiled)
    return graph


def _add(graph: ImportGraph, module: str, uses: Iterable[str], known: Set[str]) -> None:
    """Add what a module uses, as far as it is known and is no package."""
    for used in uses:
        if used in known and used != module and not (graph.is_module_squashed(used) or graph.find_children(used)):
            graph.add_import(importer=module, imported=used)


def compiled_sources() -> Iterator[Path]:
    """Cython modules, their declarations and headers; what is included textually belongs to who includes it."""
    for package in PACKAGES:
        yield from sorted(path for path in (ROOT / package).rglob("*") if path.suffix in ENDINGS)


def module_of(path: Path) -> str:
    """The module that a file belongs to: a header to the declarations of its name."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def uses_of(path: Path) -> Iterator[str]:
    """The modules that a compiled module uses, by name; a header that is in use counts as one."""
    text = path.read_text(encoding="utf-8")
    for name in HEADER.findall(text):
        yield module_of((path.parent / name).resolve())
    for name in INCLUDED.findall(text):
        yield from uses_of(path.parent / name)
    for package, name, module in USED.findall(text):
        yield from (module or package, f"{package}.{name}")


@cache  # each contract asks
def python_uses(module: str) -> tuple[str, ...]:
    """The modules that a Python module imports, compiled or not."""
    stem = ROOT / Path(*module.split("."))
    path = stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")
    return tuple(_imported(ast.parse(path.read_text(encoding="utf-8"))))


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
