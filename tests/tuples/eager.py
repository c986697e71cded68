"""What is forgotten when it may be as much as what is left, forgotten as soon as it can be."""

from __future__ import annotations

import pytest

from spaseq.tuples.aggregates import enumeration as enumerated
from spaseq.tuples.columns import numbering as texts
from spaseq.tuples.encoding import encoder, history
from spaseq.tuples.totals import operands, totals

FORGETTING = (encoder, enumerated, operands, history, texts, totals)  # modules with a number MANY


def forget_at_once(patch: pytest.MonkeyPatch | None = None) -> None:
    """Let all queries that begin from now on do so; without ``patch`` for good."""
    for module in FORGETTING:
        if patch is None:
            module.MANY = 1  # type: ignore[attr-defined]
        else:
            patch.setattr(module, "MANY", 1)
