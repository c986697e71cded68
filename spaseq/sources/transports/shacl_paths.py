"""SHACL property paths, by which streams and relations say where the time of a member stands.

A path is kept as JSON has it: the IRI of a property, a list of paths that follow each other, or an object with
``inverse`` or ``alternative``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from spaseq.sources.transports.statements import Statements

ShaclPath: TypeAlias = "str | list[Any] | dict[str, Any]"
Term: TypeAlias = "NamedNode | BlankNode | Literal | Triple"

SH = "http://www.w3.org/ns/shacl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
FIRST, REST, NIL = f"{RDF}first", f"{RDF}rest", NamedNode(f"{RDF}nil")
DEEPEST = 20  # paths within each other
LONGEST = 1000  # steps of one


def read_path(statements: Statements, term: Term, depth: int = 0) -> ShaclPath:
    """The path that a term is.  ValueError: it is one that is not known here."""
    if isinstance(term, NamedNode):
        return term.value
    if depth > DEEPEST:
        raise ValueError("it is too deep")
    if statements.objects(term, FIRST):
        steps = [read_path(statements, one, depth + 1) for one in _listed(statements, term)]
        return steps[0] if len(steps) == 1 else steps
    for found in statements.objects(term, f"{SH}inversePath"):
        return {"inverse": read_path(statements, found, depth + 1)}
    for found in statements.objects(term, f"{SH}alternativePath"):
        return {"alternative": [read_path(statements, one, depth + 1) for one in _listed(statements, found)]}
    kinds = {f"sh:{quad.predicate.value.removeprefix(SH)}" for quad in statements.about(term)}
    raise ValueError(
        f"{', '.join(sorted(kinds)) or term} is none of a property, a list, sh:inversePath and sh:alternativePath"
    )


def _listed(statements: Statements, head: Term) -> list[Term]:
    """The elements of an RDF list.  ValueError: it does not end."""
    found: list[Term] = []
    while head != NIL and len(found) < LONGEST:
        found += statements.objects(head, FIRST)[:1]
        rest = statements.objects(head, REST)
        if len(rest) != 1:
            raise ValueError("its list does not end")
        head = rest[0]
    if head != NIL:
        raise ValueError("its list does not end")
    return found


def checked_path(path: Any, depth: int = 0) -> ShaclPath:
    """A path that was kept.  ValueError: it is none."""
    if isinstance(path, str):
        return path
    steps = path
    if isinstance(path, dict) and len(path) == 1:
        steps = [path["inverse"]] if "inverse" in path else path.get("alternative")
    if not isinstance(steps, list) or depth > DEEPEST:
        raise ValueError("this is no path")
    for one in steps:
        checked_path(one, depth + 1)
    found: ShaclPath = path
    return found


def path_values(
    path: ShaclPath, start: Collection[Term], triples: Collection[Triple], backwards: bool = False
) -> list[Term]:
    """Where a path leads to from some terms, each once."""
    if isinstance(path, str):
        steps = [one for one in triples if one.predicate.value == path]
        ends = ((one.object, one.subject) if backwards else (one.subject, one.object) for one in steps)
        return _once(end for begin, end in ends if begin in start)
    if isinstance(path, list):
        for one in reversed(path) if backwards else path:
            start = path_values(one, start, triples, backwards)
        return list(start)
    if "inverse" in path:
        return path_values(path["inverse"], start, triples, not backwards)
    found = (path_values(one, start, triples, backwards) for one in path["alternative"])
    return _once(one for some in found for one in some)


def _once(terms: Iterable[Term]) -> list[Term]:
    return list(dict.fromkeys(terms))
