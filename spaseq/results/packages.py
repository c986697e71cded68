"""Packages that are needed for some results alone."""

from __future__ import annotations

from importlib import import_module

from spaseq.errors import OptionError

_INSTALLED_BY = {
    "pyarrow": "'spaseq[arrow]'",
    "pandas": "'spaseq[pandas]' pyarrow",
    "polars": "polars pyarrow",
    "langchain_core": "'spaseq[rag]'",
    "llama_index.core": "'spaseq[rag]'",
    "neo4j_graphrag": "'spaseq[rag]'",
}


def require(*packages: str) -> None:
    """OptionError if one of the packages is not installed."""
    for package in packages:
        try:
            import_module(package)
        except ImportError as error:
            raise OptionError(f"this needs {package}; install it with: pip install {_INSTALLED_BY[package]}") from error
