"""Warnings of a retrieval, for libraries whose results have no place for them."""

from __future__ import annotations

import warnings

from spaseq.errors import SpaseqWarning
from spaseq.paths.rag.retrieval import RetrievedPaths


def tell_warnings(found: RetrievedPaths) -> None:
    """Without paths nobody would see what the graph does not have."""
    if found.warnings and not found.paths:
        lines = [f"no paths for the question {found.question!r:.80}", *found.warnings]
        warnings.warn("\n".join(lines), SpaseqWarning, stacklevel=2)
