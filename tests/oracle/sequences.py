"""Random valid sequence expressions, and the words they describe."""

from __future__ import annotations

from dataclasses import dataclass

from .chooser import Chooser
from .model import And, AnyOrder, Atom, Kleene, Maybe, Node, Not, Or, Seq, is_bop, parts, walk_nodes

Word = list[list[str]]
QUANTIFIERS: tuple[tuple[int, int | None], ...] = ((1, None), (1, None), (0, None), (2, 2), (1, 2), (0, 2), (2, None))


@dataclass
class Sequences:
    """Makes sequence expressions over the atoms A, B, C, …, each letter used once unless one is repeated by choice.

    any_order: whether each has an `&&` (otherwise none has); inside: in how many the part being made stands.
    """

    chooser: Chooser
    any_order: bool = False
    used: int = 0
    inside: int = 0

    def sequence(self, operators: int) -> Node:
        """A valid expression of about so many operators."""
        while True:
            self.used = 0
            node = self.part(max(operators, int(self.any_order)))
            if is_valid(node) and kleene_depth(node) <= 2 and has_any_order(node) == self.any_order:
                return node

    def part(self, operators: int) -> Node:
        """Any expression."""
        if operators <= 0:
            return self.atom()
        forms = [self.chain] * 5 + [self.repeated] * 3 + [self.optional, self.joined, self.either]
        forms += [self.unordered] * (1 if self.inside else 5) * self.any_order
        return self.chooser.pick(forms)(operators - 1)

    def atom(self) -> Node:
        """A new atom, or now and then one used before."""
        if self.used and self.chooser.chance(12):
            return Atom("ABCDEFGH"[self.chooser.integer(0, self.used - 1)])
        self.used += 1
        return Atom("ABCDEFGH"[self.used - 1])

    def chain(self, operators: int) -> Node:
        """`left operator right`, either side perhaps negated; mostly left-associative, but for `&&` on the right."""
        right = self.chooser.integer(0, operators) if self.chooser.chance(50) else 0
        if self.any_order and self.chooser.chance(60):
            right = operators - right
        left_side = self.element(operators - right)
        return Seq(left_side, self.chooser.pick(";,:;"), self.element(right))

    def element(self, operators: int) -> Node:
        """An operand of a sequence: any expression or a negated BOp."""
        if self.chooser.chance(18):
            return Not(self.bop(min(operators, 1)))
        return self.part(operators)

    def bop(self, operators: int) -> Node:
        """An atom, or BOps combined by `&` and `|`."""
        if operators <= 0:
            return self.atom()
        left = self.chooser.integer(0, operators - 1)
        both = self.bop(left), self.bop(operators - 1 - left)
        return And(both) if self.chooser.chance(50) else Or(both)

    def joined(self, operators: int) -> Node:
        """`A & B`."""
        left = self.chooser.integer(0, operators)
        return And((self.bop(left), self.bop(operators - left)))

    def either(self, operators: int) -> Node:
        """`A | B`, also of Kleenes and sequences."""
        left = self.chooser.integer(0, operators)
        return Or((self.part(left), self.part(operators - left)))

    def unordered(self, operators: int) -> Node:
        """`A && B`, now and then with a third side; seldom within another `&&`."""
        self.inside += 1
        left = self.chooser.integer(0, operators)
        sides = [self.part(left), self.part(operators - left)]
        sides += [self.part(0)] if self.chooser.chance(15) else []
        self.inside -= 1
        return AnyOrder(tuple(sides))

    def repeated(self, operators: int) -> Node:
        """A Kleene."""
        least, most = self.chooser.pick(QUANTIFIERS)
        return Kleene(self.part(operators), least, most, self.chooser.pick((None, None, ";", ",", ":")))

    def optional(self, operators: int) -> Node:
        """`A?`."""
        return Maybe(self.part(operators))

    def word(self, node: Node) -> Word:
        """The atoms of the steps of one match of an expression; a negated atom now and then, to break it."""
        match node:
            case Atom(name):
                return [[name]]
            case And(operands):
                return [[name for operand in operands for name in self.word(operand)[0]]]
            case Or(operands):
                return self.word(self.chooser.pick(operands))
            case AnyOrder(sides):
                return self.merged([self.word(side) for side in sides])
            case Seq(left, ",", AnyOrder(sides)):
                words = [self.word(side) for side in sides]
                return [*self.word(left), [name for word in words for name in word.pop(0)], *self.merged(words)]
            case Seq(left, _, right):
                return self.word(left) + self.word(right)
            case Maybe(body):
                return self.word(body) if self.chooser.chance(60) else []
            case Not(body):
                return self.word(body) if self.chooser.chance(25) else []
            case Kleene(body, least, most, _):
                count = self.chooser.integer(max(least, 1 if self.chooser.chance(70) else 0), most or least + 2)
                return [step for _ in range(count) for step in self.word(body)]

    def merged(self, words: list[Word]) -> Word:
        """The steps of all words, those of each in its order; now and then steps of two at one time."""
        merged: Word = []
        while left := [word for word in words if word]:
            first = self.chooser.pick(left)
            step = first.pop(0)
            others = [word for word in left if word is not first]
            if others and self.chooser.chance(25):
                step = step + self.chooser.pick(others).pop(0)
            merged.append(step)
        return merged


def is_valid(node: Node) -> bool:
    """Whether a sequence expression is valid: no error the semantics names, and every part can pick an event."""
    return not isinstance(node, Not) and all(map(_is_sound, walk_nodes(node)))


def _is_sound(node: Node) -> bool:
    if isinstance(node, And | Not):
        return all(map(is_bop, parts(node)))
    if isinstance(node, Or):
        return all(is_bop(part) or isinstance(part, Kleene | Seq | AnyOrder) for part in node.parts)
    if isinstance(node, AnyOrder):
        return len(node.sides) > 1 and all(_is_side(side) for side in node.sides)
    if isinstance(node, Kleene | Maybe):
        return not isinstance(node.body, Not | AnyOrder)
    return not isinstance(node, Seq) or picks(node)


def _is_side(node: Node) -> bool:
    """Whether an expression may be a side of `&&`: it begins and ends in a pick, however it is taken."""
    return _has_picks_at(node, 0) and _has_picks_at(node, -1)


def _has_picks_at(node: Node, end: int) -> bool:
    """Whether whatever is taken of an expression begins (end 0) or ends (end -1) in a pick."""
    match node:
        case Seq(left, _, right):
            return _has_picks_at((left, right)[end], end)
        case Or(branches):
            return all(_has_picks_at(branch, end) for branch in branches)
        case Kleene(body, least, _, _):
            return least > 0 and _has_picks_at(body, end)
    return not isinstance(node, Not | Maybe)


def picks(node: Node) -> bool:
    """Whether the expression has an atom that is not negated."""
    return not isinstance(node, Not) and (isinstance(node, Atom) or any(map(picks, parts(node))))


def has_any_order(node: Node) -> bool:
    """Whether the expression has an `&&`."""
    return any(isinstance(part, AnyOrder) for part in walk_nodes(node))


def kleene_depth(node: Node) -> int:
    """How deep Kleenes are nested; the derivations grow exponentially with it."""
    return isinstance(node, Kleene) + max(map(kleene_depth, parts(node)), default=0)
