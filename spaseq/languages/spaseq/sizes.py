"""How large a graph pattern may be: what plans its joins takes time with the fourth power of their number."""

from __future__ import annotations

from gpm.algebra import Element, Exists, Graph, Group, Minus, Optional, SubSelect, Triples, Union
from gpm.rewrite import walk
from spaseq.languages.problem import Problem
from spaseq.languages.spaseq.lower_query import Lowered

MOST_TRIPLES = 128


def check_sizes(lowered: Lowered) -> None:
    """Problem for the first GPM with a pattern that joins too many triples."""
    partition = lowered.query.partition
    more = triples_joined(partition.using) if partition and partition.using else 0
    for atom in lowered.atoms.values():
        pattern = atom.definition.pattern
        joined = [pattern, *(part.pattern for part in walk(pattern) if isinstance(part, Exists))]
        if max(map(triples_joined, joined)) + more > MOST_TRIPLES:
            message = f"the graph pattern of {atom.definition.name} joins more than {MOST_TRIPLES} triples"
            hint = "of a UNION the largest branch counts" + ("; those of USING are joined, too" if more else "")
            raise Problem(message, atom.node.name.span, hint)


def triples_joined(element: Element) -> int:
    """The triple patterns that are joined in ``element``: of a UNION those of its largest branch."""
    match element:
        case Triples(triples):
            return len(triples)
        case Group(elements):
            return sum(map(triples_joined, elements))
        case Optional(group) | Minus(group) | Graph(_, group) | SubSelect(_, group):
            return triples_joined(group)
        case Union(branches):
            return max(map(triples_joined, branches))
        case _:
            return 0  # patterns of EXISTS are looked at by themselves
