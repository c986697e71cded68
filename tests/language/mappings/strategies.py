"""Random syntax trees of mappings, such as the parser can give."""

from __future__ import annotations

from hypothesis import strategies as st

from spaseq.languages.mappings import tree
from spaseq.languages.spaseq.tree import Bind, Filter, Group, Property, Statement
from tests.language.strategies import expressions, objects, prologues, short, statements, texts, tuples, variables

templates = st.sampled_from(["<q/{?v}>", "<http://e/{$x1}/{?été}>", "<{?v}>", "<a{?v}#b>"]).map(tree.IriTemplate)
clauses = st.one_of(
    st.builds(tree.Column, texts, variables),
    st.builds(tree.Each, texts, variables),
    st.builds(tree.Event, st.one_of(variables, templates)),
    st.builds(tree.Time, variables),
    st.builds(tree.Time, variables, unit=st.sampled_from(["ms", "unit", "at"])),
    st.builds(tree.Time, variables, form=texts),
)
_values = st.one_of(expressions(), templates)
_elements = st.one_of(st.builds(Filter, _values), st.builds(Bind, _values, variables))
_properties = st.builds(Property, variables, tuples(st.one_of(templates, objects), 1))
_statements = st.one_of(statements, st.builds(Statement, templates, tuples(_properties, 1)))
mappings = short(
    st.builds(
        tree.Mapping,
        prologues,
        tuples(clauses),
        tuples(_statements).map(tree.Construct),
        st.one_of(st.none(), tuples(_elements).map(Group)),
    )
)
