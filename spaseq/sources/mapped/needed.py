"""What of a mapping has to be read for queries that are known: the triples that one of them may look at.

Columns that only other triples are made of need not be read, where nobody asks for whole events.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpm.algebra import BlankNode, Iri, Literal, Triple, Variable
from gpm.native.assembly import Encoder
from gpm.terms import term_bytes
from spaseq.pattern.mappings import Mapping
from spaseq.sources.mapped.elements import ColumnPlaces


def needed(mapping: Mapping, encoder: Encoder) -> Mapping:
    """The mapping with the triples that patterns use or see in texts, and one at least that each event has.

    Is none certain, all are needed: whether an event has a triple cannot be told without them.
    """
    certain = [triple for triple in mapping.template if is_certain(triple, mapping.event)]
    if not certain:
        return mapping
    kept = [triple for triple in mapping.template if triple == certain[0] or _is_seen(triple, encoder)]
    return mapping.only(kept)


def needed_places(mapping: Mapping, its: Mapping, names: Sequence[str]) -> ColumnPlaces:
    """Where values are of which ``its`` needs those of a mapping, in a table with columns of these ``names``.

    What stands within a column is needed, too: only values tell whether it is there.  NoValuesError: a column that the
    mapping asks for is not there.
    """
    ColumnPlaces(mapping.asked, mapping.each).columns(names)
    asked = its.asked
    paths = {name: path for name, path in mapping.asked.items() if name in asked or path not in names}
    return ColumnPlaces(paths, mapping.each)


def is_certain(triple: Triple, event: str | None) -> bool:
    """Whether each event has the triple: there is nothing in it but constants and the name of the event."""
    parts = (triple.subject, triple.predicate, triple.object)
    return all(isinstance(one, Iri | Literal | BlankNode) or one == Variable(event or "") for one in parts)


def _is_seen(triple: Triple, encoder: Encoder) -> bool:
    """Whether a pattern may look at a triple, be it in words or in texts."""
    if not isinstance(triple.predicate, Iri):
        return True
    predicate = encoder.terms.intern_transient(term_bytes(triple.predicate))
    return encoder.wants(predicate) or encoder.tells(predicate)
