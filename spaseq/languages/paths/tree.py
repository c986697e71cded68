"""The syntax tree of path queries: what was written, with its place.  Spans do not count in comparisons.

IRIs and expressions are those of SPAseq's tree, names as spelled.  Of two spellings of one thing (``{1,}`` and ``+``)
the tree keeps the thing.
"""

from __future__ import annotations

from dataclasses import dataclass

from spaseq.languages.node import Node as Node
from spaseq.languages.spaseq.tree import Base as Base, Expression, Iri, Name, Prefix as Prefix, Variable
from spaseq.pattern.paths import Restrictor, SelectorKind

SELECTORS = ("ALL", "ANY", "SHORTEST")
RESTRICTORS = ("WALK", "TRAIL", "ACYCLIC", "SIMPLE")
KEYWORDS = ("PREFIX", "BASE", "QUERY", "FROM", "TO", "LABEL", *SELECTORS, *RESTRICTORS, "PATHS", "NOT", "BACK", "START")
RESERVED = frozenset({"FROM", "TO", *SELECTORS, *RESTRICTORS})  # which are no names of queries


# ── path expressions ─────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Inverse(Node):
    """``^path``."""

    path: Path


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """``a/b/…``."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Alternatives(Node):
    """``a|b|…``."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Repeated(Node):
    """``path`` with ``?``, ``*``, ``+`` or ``{least,most}``; ``most`` None is without end."""

    path: Path
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class InverseIri(Node):
    """``^a`` in ``!(…)``."""

    iri: Iri


@dataclass(frozen=True, slots=True)
class Negated(Node):
    """``!(a|^b)``; no parts: any step forward."""

    parts: tuple[Iri | InverseIri, ...]


@dataclass(frozen=True, slots=True)
class Condition(Node):
    """``[?x: expression]``: what the node must satisfy that the path is at."""

    variable: Variable
    expression: Expression


Path = Iri | Inverse | Sequence | Alternatives | Repeated | Negated | Condition


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Label(Node):
    """``LABEL "text"``; ``text`` is unescaped."""

    text: str


PathEnd = Iri | Label


@dataclass(frozen=True, slots=True)
class Selector(Node):
    """A selector; ``count`` is that of ``ANY`` and ``SHORTEST``, else 1."""

    kind: SelectorKind
    count: int = 1


@dataclass(frozen=True, slots=True)
class Restriction(Node):
    """A restrictor."""

    kind: Restrictor


@dataclass(frozen=True, slots=True)
class Query(Node):
    """One query; ``not_back``: with ``NOT BACK TO START``."""

    name: Name
    path: Path
    starts: tuple[PathEnd, ...] = ()
    ends: tuple[PathEnd, ...] = ()
    selector: Selector | None = None
    restriction: Restriction | None = None
    not_back: bool = False


Item = Base | Prefix | Query


@dataclass(frozen=True, slots=True)
class Queries(Node):
    """A file: declarations and queries, in their order."""

    items: tuple[Item, ...]
