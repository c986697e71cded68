"""Random pairs whose sequence has a form that is asked for, and what laws need: to change a sequence, to say what a
filter reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .chooser import Seeded
from .expressions import names_in
from .generate import SECOND, Maker, Pair, Size
from .graphs import mappings
from .model import And, AnyOrder, Event, Gpm, Kleene, Maybe, Node, Not, Or, Query, Seq
from .plan import is_stateful, plan_of
from .sequences import Sequences, is_valid, kleene_depth

SIZE = Size(events=7, least_events=4)


@dataclass
class Template(Sequences):
    """Makes sequences of a form, out of random parts."""

    form: Callable[[Sequences], Node] = Sequences.atom

    def sequence(self, operators: int) -> Node:
        """A valid sequence of the form, whatever the number of operators."""
        while True:
            self.used = 0
            node = self.form(self)
            if is_valid(node) and kleene_depth(node) <= 2:
                return node


def templated(seed: int, form: Callable[[Sequences], Node], size: Size = SIZE) -> Pair:
    """The pair of a seed with a sequence of the form; its events resemble a match."""
    maker = Maker(Seeded(seed), size)
    maker.sequences = Template(maker.chooser, form=form)
    return maker.pair()


def changed(node: Node, change: Callable[[Node], Node]) -> Node:
    """The expression with every part changed, the inner ones first."""
    match node:
        case And(operands) | Or(operands) | AnyOrder(operands):
            node = type(node)(tuple(changed(operand, change) for operand in operands))
        case Seq(left, sign, right):
            node = Seq(changed(left, change), sign, changed(right, change))
        case Kleene(body) | Maybe(body) | Not(body):
            node = replace(node, body=changed(body, change))
    return change(node)


def with_sequence(query: Query, change: Callable[[Node], Node]) -> Query:
    """The query with its sequence changed."""
    return replace(query, sequence=changed(query.sequence, change))


def read(gpm: Gpm) -> set[str]:
    """The variables that the stateful filters of a GPM name."""
    return {name for filter_ in gpm.filters if is_stateful(filter_, gpm) for name in names_in(filter_)}


def reads_across(query: Query) -> bool:
    """Whether an atom has a filter that names a variable of another side of an `&&` around it, whatever binds it."""
    taken = [one for one in plan_of(query).occurrences if not one.negated]
    return any(own.is_beside(o) and read(own.gpm) & set(o.gpm.variables) for own in taken for o in taken)


def certain(gpm: Gpm) -> set[str]:
    """The variables that a GPM of the generators binds in every row."""
    perhaps = {"OPTIONAL": "o", "UNION": "kvzabcdefgh"}
    return {name for name in gpm.variables if not any(w in gpm.pattern and name[0] in perhaps[w] for w in perhaps)}


def apart(pair: Pair) -> Pair:
    """The pair with its events a second apart, of those that have one row at most for every GPM."""
    single = [event for event in pair.events if all(count < 2 for _, count in fitting(pair.query, event))]
    return replace(pair, events=tuple(replace(one, time=number * SECOND) for number, one in enumerate(single)))


def fitting(query: Query, event: Event) -> Iterator[tuple[str, int]]:
    """The GPMs that match an event, each with how many rows."""
    for gpm in query.gpms:
        if found := mappings(query, gpm, event):
            yield gpm.name, len(found)
