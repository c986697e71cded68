"""Random patterns on random events: the native solver agrees with pyoxigraph's answer on each event."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings, strategies as st
from pyoxigraph import Triple as OxTriple

from gpm.algebra import Group
from gpm.native.solver import PatternSet
from gpm.native_plan import compile_native
from gpm.native_steps import NativePattern
from gpm.printing import print_group
from gpm.rows import EventGraph
from gpm.scope import in_scope
from nfa_native.terms.dictionary import Terms
from tests.gpm.native.encoded import answers, arrays
from tests.gpm.test_properties import graphs, patterns
from tests.gpm.worlds import EXAMPLES, plain

QUICK = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(st.lists(patterns, min_size=1, max_size=2), st.lists(graphs, min_size=1, max_size=3))
def test_equals_one_query_per_event(some: list[Group], worlds: list[list[OxTriple]]) -> None:
    terms = Terms()
    events = [EventGraph(triples, n, n) for n, triples in enumerate(worlds)]
    slots = [tuple(sorted(in_scope(pattern))) for pattern in some]
    compiled = [compile_native(pattern, names, terms) for pattern, names in zip(some, slots, strict=True)]
    pairs = [(p, n, c) for p, n, c in zip(some, slots, compiled, strict=True) if isinstance(c, NativePattern)]
    found = PatternSet([c for _, _, c in pairs]).solve(*arrays(events, terms))
    for (pattern, names, _), solutions in zip(pairs, found, strict=True):
        expected = plain(print_group(pattern), events, names, terms)
        for mine, theirs in zip(answers(solutions, len(events)), expected, strict=True):
            assert mine is None or mine == theirs, print_group(pattern)
