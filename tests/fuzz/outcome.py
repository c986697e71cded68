"""What became of an input."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

ACCEPTED, REFUSED = "accepted", "refused"
FINDINGS = ("crash", "raw error", "disagreement", "slow", "large", "printed")
_HEXADECIMAL = re.compile(r"0x[0-9a-f]+")
_DETAILS = re.compile(r"'[^']*'|\"[^\"]*\"|<[^>]*>|[\d\W_]+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """``kind`` is ``accepted``, ``refused`` or one of FINDINGS; ``seconds`` of the processor, ``size`` in bytes."""

    kind: str
    detail: str = ""
    seconds: float = 0.0
    size: int = 0

    @property
    def is_finding(self) -> bool:
        """Whether this must not be."""
        return self.kind in FINDINGS

    @property
    def signature(self) -> str:
        """The kind of outcome: equal for inputs that fare alike."""
        detail = self.detail if self.kind == ACCEPTED else _DETAILS.sub(" ", _HEXADECIMAL.sub("", self.detail))
        return f"{self.kind} {detail[:120]}"

    def plain(self) -> list[Any]:
        """As it goes through a pipe."""
        return [self.kind, self.detail, self.seconds, self.size]
