"""One name for one thing: no two classes of the project have the same name.

A language's syntax tree names what its text names, and is always used as ``tree.Name``, so it does not count.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
IN_CYTHON = re.compile(r"^(?:cdef |cpdef )?class (\w+)", re.MULTILINE)
TWINS = {
    "Engine": "public: spaseq.Engine and spaseq.tuples.Engine have the same verbs",
    "Prepared": "public: what spaseq.prepare and spaseq.tuples.prepare give",
    "Atom": "public: spaseq.tuples.Atom; the other is a GPM in a sequence",
    "Aggregates": "public: spaseq.tuples.Aggregates; the other is what the aggregator gives for them",
    "Graph": "public: spaseq.paths.Graph; the other is GRAPH in a graph pattern",
    "Optional": "of SPARQL, and of a sequence, whose names are in the fingerprints of snapshots",
}


def test_each_class_has_a_name_of_its_own() -> None:
    homes = defaultdict(list)
    for path, name in classes():
        homes[name].append(path)
    twins = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert {name: paths for name, paths in twins.items() if name not in TWINS} == {}
    assert TWINS.keys() <= twins.keys(), "a name that is allowed twice is there only once"


def classes() -> Iterator[tuple[str, str]]:
    """The classes that are not private, each with its file."""
    for package in ("spaseq", "gpm", "nfa_native"):
        for path in sorted((ROOT / package).rglob("*.py*")):
            if path.name != "tree.py" and path.suffix in (".py", ".pyx"):
                yield from ((str(path.relative_to(ROOT)), name) for name in names_in(path) if not name.startswith("_"))


def names_in(path: Path) -> list[str]:
    """The classes of a module in Python or Cython."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".pyx":
        return IN_CYTHON.findall(text)
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
