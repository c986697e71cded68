"""Whether the identity of subjects matters beyond their event: if not, they need no words of the dictionary."""

from __future__ import annotations

from collections.abc import Iterable

from gpm.algebra import BlankNode, Group, Path, Term, Triple, Triples, Variable
from gpm.native_algebra import simplify
from gpm.rewrite import rewrite, walk
from gpm.scope import mentioned


def subjects_are_local(group: Group, columns: Iterable[str]) -> bool:
    """Whether a pattern of the native subset compares subjects with subjects of the same event and nothing else.

    ``columns`` are the variables whose values it gives.
    """
    simple = simplify(group)
    triples = [part for part in walk(simple) if isinstance(part, Triple)]
    subjects = {_name(triple.subject) for triple in triples}
    if None in subjects:
        return False
    elsewhere = {_name(term) for triple in triples for term in (triple.predicate, triple.object)}
    others = mentioned(rewrite(simple, lambda part: Triples(()) if isinstance(part, Triples) else None))
    return subjects.isdisjoint(elsewhere | others | set(columns))


def _name(term: Term | Path) -> str | None:
    """The name of a variable; None for anything else."""
    match term:
        case Variable(name) | BlankNode(name):
            return name
        case _:
            return None
