"""Mappings by definition: a row is a solution of a CONSTRUCT, which pyoxigraph answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, QuerySolutions, QueryTriples, Store, Triple

Value = NamedNode | Literal | None
_TEMPLATE = re.compile(r"<[^<>\s]*\{[^<>\s]*>")
_HOLE = re.compile(r"\{[?$](\w+)\}")


@dataclass(frozen=True, slots=True)
class MappingParts:
    """The parts of a mapping as texts; templates of IRIs are absolute."""

    event: str
    time: str
    construct: str
    where: str = ""

    @property
    def text(self) -> str:
        """The mapping."""
        name = f"EVENT {self.event}\n" if self.event else ""
        return f"{name}AT {self.time}\nCONSTRUCT {{ {self.construct} }}\nWHERE {{ {self.where} }}\n"


@dataclass(frozen=True, slots=True)
class RowMeaning:
    """What a row means: the name and the time of its event, and its triples."""

    name: Value
    time: Value
    triples: list[Triple]


def meanings(parts: MappingParts, rows: Sequence[Mapping[str, Value]]) -> list[RowMeaning | None]:
    """What each row means; None: it is filtered."""
    return [_meaning(parts, row) for row in rows]


def _meaning(parts: MappingParts, row: Mapping[str, Value]) -> RowMeaning | None:
    made: dict[str, str] = {}
    construct = _TEMPLATE.sub(lambda found: made.setdefault(found[0], f"?made{len(made)}"), parts.construct)
    name = _TEMPLATE.sub(lambda found: made.setdefault(found[0], f"?made{len(made)}"), parts.event)
    where = _TEMPLATE.sub(lambda found: _iri(found[0]), parts.where)
    bound = {column: value for column, value in row.items() if value is not None}
    values = f"VALUES ({' '.join(f'?{one}' for one in bound)}) {{ ({' '.join(map(str, bound.values()))}) }}"
    binds = " ".join(f"BIND({_iri(template)} AS {variable})" for template, variable in made.items())
    group = f"{{ {{ {values} {where} }} {binds} }}"
    solutions = Store().query(f"SELECT * {group}")
    assert isinstance(solutions, QuerySolutions)
    found = list(solutions)
    if not found:
        return None
    triples = Store().query(f"CONSTRUCT {{ {construct} }} WHERE {group}")
    assert isinstance(triples, QueryTriples)
    return RowMeaning(_value(found[0], name), _value(found[0], parts.time.split()[0]), list(triples))


def _value(solution: object, variable: str) -> Value:
    if not variable:
        return None
    try:
        return solution[variable.removeprefix("?")]  # type: ignore[index]
    except KeyError:
        return None


def _iri(template: str) -> str:
    """The expression that a template of an IRI stands for."""
    pieces = _HOLE.split(template[1:-1])
    parts = [f'"{piece}"' if place % 2 == 0 else f"ENCODE_FOR_URI(STR(?{piece}))" for place, piece in enumerate(pieces)]
    return f"IRI(CONCAT({', '.join(parts)}))"
