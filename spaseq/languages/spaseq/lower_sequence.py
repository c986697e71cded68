"""Sequence expressions: syntax tree to pattern algebra, with the rules of SEMANTICS 3 on what may stand where."""

from __future__ import annotations

from collections.abc import Collection

from spaseq.languages.problem import Problem
from spaseq.languages.spaseq import tree
from spaseq.pattern import sequences
from spaseq.pattern.sequences import MOST_STEPS, SequenceExpression, Strategy, written_out
from spaseq.suggestion import did_you_mean


def lower_sequence(node: tree.Sequence, defined: Collection[str]) -> SequenceExpression:
    """The pattern of SEQ; ``defined`` are the names of the GPMs."""
    expression = _Lowering(defined).lower(node, False)
    if isinstance(node, tree.Negated) or is_negative(node):
        raise _alone(node)
    return expression


class _Lowering:
    def __init__(self, defined: Collection[str]) -> None:
        self.defined = defined

    def lower(self, node: tree.Sequence, in_steps: bool) -> SequenceExpression:
        """The algebra of ``node``; ``in_steps``: it is in an operand of ``,`` ``;`` or ``:``."""
        match node:
            case tree.Reference():
                return self.atom(node)
            case tree.Steps(left, operator, right):
                return sequences.Sequence(self.lower(left, True), Strategy(operator), self.lower(right, True))
            case tree.Alternatives(left, right):
                for side in (left, right):
                    _refuse_negative(side)
                return sequences.Disjunction(self.lower(left, in_steps), self.lower(right, in_steps))
            case tree.Conjuncts(left, right):
                for side in (left, right):
                    _require_one_event(side, "&")
                return sequences.Conjunction(self.lower(left, in_steps), self.lower(right, in_steps))
            case tree.Repeated():
                return self.repeated(node, in_steps)
            case tree.Possible(body):
                _refuse_negative(body, node)
                return sequences.Optional(self.lower(body, in_steps))
            case tree.Negated(body):
                _require_one_event(body, "!")
                return sequences.Negation(self.lower(body, in_steps))

    def atom(self, node: tree.Reference) -> sequences.Atom:
        """A GPM that is defined."""
        if node.name not in self.defined:
            hint = _operator_hint(node.name) or did_you_mean(node.name, self.defined) or "DEFINE GPM it below"
            raise Problem(f"unknown GPM {node.name}", node.span, hint)
        return sequences.Atom(node.name)

    def repeated(self, node: tree.Repeated, in_steps: bool) -> SequenceExpression:
        """``X+`` and its kin; ``X*`` and ``X{0,m}`` are an Optional of a Kleene."""
        _refuse_negative(node.body, node)
        strategy = Strategy(node.operator or ("," if in_steps else ";"))
        kleene = sequences.Kleene(self.lower(node.body, in_steps), max(node.least, 1), node.most, strategy)
        if written_out(kleene) > MOST_STEPS:
            message = f"the repetition stands for {written_out(kleene):,} steps, more than {MOST_STEPS:,}"
            raise Problem(message, node.span, "where any number will do, X+ and X{n,} cost less")
        return kleene if node.least else sequences.Optional(kleene)


def _operator_hint(name: str) -> str:
    """For words that are operators elsewhere."""
    operator = {"AND": "&", "OR": "|", "NOT": "A!", "THEN": ";"}.get(name.upper())
    return f"the operator is written {operator}" if operator else ""


def is_negative(node: tree.Sequence) -> bool:
    """Whether ``node`` has nothing but negations."""
    if isinstance(node, tree.Steps):
        return is_negative(node.left) and is_negative(node.right)
    return isinstance(node, tree.Negated)


def is_one_event_each(node: tree.Sequence) -> bool:
    """Whether ``node`` is a BOp: GPMs joined by & and |."""
    if isinstance(node, tree.Conjuncts | tree.Alternatives):
        return is_one_event_each(node.left) and is_one_event_each(node.right)
    return isinstance(node, tree.Reference)


def _refuse_negative(node: tree.Sequence, around: tree.Node | None = None) -> None:
    if is_negative(node):
        raise _alone(node, around)


def _alone(node: tree.Sequence, around: tree.Node | None = None) -> Problem:
    message = "a negation has to stand beside an element that picks an event"
    if isinstance(around, tree.Repeated | tree.Possible):
        message = "a negation can be neither repeated nor optional"
    return Problem(message, (around or node).span, "as in A ; B! ; C: no B between A and C")


def _require_one_event(node: tree.Sequence, operator: str) -> None:
    """Problem if ``node``, an operand of & or !, is more than one event for each GPM."""
    if is_one_event_each(node):
        return
    kind = {
        tree.Repeated: "a repetition",
        tree.Possible: "an optional element",
        tree.Negated: "a negation",
        tree.Steps: "a sequence",
    }
    guilty = node
    while isinstance(guilty, tree.Conjuncts | tree.Alternatives):
        guilty = guilty.right if is_one_event_each(guilty.left) else guilty.left
    message = f"{kind[type(guilty)]} cannot be an operand of {operator}"
    raise Problem(message, guilty.span, f"{operator} takes GPMs, or GPMs joined by & and | in parentheses")
