"""Syntax tree to meaning, with the checks that need no columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NoReturn, TypeVar

from gpm import algebra
from spaseq.languages.mappings import tree
from spaseq.languages.node import Span
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree as sparql
from spaseq.languages.spaseq.lower_expression import AGGREGATES, ExpressionLowering, ExpressionPlace
from spaseq.languages.spaseq.lower_pattern import PatternLowering, refuse_paths
from spaseq.languages.spaseq.terms import Prefixes
from spaseq.pattern.mappings import EventTime, MappedColumn, Mapping, variables_of

Clause = TypeVar("Clause", tree.Event, tree.Time)
UNITS = ("us", "ms", "s")
_HOLE = re.compile(r"\{[?$]([^}]*)\}")
_ELEMENTS = {
    sparql.Group: "{ … }", sparql.Union: "UNION", sparql.Optional: "OPTIONAL", sparql.Minus: "MINUS",
    sparql.Graph: "GRAPH", sparql.Service: "SERVICE", sparql.Values: "VALUES", sparql.SubSelect: "SELECT",
}  # fmt: skip


def lower_mapping(node: tree.Mapping) -> Mapping:
    """What a mapping means; Problem for the first thing that means nothing."""
    names = Prefixes(node.prologue, first="CONSTRUCT")
    columns, each = (tuple(_named(node, kind)) for kind in (tree.Column, tree.Each))
    _check_columns([one for one in node.clauses if isinstance(one, tree.Column | tree.Each)])
    patterns = MappingLowering(names)
    steps = patterns.steps(node.group, [one.variable for one in (*columns, *each)])
    if not node.construct.template:
        raise Problem("the template is empty", node.construct.span, "an event needs at least one triple")
    template = patterns.template(node.construct.template)
    event = _only(node, tree.Event)
    name = patterns.event(event) if event else None
    return Mapping(columns, each, (*steps, *patterns.made), template, _time(node), name)


# ── clauses ──────────────────────────────────────────────────────────────────────────────────────────────
def _named(node: tree.Mapping, kind: type[tree.Column | tree.Each]) -> Iterator[MappedColumn]:
    return (MappedColumn(one.path, one.variable.name) for one in node.clauses if type(one) is kind)


def _check_columns(clauses: Sequence[tree.Column | tree.Each]) -> None:
    seen: set[str] = set()
    for one in clauses:
        if not all(one.path.split(".")):
            raise Problem(f'"{one.path}" names no column', one.span, "names have dots between, as in payload.id")
        if one.variable.name in seen:
            raise Problem(f"?{one.variable.name} stands for two columns", one.variable.span, "choose another name")
        seen.add(one.variable.name)


def _only(node: tree.Mapping, kind: type[Clause]) -> Clause | None:
    found = [one for one in node.clauses if isinstance(one, kind)]
    if len(found) > 1:
        word = "EVENT" if kind is tree.Event else "AT"
        raise Problem(f"{word} is given twice", found[1].span, syntax=True)
    return found[0] if found else None


def _time(node: tree.Mapping) -> EventTime:
    time = _only(node, tree.Time)
    if time is None:
        hint = "say which column has it, before CONSTRUCT: AT ?time"
        raise Problem("an event needs a time", node.construct.span, hint)
    if time.unit is not None and time.unit not in UNITS:
        raise Problem(f"the unit of time is us, ms or s, not {time.unit}", time.span)
    return EventTime(time.variable.name, time.unit, time.form)


# ── what a row binds, and the triples ────────────────────────────────────────────────────────────────────
class MappingLowering(PatternLowering):
    """Lowers WHERE and the template, whose IRI templates are bound by steps that are ``made``."""

    def __init__(self, names: Prefixes) -> None:
        super().__init__(names)
        self.expressions = MappingExpressions(names, self.group)
        self._variables: dict[algebra.Expression, algebra.Variable] = {}

    @property
    def made(self) -> tuple[algebra.Bind, ...]:
        """Binds the IRIs of templates."""
        return tuple(algebra.Bind(made, variable) for made, variable in self._variables.items())

    def steps(self, group: sparql.Group | None, columns: Sequence[str]) -> tuple[algebra.Bind | algebra.Filter, ...]:
        """What WHERE does."""
        found: list[algebra.Bind | algebra.Filter] = []
        taken = set(columns)
        for node in group.elements if group else ():
            if isinstance(node, sparql.Triples):
                hint = "a row is no graph: its columns are variables, and triples are made in CONSTRUCT"
                raise Problem("WHERE of a mapping has no triples", node.span, hint)
            if not isinstance(node, sparql.Bind | sparql.Filter):
                raise Problem(
                    f"{_ELEMENTS[type(node)]} cannot stand in a mapping", node.span, "WHERE has BIND and FILTER"
                )
            step = self.element(node, taken, ExpressionPlace.PATTERN)
            assert isinstance(step, algebra.Bind | algebra.Filter)
            found.append(step)
            if isinstance(step, algebra.Bind):  # a filter sees what is bound behind it
                name, read = step.variable.name, variables_of(step.expression)
                if name in read:
                    raise Problem(f"BIND to ?{name}, which is a column here", node.span, "choose a new variable")
                taken.update((*read, name))
        return tuple(found)

    def template(self, statements: Sequence[sparql.Statement]) -> tuple[algebra.Triple, ...]:
        """The triples of CONSTRUCT."""
        for statement in statements:
            refuse_paths(statement)
            if isinstance(statement.subject, sparql.Literal | sparql.Number | sparql.Boolean):
                raise Problem("a literal cannot be a subject", statement.subject.span)
        return tuple(self.triples(statements))

    def object(self, node: sparql.Object) -> tuple[algebra.Term, list[algebra.Triple]]:
        """See ``PatternLowering``: an IRI template is a variable."""
        if isinstance(node, tree.IriTemplate):
            return self._variable(node), []
        return super().object(node)

    def event(self, node: tree.Event) -> str:
        """The variable that has the name of an event."""
        return self._variable(node.name).name if isinstance(node.name, tree.IriTemplate) else node.name.name

    def _variable(self, node: tree.IriTemplate) -> algebra.Variable:
        made = self.expressions.lower(node, ExpressionPlace.PATTERN)
        return self._variables.setdefault(made, algebra.Variable(node.text))  # which nobody can write


class MappingExpressions(ExpressionLowering):
    """Lowers expressions over one row."""

    def lower(self, node: sparql.Expression, place: ExpressionPlace) -> algebra.Expression:
        """See ``ExpressionLowering``."""
        return self.made_iri(node) if isinstance(node, tree.IriTemplate) else super().lower(node, place)

    def made_iri(self, node: tree.IriTemplate) -> algebra.Operation:
        """``IRI(CONCAT(…, ENCODE_FOR_URI(STR(?variable)), …))``."""
        pieces: list[algebra.Expression] = []
        for text, variable in self._pieces(node):
            pieces += [algebra.Literal(text)] if text else []
            if variable:
                value = algebra.Operation("STR", (algebra.Variable(variable),))
                pieces.append(algebra.Operation("ENCODE_FOR_URI", (value,)))
        return algebra.Operation("IRI", (algebra.Operation("CONCAT", tuple(pieces)),))

    def _pieces(self, node: tree.IriTemplate) -> Iterator[tuple[str, str]]:
        """Pieces of the absolute IRI, each before a variable, the last before none.

        The IRI is resolved with marks in the places of values, as these have neither slash nor colon.
        """
        variables = _HOLE.findall(node.text)
        mark = next(mark for number in range(len(node.text)) if (mark := f"m{number}-") not in node.text)
        try:
            whole = self.names.iri(sparql.Iri(_HOLE.sub(mark, node.text), span=node.span))
        except Problem as problem:
            raise Problem(problem.message.replace(mark, "{…}"), node.span, problem.hint) from None
        *pieces, last = whole.split(mark)
        if len(pieces) < len(variables):
            raise Problem("../ takes a variable of the template away", node.span)
        if ":" not in pieces[0]:
            raise Problem(
                "the scheme of an IRI is no variable", node.span, "take the IRI as it is: BIND(IRI(?v) AS ?iri)"
            )
        yield from zip(pieces, variables, strict=True)
        yield last, ""

    def exists(self, node: sparql.Exists, place: ExpressionPlace) -> NoReturn:
        """A row is no graph."""
        raise Problem(
            "EXISTS cannot stand in a mapping: a row is no graph", node.span, "BOUND(?column): it is not NULL"
        )

    def call(self, node: sparql.Call, place: ExpressionPlace) -> algebra.Expression:
        """See ``ExpressionLowering``; Problem for what needs more than the row."""
        if isinstance(node.function, sparql.Name):
            refuse_call(node.function.text, node.function.span)
        return super().call(node, place)


def refuse_call(name: str, span: Span) -> None:
    """Problem for a function that sees more than a row, or gives something else each time."""
    if name in (*AGGREGATES, "PREV"):
        raise Problem(f"{name} cannot stand in a mapping, which sees one row", span)
    hints = {
        "NOW": "the time of an event is in a column: AT ?time",
        "BNODE": "write [] or _:label in CONSTRUCT",
    }
    if name in hints:
        raise Problem(f"{name} is not allowed", span, hints[name])
