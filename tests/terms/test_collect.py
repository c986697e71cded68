"""Collection: words that nobody holds are freed, the others stay what they are, and memory stays bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from numpy.typing import NDArray

from nfa_native.terms.dictionary import Terms
from nfa_native.terms.operations import Op
from nfa_native.terms.program import Program
from tests.terms.boundary_values import XSD, literals, nodes, term_bytes

NOTHING = np.zeros(0, np.uint64)


def typed(datatype: str, form: object) -> bytes:
    """The bytes of a literal of an XSD datatype."""
    return f"T{XSD}{datatype}\0{form}".encode()


def assert_foreign(terms: Terms, word: int) -> None:
    with pytest.raises(ValueError, match="no word of this table"):
        terms.bytes(word)


# ── what lives ───────────────────────────────────────────────────────────────────────────────────────────────
def test_pinned_terms_survive_and_others_go() -> None:
    terms = Terms()
    pinned, other = terms.intern(b"Iurn:a"), terms.intern_transient(b"Iurn:b")
    assert terms.collect([]) == 1
    assert len(terms) == 1
    assert terms.bytes(pinned) == b"Iurn:a"
    assert_foreign(terms, other)


def test_live_words_stay_what_they_are() -> None:
    terms = Terms()
    names = [b"Iurn:%d" % number for number in range(1000)]
    words = terms.intern_many_transient(names)
    assert terms.collect([words[::10].reshape(4, 25), words[5::10], NOTHING]) == 800
    assert len(terms) == 200
    assert terms.bytes_many(words[::5]) == names[::5]
    assert terms.intern_many(names[::5]).tolist() == words[::5].tolist()
    assert len(terms) == 200


def test_pinning_a_collectable_term_makes_it_stay() -> None:
    terms = Terms()
    word = terms.intern_transient(b"Sa")
    assert terms.intern(b"Sa") == word
    assert terms.intern_transient(b"Sa") == word
    assert terms.collect([]) == 0
    assert terms.bytes(word) == b"Sa"


def test_words_can_be_pinned_afterwards() -> None:
    terms = Terms()
    words = terms.intern_many_transient([b"Iurn:a", typed("integer", 2**62), typed("integer", 1), b"Iurn:b"])
    terms.pin(np.append(words[:3], np.uint64(0)))
    assert terms.collect([]) == 1
    assert terms.bytes_many(words[:3]) == [b"Iurn:a", typed("integer", 2**62), typed("integer", 1)]
    assert_foreign(terms, int(words[3]))


def test_the_first_term_is_not_held_by_unbound() -> None:
    terms = Terms()
    terms.intern_transient(b"Iurn:a")
    terms.pin(np.zeros(3, np.uint64))
    assert terms.collect([np.zeros(3, np.uint64)]) == 1


def test_values_made_from_python_are_pinned() -> None:
    terms = Terms()
    words = [terms.integer(2**62), terms.integer(2**70), terms.decimal(10**20, 0), terms.double(1e300)]
    words += [terms.datetime(2**62), terms.datetime(0, 60), terms.datetime(2**62, None)]
    forms = terms.bytes_many(np.array(words, np.uint64))
    assert terms.collect([]) == 0
    assert terms.bytes_many(np.array(words, np.uint64)) == forms


def test_side_values_are_collectable() -> None:
    terms = Terms()
    forms = [typed("integer", 2**62), typed("decimal", "123456789012345678901.5"), typed("double", f"1{300 * '0'}")]
    words = terms.intern_many_transient(forms)
    assert terms.collect([words[1:]]) == 1
    assert terms.bytes_many(words[1:]) == forms[1:]
    assert_foreign(terms, int(words[0]))


def test_values_computed_by_programs_are_collectable() -> None:
    terms = Terms()
    program = Program([(Op.LOAD, 0), (Op.STR, 0)], [], terms)
    words, _ = program.compute_rows(np.array([[terms.intern(b"Iurn:a")]], np.uint64), np.zeros(1, np.int64))
    assert terms.bytes_many(words) == [b"Surn:a"]
    assert terms.collect([]) == 1


def test_a_value_held_in_its_word_needs_no_care() -> None:
    terms = Terms()
    words = terms.intern_many_transient([typed("integer", 5), typed("boolean", "true"), typed("double", "1.0E0")])
    assert terms.collect([]) == 0
    assert terms.bytes_many(words)[0] == typed("integer", 5)


def test_other_lexical_forms_go_and_their_canonical_form_stays() -> None:
    terms = Terms()
    word = terms.intern(typed("float", "1.50"))  # the Store's form is "1.5"
    assert terms.collect([]) == 1
    assert terms.bytes(word) == typed("float", "1.5")
    assert terms.intern_transient(typed("float", "1.50")) == word


def test_every_kind_of_term_comes_back_after_a_collection() -> None:
    terms = Terms()
    candidates: list[Any] = [*literals(), *nodes()]
    for live in (slice(0, None, 3), slice(1, None, 3), slice(0, 0)):
        words = terms.intern_many_transient([term_bytes(term) for term in candidates])
        forms = terms.bytes_many(words)
        terms.collect([words[live]])
        assert terms.bytes_many(words[live]) == forms[live]
        assert terms.bytes_many(terms.intern_many_transient(forms)) == forms
    terms.collect([])
    assert len(terms) == 0


class Results:
    """Something with words that its owner may keep for as long as he likes."""

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self.words = words


def test_words_of_a_holder_live_while_it_exists() -> None:
    terms = Terms()
    results = Results(terms.intern_many_transient([b"Iurn:a", b"Sb"]))
    terms.hold(results)
    assert terms.collect([]) == 0
    assert terms.bytes_many(results.words) == [b"Iurn:a", b"Sb"]
    del results
    assert terms.collect([]) == 2


# ── what is freed ────────────────────────────────────────────────────────────────────────────────────────────
def test_freed_numbers_are_used_again() -> None:
    terms = Terms()
    names = [b"Iurn:%d" % number for number in range(100)]
    words = terms.intern_many_transient(names)
    terms.collect([words[::2]])
    again = terms.intern_many_transient([b"Iurn:new:%d" % number for number in range(50)])
    assert sorted(again.tolist()) == words[1::2].tolist()
    assert terms.bytes_many(words[::2]) == names[::2]


def test_a_freed_word_is_foreign_even_when_another_kind_took_its_number() -> None:
    terms = Terms()
    word, side = terms.intern_transient(b"Iurn:a"), terms.intern_transient(typed("integer", 2**62))
    terms.collect([])
    terms.intern(b"Sa")
    terms.intern(typed("double", f"1{300 * '0'}"))
    assert_foreign(terms, word)
    assert_foreign(terms, side)


@pytest.mark.parametrize("word", [0xFF10, 0x10, 0xFF66, 0x66, 9])
def test_live_words_must_be_of_the_table(word: int) -> None:
    terms = Terms()
    terms.intern_transient(b"Sa")
    for take in (lambda live: terms.collect([live]), terms.pin):
        with pytest.raises(ValueError, match="no word of this table"):
            take(np.array([word], np.uint64))
    assert len(terms) == 1


def test_live_words_come_as_uint64() -> None:
    with pytest.raises(TypeError, match="uint64"):
        Terms().collect([np.zeros(1)])  # type: ignore[list-item]


def test_collections_are_counted() -> None:
    terms = Terms()
    assert terms.collections == 0
    terms.collect([])
    assert terms.collections == 1


def test_memory_shrinks() -> None:
    terms = Terms()
    empty = terms.memory()
    words = terms.intern_many_transient([b"Iurn:%d" % number for number in range(100_000)])
    values = terms.intern_many_transient([typed("integer", 2**62 + number) for number in range(100_000)])
    full = terms.memory()
    terms.collect([words[:100], values[:100]])
    assert terms.memory() < full / 10
    terms.collect([])
    assert terms.memory() <= empty + (1 << 16)


def test_memory_stays_flat_under_a_stream_of_new_terms() -> None:
    terms, window, sizes = Terms(), NOTHING, []
    for batch in range(60):
        fresh = terms.intern_many_transient(
            [b"Surn:reading:%d" % number for number in range(batch * 50_000, (batch + 1) * 50_000)]
        )
        window = np.concatenate([window, fresh[::100]])[-1000:]
        terms.collect([window])
        assert len(terms) == len(window)
        sizes.append(terms.memory())
    assert terms.bytes(int(window[-1])) == b"Surn:reading:%d" % (60 * 50_000 - 100)
    assert max(sizes[20:]) <= max(sizes[:20])


# ── a model ──────────────────────────────────────────────────────────────────────────────────────────────────
def canonical_forms(forms: list[bytes]) -> dict[bytes, bytes]:
    """What a table from which nothing is collected makes of them (see ``test_words`` for whether that is right)."""
    terms = Terms()
    return dict(zip(forms, terms.bytes_many(terms.intern_many(forms)), strict=True))


RUN = [b"Iurn:%d" % number for number in range(3000)]
FORMS = [*(term_bytes(term) for term in [*literals(), *nodes()]), *RUN]
CANONICAL = canonical_forms(FORMS)
CHOSEN = st.lists(st.integers(0, len(FORMS) - 1), max_size=60).map(lambda chosen: [FORMS[n] for n in chosen])


class TableModel(RuleBasedStateMachine):
    """A table next to what it should hold: the words of canonical forms, and which of them are pinned."""

    def __init__(self) -> None:
        super().__init__()
        self.terms = Terms()
        self.words: dict[bytes, int] = {}
        self.pinned: set[bytes] = set()

    def learn(self, forms: list[bytes], words: list[int]) -> None:
        for form, word in zip(forms, words, strict=True):
            canonical = self.terms.bytes(word)
            assert canonical == CANONICAL[form]
            assert self.words.setdefault(canonical, word) == word

    @rule(forms=CHOSEN)
    def intern_transient(self, forms: list[bytes]) -> None:
        self.learn(forms, self.terms.intern_many_transient(forms).tolist())

    @rule(forms=CHOSEN)
    def intern_pinned(self, forms: list[bytes]) -> None:
        self.learn(forms, self.terms.intern_many(forms).tolist())
        self.pinned |= {CANONICAL[form] for form in forms}

    @rule(start=st.integers(0, 2000), number=st.integers(0, 1000))
    def intern_a_run(self, start: int, number: int) -> None:
        self.intern_transient(RUN[start : start + number])

    @rule(random=st.randoms(use_true_random=False), share=st.floats(0, 1))
    def collect(self, random: Any, share: float) -> None:
        live = {form for form in self.words if random.random() < share}
        self.terms.collect([np.array([self.words[form] for form in sorted(live)], np.uint64)])
        self.words = {form: word for form, word in self.words.items() if form in live | self.pinned}

    @invariant()
    def words_are_those_of_the_model(self) -> None:
        words = list(self.words.values())
        assert self.terms.bytes_many(np.array(words, np.uint64)) == list(self.words)
        assert len(set(words)) == len(words)


TestTableModel = TableModel.TestCase
TestTableModel.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
