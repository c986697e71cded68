"""Random syntax trees of path queries, such as the parser can give."""

from __future__ import annotations

from hypothesis import strategies as st

from spaseq.languages.paths import tree
from spaseq.languages.spaseq.tree import Base, Iri, Name, Prefix, Variable
from spaseq.pattern.paths import Restrictor, SelectorKind
from tests.language.strategies import expressions, iris, short, texts, tuples

names = st.sampled_from(["films", "_x1", "query", "label", "paths", "a"]).map(Name)
steps = st.one_of(iris, st.just(Iri("a")))
negated = tuples(st.one_of(steps, st.builds(tree.InverseIri, steps))).map(tree.Negated)
conditions = st.builds(tree.Condition, st.just(Variable("x")), expressions())
bounds = st.sampled_from([(0, None), (1, None), (0, 1), (2, None), (3, 3), (0, 4), (2, 1000), (0, 0), (1, 1)])


def _larger(path: st.SearchStrategy) -> st.SearchStrategy:
    return st.one_of(
        st.builds(tree.Inverse, path),
        tuples(path, 2).map(tree.Sequence),
        tuples(path, 2).map(tree.Alternatives),
        st.builds(lambda body, pair: tree.Repeated(body, *pair), path, bounds),
    )


paths = short(st.recursive(st.one_of(steps, negated, conditions), _larger, max_leaves=6))
ends = tuples(st.one_of(iris, texts.map(tree.Label)))
selectors = st.one_of(
    st.sampled_from([SelectorKind.ALL, SelectorKind.ALL_SHORTEST, SelectorKind.ANY_SHORTEST]).map(tree.Selector),
    st.builds(tree.Selector, st.sampled_from([SelectorKind.ANY, SelectorKind.SHORTEST]), st.integers(1, 99)),
)
restrictions = st.sampled_from(Restrictor).map(tree.Restriction)
queries = st.builds(
    tree.Query,
    names,
    paths,
    ends,
    ends,
    st.one_of(st.none(), selectors),
    st.one_of(st.none(), restrictions),
    st.booleans(),
)
declarations = st.one_of(
    st.just(Base(Iri("<http://b/>"))),
    st.sampled_from(["", "ex", "query"]).map(lambda name: Prefix(name, Iri("<http://e/>"))),
)
files = st.builds(
    lambda before, query, after: tree.Queries((*before, query, *after)),
    tuples(declarations),
    queries,
    tuples(st.one_of(declarations, queries)),
)
