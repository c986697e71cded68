"""Events read with nothing but what the patterns can use: the rows are those that pyoxigraph finds in all triples."""

from __future__ import annotations

import random

import pyoxigraph
from hypothesis import HealthCheck, given, settings, strategies as st
from pyoxigraph import Literal, NamedNode, Triple as OxTriple

from gpm.algebra import (
    BlankNode,
    Element,
    Exists,
    Filter,
    Group,
    Minus,
    Operation,
    Optional,
    Triple,
    Triples,
    Union,
    Variable,
)
from gpm.errors import PatternError
from gpm.evaluator import CompiledPattern, Evaluator, Mode
from gpm.printing import print_group
from gpm.rows import EventBatch
from gpm.scope import in_scope
from nfa_native.terms.dictionary import Terms
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.nquads import _Lines
from spaseq.sources.rdf.wire import PROV_TIME, WireOptions, WireReport
from tests.gpm.native.random_patterns import PREDICATES, Maker
from tests.gpm.worlds import EXAMPLES, node, sets

QUICK = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
LABEL = pyoxigraph.BlankNode("n")
QUOTED = [OxTriple(node("a"), node("p"), LABEL), OxTriple(node("b"), node("q"), Literal(1))]
QUOTES = [OxTriple(subject, node("p"), quoted) for subject in (node("a"), LABEL) for quoted in QUOTED]
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


class Reader:
    """Reads N-Quads lines for an evaluator."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.assembler = EventAssembler("urn:s", WireOptions(), WireReport(), evaluator.encoder)
        self.parts: list[Events] = []

    def read(self, lines: list[str]) -> None:
        """Read some lines, as one block."""
        block = "".join(f"{line}\n" for line in lines).encode()
        place = _Lines(block, "f", 0, 0, len(block))
        self.assembler.read(block, place)
        self._take()

    def finish(self) -> Events:
        """All events."""
        self.assembler.finish(_Lines(b"", "f", 0).end)
        self._take()
        return Events.join(self.parts)

    def _take(self) -> None:
        events = self.assembler.take()
        if events is not None:
            self.parts.append(events)


class Speller:
    """Writes the same term now this way, now that."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def line(self, triple: OxTriple, graph: str) -> str:
        text = f"{self.term(triple.subject)} {self.term(triple.predicate)} {self.term(triple.object)} {graph} ."
        return text.replace(" ", "\t", 1) if self.random.random() < 0.1 else text

    def term(self, term: object) -> str:
        if isinstance(term, OxTriple):
            return f"<<( {term} )>>"
        text, chance = str(term), self.random.random()
        if isinstance(term, NamedNode) and chance < 0.1:
            return text[:-2] + f"\\u{ord(text[-2]):04X}>"
        if isinstance(term, Literal) and term.language and chance < 0.5:
            at = text.rindex("@")
            return text[:at] + text[at:].upper() if "--" not in text[at:] else text
        if isinstance(term, Literal) and chance < 0.1 and text[1] not in '\\"' and ord(text[1]) < 128:
            return f'"\\u{ord(text[1]):04x}{text[2:]}'
        return text


def lines_of(triples: list[list[OxTriple]], source: random.Random) -> list[str]:
    """The lines of events, their times before, after or among them."""
    speller, lines = Speller(source), []
    for number, event in enumerate(triples):
        graph = f"<urn:event:{number}>"
        part = [speller.line(triple, graph) for triple in event]
        time = f'{graph} <{PROV_TIME}> "{number * 3_600_000_000}"^^<{INTEGER}> .'
        part.insert(source.randint(0, len(part)), time)
        lines += part
    return lines


