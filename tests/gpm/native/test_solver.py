"""The native solver by example."""

from __future__ import annotations

import numpy as np
import pytest

from gpm.algebra import Bind, Exists, Filter, Group, Minus, Optional, Projection, SubSelect, Union, Values, Variable
from gpm.evaluator import Evaluator, Mode
from gpm.native.solver import PatternSet, solve
from gpm.native_algebra import summary
from gpm.native_plan import compile_native
from gpm.native_steps import Reason
from gpm.rows import EventGraph
from gpm.scope import in_scope
from gpm.terms import encode
from nfa_native.terms.dictionary import Terms
from tests.gpm.cases import EVENTS, PLAIN, WITH_KNOWLEDGE
from tests.gpm.native.encoded import answer, answers, arrays, native, reason
from tests.gpm.worlds import Row, bgp, call, event, group, iri, plain, sets, term

QUOTES = [
    event(":q1 :company :ibm ; :price 10 ; :volume 7 .", 1_000_000, 1),
    event(":q2 :company :sap ; :price 20.5 .", 2_000_000, 2),
    event(":q3 :price 30 .", 3_000_000, 3),
]
QUOTE = bgp("?q :company ?c", "?q :price ?p")


def words(terms: Terms, text: str) -> Row:
    """The words of short terms; ``-`` is unbound."""
    return tuple(0 if one == "-" else encode(terms, term(one)) for one in text.split())  # type: ignore[arg-type]


def solutions(pattern: Group, columns: str, events: list[EventGraph], *expected: list[str]) -> None:
    """Asserts the solutions of each event."""
    terms = Terms()
    (found,) = answer([native(pattern, tuple(columns.split()), terms)], events, terms)
    assert found == [{words(terms, text) for text in texts} for texts in expected]


def above(price: str) -> Filter:
    return Filter(call(">", "?p", price))


def test_a_pattern_gives_rows_of_words_for_each_event() -> None:
    solutions(group(QUOTE), "c p", QUOTES, [":ibm 10"], [":sap 20.5"], [])


def test_a_filter_compares_numbers_of_all_kinds() -> None:
    solutions(group(QUOTE, above("10.25")), "c p", QUOTES, [], [":sap 20.5"], [])


def test_an_optional_part_stays_unbound() -> None:
    pattern = group(QUOTE, Optional(group(bgp("?q :volume ?v"), Filter(call("<", "?v", "?p")))))
    solutions(pattern, "c v", QUOTES, [":ibm 7"], [":sap -"], [])


def test_a_union_joins_each_branch() -> None:
    pattern = group(bgp("?q :price ?p"), Union((group(bgp("?q :company ?x")), group(bgp("?q :volume ?x")))))
    solutions(pattern, "p x", QUOTES, ["10 :ibm", "10 7"], ["20.5 :sap"], [])


def test_values_bind_exists_and_minus() -> None:
    wanted = Values((Variable("c"),), ((iri("ibm"),), (iri("sap"),), (None,)))
    double = Bind(call("*", "?p", "2"), Variable("d"))
    volume = group(bgp("?q :volume ?v"))
    solutions(group(QUOTE, wanted, double), "c d", QUOTES, [":ibm 20"], [":sap 41.0"], [])
    solutions(group(QUOTE, Filter(Exists(volume))), "c", QUOTES, [":ibm"], [], [])
    solutions(group(QUOTE, Filter(call("||", Exists(volume, True), "?nothing"))), "c", QUOTES, [], [":sap"], [])
    solutions(group(QUOTE, Minus(volume)), "c", QUOTES, [], [":sap"], [])


def test_an_erroneous_bind_leaves_its_variable_unbound() -> None:
    solutions(group(QUOTE, Bind(call("+", "?c", "1"), Variable("d"))), "c d", QUOTES[:1], [":ibm -"])


def test_now_is_the_time_of_the_event() -> None:
    late = Filter(call("=", call("SECONDS", call("NOW")), "2.0"))
    solutions(group(QUOTE, late), "c", QUOTES, [], [":sap"], [])


def test_a_pattern_without_columns_has_one_empty_row() -> None:
    solutions(group(bgp("?q ?any ?x")), "", [*QUOTES, event("")], [""], [""], [""], [])


def test_the_empty_group_has_one_solution_on_every_event() -> None:
    solutions(group(), "x", [event(""), event(":a :p :b .")], ["-"], ["-"])


def test_columns_that_nothing_binds_are_unbound() -> None:
    solutions(group(QUOTE, Minus(group(bgp("?q :volume ?v")))), "c v z", QUOTES[1:2], [":sap - -"])


def test_nested_groups_are_joined() -> None:
    solutions(group(QUOTE, group(bgp("?q :price ?p"), above("15"))), "c", QUOTES, [], [":sap"], [])
    deeper = Optional(group(bgp("?q :volume ?v"), Optional(group(bgp("?q :price ?w"), above("5")))))
    assert reason(group(QUOTE, deeper)) == "?p in a group that does not bind it itself"


