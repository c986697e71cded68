"""What stands on the table of terms of an engine: that there is memory for it, and what only the past mentions."""

from __future__ import annotations

from gpm.evaluator import Evaluator
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.parametric_graph_query import AnyGraphQuery
from spaseq.runtime.core import EngineCore
from spaseq.runtime.guards import Soundness
from spaseq.sources.rdf.events import Events


class TermsSoundness(Soundness):
    """Of what stands on a table of terms, which itself remembers that there was no memory."""

    def __init__(self, what: str, terms: Terms) -> None:
        super().__init__(what)
        self._terms = terms

    def check(self) -> None:
        """MemoryError: there was none once."""
        self._terms.check()

    def give_up(self) -> None:
        """There is none now."""
        self._terms.give_up()


FEW_TERMS, FEW_BYTES = 1 << 16, 1 << 26  # terms that are kept without a thought, and the bytes of them


class Forgetting:
    """Looks at the table of terms between two events, and has it collected when it has doubled."""

    def __init__(self) -> None:
        self.most_terms, self.most_bytes = FEW_TERMS, FEW_BYTES
        self._sweeping = False  # matchers are about to free what has left the window

    def look(self, evaluator: Evaluator, core: EngineCore[Events, AnyGraphQuery]) -> None:
        """Forget what only the past mentions, if there are many terms or long ones."""
        terms = evaluator.terms
        if len(terms) <= self.most_terms and terms.memory() <= self.most_bytes:
            return
        if len(terms) <= self.most_terms and not self._sweeping:  # few, but long: first what holds them is to go
            for query in core.at_work:
                query.sweep_soon()
            self._sweeping = True
        elif all(merged.is_settled for merged in core.inputs):
            held = [words for query in core.at_work for words in query.trace()]
            singles = (single for merged in core.inputs for single in merged.buffer.singles())
            held += [event.triples for _, _, _, event in singles]
            evaluator.forget_terms(held)
            self.most_terms = max(FEW_TERMS, 2 * len(terms))
            self.most_bytes = max(FEW_BYTES, 2 * terms.memory())
            self._sweeping = False
