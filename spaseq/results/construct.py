"""CONSTRUCT: one derived event for each match (SEMANTICS 3.4)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pyoxigraph

from gpm.algebra import BlankNode, Iri, Literal, Term, Triple, Variable
from gpm.terms import ox_term, to_oxigraph
from nfa_native.terms.words import Terms
from spaseq.pattern.sequences import Construction, picked
from spaseq.results.match import DerivedEvent, ResultShape
from spaseq.results.match_rows import MatchRows, ResultPlan, pick_digests
from spaseq.results.table import MatchTable

NEVER = int(np.iinfo(np.int64).max)
_EVENT = "urn:spaseq:derived:"
_PREDICATE = pyoxigraph.NamedNode
_SUBJECT = (pyoxigraph.NamedNode, pyoxigraph.BlankNode)
_OBJECT = (pyoxigraph.NamedNode, pyoxigraph.BlankNode, pyoxigraph.Literal, pyoxigraph.Triple)


class Constructor:
    """Makes the events of one CONSTRUCT query.

    ``event_name`` turns handles of picked events into IRIs.  The IRI of a derived event is a digest of the plan's
    fingerprint and of the names and times of what the match picked: the same on every run.
    """

    def __init__(self, plan: ResultPlan, terms: Terms, event_name: Callable[[int], str]) -> None:
        form = plan.query.form
        assert isinstance(form, Construction)
        self._plan = plan
        self._form = form
        self._terms = terms
        self._event_name = event_name
        self._atoms = tuple(atom.name for atom in plan.atoms)
        self._shape = ResultShape(picked(plan.query.expression))
        self._variables = [(name, index) for index, name in enumerate(plan.columns)]
        self._identity = f"{plan.query.name}\n{plan.fingerprint()}"

    def construct(self, raw: MatchRows, end: int = NEVER) -> MatchTable:
        """The matches that left a triple, without columns, each with its ``derived`` event.

        All rows of a match must come in one ``raw``; their triples are those of one event.  ``end`` is the time of
        events of matches that only the end of the input decides (``decided`` is then ``NEVER``).
        """
        rows_of: dict[bytes, list[int]] = {}
        for index, key in enumerate(pick_digests(raw)):
            rows_of.setdefault(key.tobytes(), []).append(index)
        events = {rows[0]: self._event(raw, rows, end) for rows in rows_of.values()}
        made = {index: event for index, event in events.items() if event.triples}
        return self._table(raw).select(np.array(list(made), np.int64)).with_derived(tuple(made.values()))

    def empty(self) -> MatchTable:
        """A table without rows."""
        none = np.zeros(0, np.int64)
        return MatchTable(
            self._plan.query.name, (), np.zeros((0, 0), np.uint64), none, none, none, np.zeros(1, np.int64),
            np.zeros(0, np.uint16), np.zeros(0, np.uint64), self._atoms, self._event_name, self._terms, self._shape, (),
        )  # fmt: skip

    def _table(self, raw: MatchRows) -> MatchTable:
        return MatchTable(
            self._plan.query.name, (), np.zeros((len(raw.first), 0), np.uint64), raw.first, raw.last, raw.decided,
            raw.pick_offsets, raw.pick_atoms, raw.pick_events, self._atoms, self._event_name, self._terms, self._shape,
        )  # fmt: skip

    def _event(self, raw: MatchRows, rows: list[int], end: int) -> DerivedEvent:
        digest = self._digest(raw, rows[0])
        triples: dict[pyoxigraph.Triple, None] = {}
        for row in rows:
            triples |= dict.fromkeys(self._triples(digest, raw.words[row].tolist()))
        decided = int(raw.decided[rows[0]])
        return DerivedEvent(self._form.into, end if decided == NEVER else decided, _EVENT + digest, list(triples))

    def _digest(self, raw: MatchRows, row: int) -> str:
        start, end = raw.pick_offsets[row : row + 2].tolist()
        picks = zip(raw.pick_atoms[start:end].tolist(), raw.pick_events[start:end].tolist(), strict=True)
        lines = [self._identity, str(int(raw.first[row])), str(int(raw.last[row]))]
        lines += sorted(f"{self._atoms[atom]} {self._event_name(event)}" for atom, event in picks)
        return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()

    def _triples(self, digest: str, words: list[int]) -> Iterator[pyoxigraph.Triple]:
        """The template over one row; its blank nodes are new ones of this match and row."""
        values = {name: ox_term(self._terms.bytes(words[index])) for name, index in self._variables if words[index]}
        scope = self._scope(digest, values)
        for pattern in self._form.template:
            triple = _instance(pattern, values, scope)
            if triple is not None:
                yield triple

    def _scope(self, digest: str, values: Mapping[str, object]) -> str:
        row = "\n".join(f"{name} {value}" for name, value in sorted(values.items()))
        return hashlib.blake2b((digest + row).encode(), digest_size=8).hexdigest()


def _instance(pattern: Triple, values: Mapping[str, object], scope: str) -> pyoxigraph.Triple | None:
    """The triple, or None if a term of it is unbound or misplaced."""
    subject = _term(pattern.subject, values, scope)
    predicate = _term(pattern.predicate, values, scope) if isinstance(pattern.predicate, Iri | Variable) else None
    object_ = _term(pattern.object, values, scope)
    if isinstance(subject, _SUBJECT) and isinstance(predicate, _PREDICATE) and isinstance(object_, _OBJECT):
        return pyoxigraph.Triple(subject, predicate, object_)
    return None


def _term(term: Term, values: Mapping[str, object], scope: str) -> object | None:
    match term:
        case Variable(name):
            return values.get(name)
        case BlankNode(label):
            digest = hashlib.blake2b(label.encode(), digest_size=4).hexdigest()
            return pyoxigraph.BlankNode(f"d{scope}{digest}")
        case Iri() | Literal():
            return to_oxigraph(term)