def test_what_a_group_must_not_see_is_left_to_pyoxigraph() -> None:
    """By the recommendation ?p is unbound in these places; pyoxigraph sometimes sees it."""
    why = "?p in a group that does not bind it itself"
    assert reason(group(QUOTE, group(above("0")))) == why
    assert reason(group(QUOTE, Optional(group(Bind(call("+", "?p", "1"), Variable("d")))))) == why
    assert reason(group(group(above("0")), QUOTE)) == why
    assert reason(group(QUOTE, Minus(group(bgp("?q :volume ?v"), above("0"))))) == why


def test_a_plain_sub_select_hides_variables() -> None:
    other = SubSelect((Projection("c", Variable("c")),), group(bgp("?x :company ?c", "?x :volume ?p")))
    solutions(group(QUOTE, other), "c p", QUOTES, [":ibm 10"], [], [])
    double = SubSelect((Projection("d", call("*", "?p", "2")),), group(bgp("?q :price ?p")))
    solutions(group(QUOTE, double), "c d", QUOTES, [":ibm 20"], [":sap 41.0"], [])


def test_exists_sees_the_row() -> None:
    less = group(bgp("?q :volume ?v"), Filter(call("<", "?v", "?p")))
    solutions(group(QUOTE, Filter(Exists(less))), "c", QUOTES, [":ibm"], [], [])
    again = Filter(Exists(group(bgp("?q :volume ?v"), Bind(call("*", "?v", "2"), Variable("p")))))
    assert reason(group(QUOTE, again)) == "BIND of ?p, which is bound outside of its group"


def test_minus_needs_a_common_variable() -> None:
    solutions(group(QUOTE, Minus(group(bgp("?x :volume ?v")))), "c", QUOTES[:1], [":ibm"])
    inside = group(bgp("?q :volume ?v"), Minus(group(bgp("?x :next ?y"))))
    assert reason(group(QUOTE, Optional(inside))).startswith("MINUS in OPTIONAL or EXISTS")
    solutions(
        group(QUOTE, Optional(group(bgp("?q :volume ?v"), Minus(group(bgp("?q :price 10")))))), "v", QUOTES[:1], ["-"]
    )


def test_the_same_variable_twice() -> None:
    events = [event(":a :p :a, :b . :p :p :p .")]
    solutions(group(bgp("?x :p ?x")), "x", events, [":a", ":p"])
    solutions(group(bgp("?x ?x ?x")), "x", events, [":p"])


def test_an_operand_outside_the_native_values_leaves_the_event_undecided() -> None:
    terms = Terms()
    odd = event(":q :company :ibm ; :price '2020-01-01'^^xsd:date .")
    pattern = native(group(QUOTE, Filter(call("<", "?p", "?p"))), ("c",), terms)
    assert answer([pattern], [QUOTES[0], odd, QUOTES[1]], terms) == [[set(), None, set()]]


def test_patterns_that_differ_in_filters_share_their_join() -> None:
    terms = Terms()
    odd = event(":q :company :ibm ; :price '2020-01-01'^^xsd:date .")
    patterns = [
        native(group(QUOTE, above("15")), ("c", "p"), terms),
        native(group(bgp("?x :company ?y", "?x :price ?p"), above("5")), ("p",), terms),  # only names differ
        native(group(QUOTE), ("p", "c", "z"), terms),
        native(group(bgp("?q :price ?p")), ("p",), terms),
    ]
    assert patterns[0].base == patterns[1].base == patterns[2].base != patterns[3].base
    found = answer(patterns, [*QUOTES, odd], terms)
    date = tuple(arrays([odd], terms)[1][2, 1:].tolist())
    assert found[0] == [set(), {words(terms, ":sap 20.5")}, set(), None]
    assert found[1] == [{words(terms, "10")}, {words(terms, "20.5")}, set(), None]
    assert found[2] == [
        {words(terms, "10 :ibm -")},
        {words(terms, "20.5 :sap -")},
        set(),
        {(*date, *words(terms, ":ibm -"))},
    ]
    assert found[3] == [{words(terms, "10")}, {words(terms, "20.5")}, {words(terms, "30")}, {date}]


def test_a_set_can_solve_again_and_again() -> None:
    terms = Terms()
    patterns = PatternSet([native(group(QUOTE), ("c", "p"), terms)] * 2)
    for events in (QUOTES, [], QUOTES[1:]):
        for found in patterns.solve(*arrays(events, terms)):
            expected = [{words(terms, ":ibm 10")}, {words(terms, ":sap 20.5")}, set()][3 - len(events) :]
            assert answers(found, len(events)) == expected


