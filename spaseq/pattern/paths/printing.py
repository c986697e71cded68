"""Path queries as text: what the language of paths reads as the same query, with IRIs in full."""

from __future__ import annotations

from collections.abc import Iterator

from gpm.printing import print_expression, quote
from spaseq.pattern.paths.expression import (
    EdgeStep,
    NegatedStep,
    NodeCondition,
    PathAlternatives,
    PathExpression,
    PathRepetition,
    PathSequence,
)
from spaseq.pattern.paths.query import LabelledNodes, NodeName, PathQuery, PathSelector, SelectorKind

_ALTERNATIVES, _SEQUENCE, _STEP, _PRIMARY = range(4)  # what binds looser first


def print_path_query(query: PathQuery) -> str:
    """The query in one line, selector and restrictor always written."""
    return " ".join(_parts(query))


def _parts(query: PathQuery) -> Iterator[str]:
    yield f"QUERY {query.name}"
    if query.starts:
        yield f"FROM {', '.join(map(print_node, query.starts))}"
    if query.ends:
        yield f"TO {', '.join(map(print_node, query.ends))}"
    yield print_selector(query.selector)
    yield query.restrictor.value
    yield print_path_expression(query.expression)
    if query.not_back:
        yield "NOT BACK TO START"


def print_node(node: NodeName) -> str:
    """A node of FROM or TO."""
    return f"LABEL {quote(node.text)}" if isinstance(node, LabelledNodes) else f"<{node.value}>"


def print_selector(selector: PathSelector) -> str:
    """The selector; a count of 1 is not written."""
    counts = selector.kind in (SelectorKind.ANY, SelectorKind.SHORTEST) and selector.count != 1
    return f"{selector.kind.value} {selector.count}" if counts else selector.kind.value


def print_path_expression(expression: PathExpression, least: int = _ALTERNATIVES) -> str:
    """The expression, in parentheses if it binds looser than ``least``.

    The empty sequence is ``()``, which the language has not.
    """
    match expression:
        case EdgeStep(predicate, inverse):
            level, text = (_STEP, f"^<{predicate}>") if inverse else (_PRIMARY, f"<{predicate}>")
        case NegatedStep():
            level, text = _negated(expression)
        case NodeCondition(variable, condition):
            level, text = _PRIMARY, f"[?{variable}: {print_expression(condition)}]"
        case PathSequence(parts):
            inner = "/".join(print_path_expression(part, _STEP) for part in parts)
            level, text = (_SEQUENCE, inner) if parts else (_PRIMARY, "()")
        case PathAlternatives(parts):
            level, text = _ALTERNATIVES, "|".join(print_path_expression(part, _SEQUENCE) for part in parts)
        case PathRepetition(body, fewest, most):
            level, text = _STEP, print_path_expression(body, _PRIMARY) + print_bounds(fewest, most)
    return text if level >= least else f"({text})"


def _negated(step: NegatedStep) -> tuple[int, str]:
    """``!(<p>|^<q>)``; a direction in which every predicate will do stands by itself."""
    named = [f"<{each}>" for each in step.forward or ()] + [f"^<{each}>" for each in step.inverse or ()]
    texts = [f"!({'|'.join(named)})"] if named else []
    texts += ["!()"] if step.forward == () else []
    texts += ["^!()"] if step.inverse == () else []
    return (_ALTERNATIVES if len(texts) > 1 else _STEP), "|".join(texts)


def print_bounds(least: int, most: int | None) -> str:
    """``*``, ``+``, ``?`` or the bounds in braces."""
    match least, most:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _ if least == most:
            return f"{{{least}}}"
        case _:
            return f"{{{least},{'' if most is None else most}}}"
