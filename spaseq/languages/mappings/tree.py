"""The syntax tree of a mapping: what was written, with its place.  Terms and patterns are those of SPAseq."""

from __future__ import annotations

from dataclasses import dataclass

from spaseq.languages.node import Node
from spaseq.languages.spaseq.tree import Base, Group, Iri, Prefix, Statement, Variable


@dataclass(frozen=True, slots=True)
class IriTemplate(Iri):
    """``<…{?variable}…>``, as written."""


@dataclass(frozen=True, slots=True)
class Column(Node):
    """``COLUMN "path" AS ?variable``."""

    path: str
    variable: Variable


@dataclass(frozen=True, slots=True)
class Each(Node):
    """``EACH "path" AS ?variable``."""

    path: str
    variable: Variable


@dataclass(frozen=True, slots=True)
class Event(Node):
    """``EVENT name``."""

    name: Variable | IriTemplate


@dataclass(frozen=True, slots=True)
class Time(Node):
    """``AT ?variable``, with ``UNIT`` and its name, or ``FORMAT`` and its text."""

    variable: Variable
    unit: str | None = None
    form: str | None = None


@dataclass(frozen=True, slots=True)
class Construct(Node):
    """``CONSTRUCT { template }``."""

    template: tuple[Statement, ...]


Clause = Column | Each | Event | Time


@dataclass(frozen=True, slots=True)
class Mapping(Node):
    """A whole mapping; ``group`` is that of WHERE."""

    prologue: tuple[Base | Prefix, ...]
    clauses: tuple[Clause, ...]
    construct: Construct
    group: Group | None = None