def test_no_patterns_no_answers() -> None:
    assert solve([], *arrays(QUOTES, Terms())) == []


def test_arrays_must_fit() -> None:
    terms = Terms()
    patterns = PatternSet([native(group(QUOTE), ("c",), terms)])
    offsets, triples, times = arrays(QUOTES, terms)
    with pytest.raises(ValueError, match="do not fit"):
        patterns.solve(offsets[1:], triples, times)
    with pytest.raises(ValueError, match="beyond"):
        patterns.solve(offsets, triples[:, :4].copy(), times)
    with pytest.raises(ValueError, match="descend"):
        patterns.solve(np.array([0, 5, 3, 6], dtype=np.uint32), triples, times)


def test_a_large_event_is_looked_up_in_views() -> None:
    count = 30_000
    text = " ".join(f":q{n} :company :c{n % 10} ; :price {n} ; :next :q{n + 1} ." for n in range(count))
    terms = Terms()
    star = native(group(QUOTE, above(str(count - 5))), ("q",), terms)
    walk = native(group(bgp("?a :next ?b", "?b :next ?c", "?c ?p :c3", "?x :next ?a")), ("b",), terms)
    unlike = native(group(bgp("?a :next ?b"), Minus(group(bgp("?b :company ?c", "?b ?any ?d")))), ("b",), terms)
    lonely = native(group(bgp("?a :next ?b"), Filter(Exists(group(bgp("?b ?p ?d")), True))), ("b",), terms)
    counts = [
        len(rows.row_event) for rows in PatternSet([star, walk, unlike, lonely]).solve(*arrays([event(text)], terms))
    ]
    assert counts == [4, count // 10, 1, 1]


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_every_construct_agrees_with_pyoxigraph_or_has_a_reason(name: str) -> None:
    text, pattern = PLAIN[name]
    terms = Terms()
    columns = tuple(sorted(in_scope(pattern)))
    compiled = compile_native(pattern, columns, terms)
    if isinstance(compiled, Reason):
        assert compiled.text in REASONS
        return
    evaluator = Evaluator(terms, mode=Mode.PYOXIGRAPH)
    rows = evaluator.evaluate_graphs(EVENTS, [evaluator.compile(pattern, columns)])[0]
    expected = plain(text, EVENTS, columns, terms)
    assert sets(rows, len(EVENTS)) == expected
    assert answer([compiled], EVENTS, terms) == [expected]


REASONS = {
    "function REGEX", "function <http://www.w3.org/2001/XMLSchema#integer>", "property path with +",
    "property path with *", "property path with ?", "sub-SELECT with an aggregate",
    "sub-SELECT with GROUP BY, HAVING, LIMIT or OFFSET",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(WITH_KNOWLEDGE))
def test_knowledge_is_joined_elsewhere(name: str) -> None:
    assert reason(WITH_KNOWLEDGE[name][1]) in {"GRAPH", *REASONS}


def test_the_summary_tells_which_triples_matter() -> None:
    terms = Terms()
    pattern = group(QUOTE, Filter(Exists(group(bgp("?q :of :a", "?q ?any 5")))), Optional(group(bgp(":b :price ?x"))))
    company, price, of, a, b, five = words(terms, ":company :price :of :a :b 5")
    expected = {(0, company, 0), (0, price, 0), (0, of, a), (0, 0, five), (b, price, 0)}
    assert set(summary(pattern, terms)) == expected
    assert native(pattern, ("c",), terms).predicates is None
    assert native(group(QUOTE), ("c",), terms).predicates == frozenset({company, price})
    assert summary(PLAIN["path star"][1], terms) == ((0, 0, 0),)
    assert {p for _, p, _ in summary(PLAIN["path sequence"][1], terms)} == set(words(terms, ":p :q"))


def test_only_the_summary_matters() -> None:
    """Without the triples that fit no part of the summary the answers are the same."""
    terms = Terms()
    for _, pattern in PLAIN.values():
        columns = tuple(sorted(in_scope(pattern)))
        evaluator = Evaluator(terms, mode=Mode.PYOXIGRAPH)
        wanted = summary(pattern, terms)
        pruned = [
            item._replace(triples=[part for part in item.triples if _fits(part, wanted, terms)]) for item in EVENTS
        ]
        compiled = [evaluator.compile(pattern, columns)]
        both = [evaluator.evaluate_graphs(events, compiled)[0] for events in (EVENTS, pruned)]
        assert sets(both[0], len(EVENTS)) == sets(both[1], len(EVENTS))


def _fits(part: object, wanted: tuple[tuple[int, int, int], ...], terms: Terms) -> bool:
    words = [encode(terms, one) for one in part]  # type: ignore[attr-defined]
    return any(all(asked in (0, word) for asked, word in zip(one, words, strict=True)) for one in wanted)
