"""What ``spaseq explain`` says of a mapping: the columns that are read, and how each triple is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpm.algebra import XSD, Bind, BlankNode, Expression, Iri, Literal, Operation, Triple, Variable
from gpm.expressions import compile_expression
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError
from spaseq.languages.mappings import ParsedMapping
from spaseq.pattern.mappings import EventTime, Mapping, variables_of
from spaseq.sources.mapped.casts import is_cast
from spaseq.sources.mapped.opening import cast_types
from spaseq.sources.mapped.solutions import iri_pieces
from spaseq.text import json_text

CONSTANT, COLUMN, TEMPLATE, COMPUTED = "constant", "column", "template", "computed"


def explained(parsed: ParsedMapping, form: str) -> str:
    """All of it as text or as data.  OptionError: another form, as a mapping has no automaton to draw."""
    if form == "json":
        return json_text(described(parsed.mapping), indent=2)
    if form != "text":
        raise OptionError(f"--format {form}: a mapping has no automaton; write text or json")
    return "\n".join(_lines(described(parsed.mapping)))


def described(mapping: Mapping) -> dict[str, Any]:
    """All that is said, as plain data."""
    casts = cast_types(mapping)
    return {
        "event": mapping.event and _named(mapping, mapping.event),
        "time": _time(mapping.time),
        "columns": [
            {"path": path, "variable": name, "type_in_text": str(casts[path]) if path in casts else None}
            for name, path in mapping.asked.items()
        ],
        "each": [{"path": one.path, "variable": one.variable} for one in mapping.each],
        "triples": [_triple(mapping, one) for one in mapping.template],
        "steps": [
            {
                "binds": step.variable.name if isinstance(step, Bind) else None,
                "reads": list(dict.fromkeys(variables_of(step.expression))),
                "evaluated": _evaluated(step.expression),
            }
            for step in mapping.steps
            if not (isinstance(step, Bind) and _is_template(step.variable.name))
        ],
    }


def _triple(mapping: Mapping, triple: Triple) -> dict[str, Any]:
    terms = [triple.subject, triple.predicate, triple.object]
    return {"terms": list(map(_written, terms)), "made": [_made(mapping, one) for one in terms]}


def _made(mapping: Mapping, term: object) -> str:
    """How a term comes about."""
    if not isinstance(term, Variable):
        return CONSTANT if isinstance(term, Iri | Literal) else "new blank node"
    if _is_template(term.name):
        return TEMPLATE
    return COLUMN if term.name in mapping.asked else COMPUTED


def _evaluated(expression: Expression) -> str:
    """By what an expression is evaluated."""
    if isinstance(expression, Operation) and is_cast(expression.name) and isinstance(expression.arguments[0], Variable):
        return "natively, other values by pyoxigraph" if expression.name != f"<{XSD}string>" else "natively"
    names = {name: place for place, name in enumerate(dict.fromkeys(variables_of(expression)))}
    is_native = iri_pieces(expression) is not None or compile_expression(expression, names, Terms()) is not None
    return "natively" if is_native else "by pyoxigraph"


def _named(mapping: Mapping, name: str) -> str:
    return f"{_variable(name)} ({_made(mapping, Variable(name))})"


def _time(time: EventTime) -> str:
    how = f" in {time.unit}" if time.unit else f" as {time.form}" if time.form else ""
    return f"?{time.variable}{how}"


def _written(term: object) -> str:
    match term:
        case Variable(name):
            return _variable(name)
        case Iri(value):
            return f"<{value}>"
        case BlankNode(label):
            return f"_:{label}"
        case _:
            return str(term)


def _variable(name: str) -> str:
    return name if _is_template(name) else f"?{name}"


def _is_template(name: str) -> bool:
    return name.startswith("<")


# ── as text ──────────────────────────────────────────────────────────────────────────────────────────────
def _lines(said: dict[str, Any]) -> Iterator[str]:
    event = said["event"] or "each row; its name is that of an event without one"
    yield f"event: {event}"
    yield f"time: {said['time']}"
    yield "columns:"
    for column in said["columns"]:
        type_ = f", in text read as {column['type_in_text']}" if column["type_in_text"] else ""
        yield f"  {column['path']} as ?{column['variable']}{type_}"
    for each in said["each"]:
        yield f"  a solution for each element of {each['path']} as ?{each['variable']}"
    yield "triples:"
    for triple in said["triples"]:
        yield f"  {' '.join(triple['terms'])}  ({', '.join(triple['made'])})"
    for step in said["steps"]:
        what = "a filter" if step["binds"] is None else f"?{step['binds']} is computed"
        yield f"{what} of {', '.join(f'?{name}' for name in step['reads']) or 'nothing'}: {step['evaluated']}"
