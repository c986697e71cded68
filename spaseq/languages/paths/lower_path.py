"""Path expressions: syntax tree to ``spaseq.pattern.paths``."""

from __future__ import annotations

from spaseq.languages.paths import tree
from spaseq.languages.paths.refusals import check_condition, no_group
from spaseq.languages.spaseq.lower_expression import ExpressionLowering, ExpressionPlace
from spaseq.languages.spaseq.names import Prefixes
from spaseq.languages.spaseq.tree import Iri
from spaseq.pattern.paths import (
    EdgeStep,
    NegatedStep,
    NodeCondition,
    PathAlternatives,
    PathExpression,
    PathRepetition,
    PathSequence,
)


class PathLowering:
    """Lowers path expressions; ``^`` goes down to the steps, and turns sequences round on its way."""

    def __init__(self, names: Prefixes) -> None:
        self.names = names
        self.expressions = ExpressionLowering(names, no_group)

    def lower(self, node: tree.Path, inverse: bool = False) -> PathExpression:
        """The algebra of ``node``, or of ``^node``; Problem if it has no meaning."""
        match node:
            case Iri():
                return EdgeStep(self.names.iri(node), inverse)
            case tree.Inverse(path):
                return self.lower(path, not inverse)
            case tree.Sequence(parts):
                lowered = [self.lower(part, inverse) for part in parts]
                return PathSequence(tuple(reversed(lowered) if inverse else lowered))
            case tree.Alternatives(parts):
                return PathAlternatives(tuple(self.lower(part, inverse) for part in parts))
            case tree.Repeated(path, least, most):
                return PathRepetition(self.lower(path, inverse), least, most)
            case tree.Negated():
                return self.negated(node, inverse)
            case tree.Condition():
                return self.condition(node)

    def negated(self, node: tree.Negated, inverse: bool) -> NegatedStep:
        """``!(…)``: without an inverse part it takes no edge against its direction, and the other way round."""
        forward = tuple(self.names.iri(part) for part in node.parts if isinstance(part, Iri))
        against = tuple(self.names.iri(part.iri) for part in node.parts if isinstance(part, tree.InverseIri))
        sides = (forward if forward or not against else None, against or None)
        return NegatedStep(*reversed(sides)) if inverse else NegatedStep(*sides)

    def condition(self, node: tree.Condition) -> NodeCondition:
        """``[?x: …]``."""
        check_condition(node)
        return NodeCondition(node.variable.name, self.expressions.lower(node.expression, ExpressionPlace.PATTERN))
