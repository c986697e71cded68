"""Libraries are loaded when their retrievers are asked for, and not before; without them an error names the extra."""

from __future__ import annotations

import sys

import pytest

from spaseq.errors import OptionError
from spaseq.paths import rag
from tests.cli.test_startup import loaded

LIBRARIES = {"langchain_core", "llama_index", "neo4j", "neo4j_graphrag", "pydantic"}
HOMES = {
    "LangChainRetriever": "langchain_core",
    "LlamaIndexRetriever": "llama_index.core",
    "Neo4jRetriever": "neo4j_graphrag",
    "PropertyGraphRetriever": "llama_index.core",
}


@pytest.mark.parametrize("code", ["import spaseq", "import spaseq.paths", "import spaseq.paths.rag"])
def test_no_library_is_loaded(code: str) -> None:
    modules = loaded(code)
    assert modules & LIBRARIES == set()
    assert ("spaseq.paths.rag" in modules) == code.endswith("rag")


@pytest.mark.parametrize(("name", "library"), list(HOMES.items())[:3])
def test_only_its_library_is_loaded(name: str, library: str) -> None:
    modules = loaded(f"from spaseq.paths.rag import {name}")
    assert library in modules
    others = {home for home in HOMES.values() if home != library}
    assert modules & others == set()


@pytest.mark.parametrize(("name", "library"), HOMES.items())
def test_a_library_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, name: str, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(OptionError, match=rf"this needs {library}; install it with: pip install 'spaseq\[rag\]'"):
        getattr(rag, name)


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'HaystackRetriever'"):
        _ = rag.HaystackRetriever
