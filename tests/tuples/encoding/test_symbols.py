"""Symbols: the sets of atoms that events match."""

from __future__ import annotations

import pyarrow
from hypothesis import given, strategies as st

from spaseq.pattern.formulas.predicates import And, Arithmetic, Attribute, Comparison, Constant, Predicate
from spaseq.sources.tables.types import CODED_TEXT
from spaseq.tuples import Atom, Symbols
from spaseq.tuples.columns.predicates import holds
from tests.oracle.ceql.generate import Maker
from tests.oracle.ceql.random_predicates import Conditions
from tests.oracle.strategies import Drawn
from tests.tuples import translation


def named(name: str) -> Predicate:
    return Comparison("=", Attribute("name"), Constant(name))


def above(price: float) -> Predicate:
    return Comparison(">", Attribute("price"), Constant(price))


STOCKS = pyarrow.record_batch(
    {
        "type": ["SELL", "BUY", "SELL", None, "SELL"],
        "name": ["INTC", "INTC", "MSFT", "INTC", None],
        "price": [27.0, 20.0, 27.0, 27.0, 20.0],
    }
)


def sets(symbols: Symbols, batch: pyarrow.RecordBatch) -> list[int]:
    return [symbols.masks[symbol] for symbol in symbols.number(batch).tolist()]


def test_a_symbol_stands_for_a_set_of_atoms() -> None:
    atoms = [Atom("SELL", None, named("INTC")), Atom("SELL"), Atom("BUY", None, above(19.5))]
    symbols = Symbols(atoms, STOCKS.schema, type_column="type")
    assert sets(symbols, STOCKS) == [0b011, 0b100, 0b010, 0, 0b010]
    assert set(symbols.masks) == {0, 0b011, 0b100, 0b010}
    assert symbols.masks[0] == 0
    assert symbols.words(2).tolist() == [[mask, 0] for mask in symbols.masks]


def test_symbols_stay_the_same_from_batch_to_batch() -> None:
    atoms = [Atom("SELL", None, named("INTC")), Atom("BUY")]
    symbols = Symbols(atoms, STOCKS.schema, type_column="type")
    late, first = STOCKS.slice(1, 2), STOCKS.slice(0, 1)
    before = symbols.number(late).tolist()
    assert sets(symbols, first) == [0b01]
    assert symbols.number(late).tolist() == before
    assert symbols.number(STOCKS.slice(0, 0)).tolist() == []


def test_events_of_one_relation_and_stream() -> None:
    atoms = [Atom("Stock", None, above(25)), Atom("Stock", "S"), Atom("Stock", "T"), Atom("Bond")]
    symbols = Symbols(atoms, STOCKS.schema, stream="S", relation="Stock")
    assert sets(symbols, STOCKS) == [0b0011, 0b0010, 0b0011, 0b0011, 0b0010]


def test_events_that_differ_only_in_what_does_not_matter_are_in_one_state() -> None:
    atoms = [Atom("SELL", None, And((named(f"N{n}"), above(n)))) for n in range(40)]
    schema = STOCKS.schema
    symbols = Symbols(atoms, schema, type_column="type")
    rows = [{"type": "SELL", "name": f"N{n % 50}", "price": n / 7} for n in range(2000)]
    found = sets(symbols, pyarrow.RecordBatch.from_pylist(rows, schema))
    assert found == [1 << (n % 50) if n % 50 < 40 and n / 7 > n % 50 else 0 for n in range(2000)]
    assert max(len(step.states) for step in symbols._steps) <= 41


def test_exact_and_inexact_constants_are_different_literals() -> None:
    rows = pyarrow.record_batch({"price": [2**53]})
    plus = [Arithmetic("+", Attribute("price"), Constant(one)) for one in (1, 1.0)]
    atoms = [Atom("A", None, Comparison(">", value, Constant(2**53))) for value in plus]
    assert sets(Symbols(atoms, rows.schema, relation="A"), rows) == [0b01]


def test_many_texts() -> None:
    names = [f"n{n}" for n in range(5000)]
    rows = pyarrow.record_batch({"type": ["A"] * 5000, "name": names})
    symbols = Symbols([Atom("A", None, named(f"n{n}")) for n in range(20)], rows.schema, type_column="type")
    assert sets(symbols, rows) == [1 << n if n < 20 else 0 for n in range(5000)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Atom], list[list[dict[str, object]]]]:
    chooser = Drawn(draw)
    conditions = Conditions(chooser)
    atoms = [
        Atom(chooser.pick("AB"), None, translation.predicate(conditions.predicate([], 2)))
        for _ in range(chooser.integer(0, 5))
    ]
    batches = [
        [{"type": chooser.pick(("A", "B", None)), **Maker(chooser).attributes(0)} for _ in range(chooser.integer(0, 5))]
        for _ in range(chooser.integer(1, 3))
    ]
    return atoms, batches


@given(cases(), st.booleans())
def test_symbols_say_what_the_predicates_say(
    case: tuple[list[Atom], list[list[dict[str, object]]]], coded: bool
) -> None:
    atoms, batches = case
    text = CODED_TEXT if coded else pyarrow.string()
    schema = translation.SCHEMA.set(2, pyarrow.field("name", text)).append(pyarrow.field("type", text))
    symbols = Symbols(atoms, schema, type_column="type")
    for rows in batches:
        batch = translation.batch(rows, schema)  # type: ignore[arg-type]
        truth = [holds(atom.predicate, batch) for atom in atoms]
        expected = [
            sum(1 << bit for bit, atom in enumerate(atoms) if row["type"] == atom.type and truth[bit][index])
            for index, row in enumerate(rows)
        ]
        assert sets(symbols, batch) == expected
