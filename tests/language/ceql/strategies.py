"""Random syntax trees of CEQL, such as the parser can give."""

from __future__ import annotations

from hypothesis import strategies as st

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.printer import STRATEGIES
from spaseq.languages.ceql.tree import AGGREGATES, COMPARISONS, POLICIES
from spaseq.streams.timestamps import MICROSECONDS

WORDS = ["A", "b", "_x1", "last", "in", "FILTER", "été", "two words", "a`b", "Max", "hours", "true", "count", "--", "1"]
words = st.sampled_from(WORDS)
names = words.map(tree.Name)
references = st.builds(tree.Reference, words, st.none() | words)
numbers = st.sampled_from(["0", "12", "1.5", ".5", "1e3", "2E-2"]).map(tree.Number)
signed = st.sampled_from(["-7", "+2.0", "-.5", "3"]).map(tree.Number)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6).map(tree.Text)
constants = st.one_of(numbers, signed, texts, st.booleans().map(tree.Boolean), st.just(tree.Null()))
parameters = st.builds(tree.Parameter, st.sampled_from(["limit", "_x1", "GIVEN", "été"]))
attributes = st.builds(tree.Attribute, words)
of_variables = st.builds(tree.Attribute, words, words)


def tuples(of: st.SearchStrategy, least: int = 1, most: int = 3) -> st.SearchStrategy:
    return st.lists(of, min_size=least, max_size=most).map(tuple)


def operations(operators: tuple[str, ...], operand: st.SearchStrategy, number: int = 2) -> st.SearchStrategy:
    return st.builds(tree.Operation, st.sampled_from(operators), st.tuples(*[operand] * number))


def larger(inner: st.SearchStrategy) -> st.SearchStrategy:
    bound = st.none() | signed | parameters
    open_ranges = st.builds(tree.Interval, inner, bound, bound, st.booleans()).filter(
        lambda node: (node.low is None) != (node.high is None)
    )
    return st.one_of(
        operations(("+", "-", "*", "/", "%", "AND", "OR", *COMPARISONS), inner),
        operations(("+", "-"), inner.filter(lambda node: not is_unsigned(node)), 1),
        operations(("+", "-"), numbers, 1),
        operations(("NOT",), inner, 1),
        st.builds(tree.Like, inner, texts | parameters, st.booleans()),
        st.builds(tree.Membership, inner, tuples(constants | parameters), st.booleans()),
        st.builds(tree.Interval, inner, inner, inner, st.booleans()),
        open_ranges,
        st.builds(tree.IsNull, inner, st.booleans()),
        st.builds(tree.Test, references, inner),
    ).filter(lambda node: not is_qualified_test(node))


def is_unsigned(node: tree.Expression) -> bool:
    return isinstance(node, tree.Number) and node.text[0] not in "+-"


def is_qualified_test(node: tree.Expression) -> bool:
    """``S > T[…]`` is read as a test of `S>T`, so that no comparison has these operands."""
    match node:
        case tree.Operation(">", (tree.Attribute(_, None), tree.Test(tree.Reference(_, None)))):
            return True
    return False


leaves = st.one_of(attributes, of_variables, constants, parameters)
small = leaves | larger(leaves)
expressions = larger(larger(small) | small) | small


def formulas_above(inner: st.SearchStrategy) -> st.SearchStrategy:
    return st.one_of(
        st.builds(tree.Named, inner, names),
        st.builds(tree.Filtered, inner, expressions),
        st.builds(tree.Alternatives, inner, inner),
        st.builds(tree.Unordered, inner, inner),
        st.builds(tree.Steps, inner, st.booleans(), inner),
        st.builds(tree.Repeated, inner, st.booleans()),
    )


steps = references | formulas_above(references)
formulas = steps | formulas_above(steps) | formulas_above(formulas_above(steps))
numeric = of_variables | signed | numbers
calculated = operations(("+", "-", "*", "/", "%"), numeric | operations(("+", "*"), numeric))
aggregates = st.builds(tree.Aggregate, st.sampled_from(AGGREGATES), st.none() | of_variables | calculated)
shown = st.builds(tree.Shown, aggregates | of_variables | parameters, st.none() | names)
selects = st.builds(tree.Select, st.none() | st.sampled_from(STRATEGIES), st.none() | tuples(references | shown))
lengths = numbers | parameters
durations = st.builds(tree.Duration, lengths, st.sampled_from(sorted(MICROSECONDS)))
windows = st.one_of(
    tuples(durations, 1, 2).map(tree.TimeWindow),
    lengths.map(tree.EventWindow),
    st.builds(tree.AttributeWindow, lengths, names),
)
rows = tuples(tuples(constants).map(tree.Row), 0)
given = st.builds(tree.Given, tuples(parameters), st.none() | rows)
queries = st.builds(
    tree.Query,
    selects,
    tuples(names, 0),
    formulas,
    tuples(names, 0),
    st.none() | windows,
    st.none() | numbers,
    st.none() | st.sampled_from(POLICIES).map(tree.Consume),
    tuples(of_variables, 0),
    st.none() | given,
)
