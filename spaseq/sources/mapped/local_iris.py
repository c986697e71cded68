"""IRIs of a template that need no words, as nobody compares them with anything outside of their event.

They are names of events, which results show as texts, and subjects, if those are all of one template and no pattern
looks at more of them than whether they are the same.  A template with one column makes different IRIs of different
values: so the words of these stand for them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from gpm.algebra import Bind, Filter, Triple, Variable
from spaseq.pattern.mappings import Mapping, variables_of
from spaseq.sources.mapped.solutions import iri_pieces

Pieces = tuple[bytes, ...]  # what stands before and behind a value


@dataclass(frozen=True, slots=True)
class LocalIris:
    """A mapping whose steps give to some variables, instead of IRIs, the values of columns that these are made of."""

    mapping: Mapping
    pieces: dict[str, Pieces]  # by such a variable


def local_iris(mapping: Mapping, wants_subjects: bool) -> LocalIris:
    """The mapping with variables whose IRIs need no words; ``wants_subjects``: patterns look at IRIs of subjects."""
    read = Counter(name for step in mapping.steps for name in variables_of(step.expression))
    read.update(name for triple in mapping.template for name in _names(triple, wants_subjects))
    if len({triple.subject for triple in mapping.template}) > 1:
        read.update(one.subject.name for one in mapping.template if isinstance(one.subject, Variable))
    read[mapping.time.variable] += 1
    pieces = {
        step.variable.name: made
        for step in mapping.steps
        if isinstance(step, Bind) and not read[step.variable.name] and (made := _of_one_column(step, mapping))
    }
    return LocalIris(replace(mapping, steps=tuple(_bare(step, pieces) for step in mapping.steps)), pieces)


def _names(triple: Triple, with_subject: bool) -> list[str]:
    terms = (triple.subject, triple.predicate, triple.object)[0 if with_subject else 1 :]
    return [term.name for term in terms if isinstance(term, Variable)]


def _of_one_column(step: Bind, mapping: Mapping) -> Pieces | None:
    """The pieces of an IRI around the value of a column; None: the step gives something else."""
    pieces, variables = iri_pieces(step.expression) or ((), ())
    return pieces if len(variables) == 1 and variables[0] in mapping.asked else None


def _bare(step: Bind | Filter, pieces: dict[str, Pieces]) -> Bind | Filter:
    if isinstance(step, Filter) or step.variable.name not in pieces:
        return step
    (value,) = variables_of(step.expression)
    return replace(step, expression=Variable(value))