def stars(maker: Maker) -> Group:
    """A pattern in which subjects meet nothing but subjects, optional parts and filters included."""
    subjects, objects = [Variable("a"), Variable("b"), BlankNode("l")], [Variable("x"), Variable("y"), Variable("z")]

    def triples() -> Triples:
        chosen = [(maker.one(subjects), maker.one(PREDICATES)) for _ in range(maker.one([1, 2, 2, 3]))]
        return Triples(
            tuple(Triple(s, p, maker.constant() if maker.chance(0.3) else maker.one(objects)) for s, p in chosen)
        )

    parts: list[Element] = [triples()]
    if maker.chance(0.4):
        parts.append(Optional(Group((triples(),))))
    if maker.chance(0.3):
        parts.append(Filter(Exists(Group((triples(),)), maker.chance(0.5))))
    if maker.chance(0.3):
        parts.append(Filter(Operation("!=", (maker.one(objects), maker.constant()))))
    if maker.chance(0.2):
        parts.append(Union((Group((triples(),)), Group((triples(),)))))
    if maker.chance(0.2):
        parts.append(Minus(Group((triples(),))))
    return Group(tuple(parts))


def columns_asked(pattern: Group, source: random.Random) -> tuple[str, ...]:
    """Some of the variables of a pattern."""
    names = sorted(in_scope(pattern))
    few = [name for name in names if name in "xyz"] if source.random() < 0.7 else names
    return tuple(source.sample(few, source.randint(0, len(few))))


def compiled(pattern: Group, columns: tuple[str, ...], evaluators: list[Evaluator]) -> list[CompiledPattern] | None:
    """The pattern for each evaluator; None if one cannot evaluate it."""
    try:
        return [evaluator.compile(pattern, columns) for evaluator in evaluators]
    except PatternError:
        return None


def graph(maker: Maker) -> list[OxTriple]:
    """The triples of an event; now and then of more subjects than get numbers."""
    triples = [*maker.graph(), *maker.random.sample(QUOTES, maker.random.randint(0, 2))]
    if maker.chance(0.15):
        triples += [maker.triple([node(f"t{n}")]) for n in range(20)]
        maker.random.shuffle(triples)
    return triples or [maker.triple([node("a")])]


@QUICK
@given(st.integers(0, 2**32), st.booleans(), st.integers(1, 3), st.integers(0, 2), st.integers(1, 5), st.booleans())
def test_pruned_events_have_the_same_rows(
    seed: int, local: bool, early: int, late: int, count: int, forget: bool
) -> None:
    source = random.Random(seed)
    maker = Maker(source)
    maker.values.append(Literal("x", language="en-us"))
    terms = Terms()
    evaluators = [Evaluator(terms), Evaluator(terms, mode=Mode.PYOXIGRAPH)]
    patterns = [stars(maker) if local else maker.group(2) for _ in range(early + late)]
    asked = [(pattern, columns_asked(pattern, source)) for pattern in patterns]
    first = [found for pattern, columns in asked[:early] if (found := compiled(pattern, columns, evaluators))]
    reader = Reader(evaluators[0])
    lines = lines_of([graph(maker) for _ in range(count)], source)
    cut = source.randint(0, len(lines))
    reader.read(lines[:cut])
    if forget:
        evaluators[0].forget_terms([])
    second = [found for pattern, columns in asked[early:] if (found := compiled(pattern, columns, evaluators))]
    for before in reader.parts:  # as they wait in a buffer, for the patterns that were there first
        compare(before.graphs, first, evaluators)
    reader.read(lines[cut:])
    events = reader.finish()
    compare(events.renewed(evaluators[0].encoder).graphs, first + second, evaluators)


def compare(batch: EventBatch, patterns: list[list[CompiledPattern]], evaluators: list[Evaluator]) -> None:
    """The rows of some patterns on events are the same for both evaluators."""
    try:
        found = [
            evaluator.evaluate(batch, [pattern[number] for pattern in patterns])
            for number, evaluator in enumerate(evaluators)
        ]
    except PatternError:
        return
    for pattern, mine, theirs in zip(patterns, *found, strict=True):
        text = print_group(pattern[0].shape.group)
        assert sets(mine, len(batch)) == sets(theirs, len(batch)), f"{text}\n{[batch.texts[0], len(batch)]}"
