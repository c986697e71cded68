"""The command lines that run the example queries over generated files."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

_READS = re.compile(r"FROM\s+STREAM\s+(\w+)\s+<([^>]*)>", re.IGNORECASE)
_GIVEN = re.compile(r"^GIVEN\b", re.IGNORECASE | re.MULTILINE)
_DERIVES = re.compile(r"INTO\s+STREAM\s+<([^>]*)>", re.IGNORECASE)


def command_line(query: Path, known: Iterable[Path], files: Mapping[str, Path], knowledge: Mapping[str, Path]) -> str:
    """``spaseq run`` for ``query`` and those of ``known`` that derive what it reads, with the streams they need.

    ``files``: by stream name.  ``knowledge``: by graph IRI, named only where a query reads it.  Rows of a query with
    parameters are in a table beside it.
    """
    texts = {query: query.read_text(encoding="utf-8")}
    missing = {iri for name, iri in _READS.findall(texts[query]) if name not in files}
    for path in known if missing else ():
        text = path.read_text(encoding="utf-8")
        if missing & set(_DERIVES.findall(text)):
            texts = {path: text} | texts
    streams = {name for text in texts.values() for name, _ in _READS.findall(text)}
    parts = ["spaseq", "run", *(shown(path) for path in texts)]
    for name, path in files.items():
        parts += ["--stream", f"{name}={shown(path)}"] if name in streams else []
    for iri, path in knowledge.items():
        parts += ["--kb", f"{iri}={shown(path)}"] if any(f"<{iri}>" in text for text in texts.values()) else []
    for path, text in texts.items():
        parts += ["--given", f"{path.stem}={shown(path.with_suffix('.csv'))}"] if _GIVEN.search(text) else []
    return shlex.join(parts)


def shown(path: Path) -> str:
    """The path, relative where it lies in the working directory."""
    absolute, here = Path(os.path.abspath(path)), Path.cwd()  # noqa: PTH100 - links stay as they are
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else path)
