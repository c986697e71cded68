"""When steps are made that could wait for a later event: as who runs queries asks for it, whatever the data are.

A step that keeps values of several events makes a partial match of each combination of them, whether the event comes or
not that asks for them all.  So it may wait, where a plan says so, and evaluators choose by what either way takes.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from nfa_native.automata.kinds import Evaluating
from spaseq.errors import OptionError

EVALUATIONS = {"auto": Evaluating.AUTO, "eager": Evaluating.EAGER, "lazy": Evaluating.LAZY}


def evaluation_of(name: str) -> Evaluating:
    """When steps are made that could wait, by its name; OptionError: there is no such way."""
    found = EVALUATIONS.get(name) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(f'"{one}"' for one in EVALUATIONS)
        raise OptionError(f"evaluation is one of {known}, not {name!r:.80}")
    return found


@runtime_checkable
class Lazy(Protocol):
    """An evaluator that may let steps wait until the next one asks for them."""

    evaluation: Evaluating
