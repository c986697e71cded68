"""Printing a query as text, in one of the spellings that the language allows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence as Several

from ..chooser import Chooser
from .model import (
    RDF,
    Alternative,
    Condition,
    Expression,
    Forward,
    Inverse,
    Label,
    Negated,
    Place,
    Query,
    Repeat,
    Sequence,
    Term,
)

RELATION = "urn:relation:"  # the empty prefix, if it is not declared
EXAMPLE = "http://example.org/"  # of generated nodes; the prefix `ex`
PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
ALTERNATIVE, SEQUENCE, INVERSE, POSTFIX, PRIMARY = range(5)  # how strongly a construct binds


DECLARED = {"ex": EXAMPLE, "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}


def to_text(queries: Several[Query], chooser: Chooser | None = None) -> str:
    """The queries as one file; without a chooser always in the first spelling, which has no brackets to spare."""
    return Writer(chooser or First()).file(queries)


def to_expression(expression: Expression) -> str:
    """The expression alone, with whole IRIs."""
    return Writer(First(), prefixes={}).expression(expression)


class First:
    """Always chooses the first, the least and no."""

    def integer(self, least: int, most: int) -> int:
        return least

    def pick(self, options: Several[str]) -> str:
        return options[0]

    def chance(self, percent: int) -> bool:
        return False


class Writer:
    """Writes queries; ``chooser`` picks among spellings of the same."""

    def __init__(self, chooser: Chooser, prefixes: dict[str, str] | None = None) -> None:
        self.chooser = chooser
        self.prefixes = {"": RELATION, **DECLARED} if prefixes is None else prefixes

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    def file(self, queries: Several[Query]) -> str:
        declared = {name: iri for name, iri in self.prefixes.items() if name or self.chooser.chance(50)}
        head = [f"{self.word('PREFIX')} {name}: <{iri}>" for name, iri in declared.items()]
        comment = ["# queries FROM nowhere"] if self.chooser.chance(10) else []
        return "\n".join([*comment, *head, *map(self.query, queries)]) + "\n"

    def query(self, query: Query) -> str:
        words = [self.word("QUERY"), query.name]
        words += [self.word("FROM"), self.places(query.starts)] if query.starts is not None else []
        words += [self.word("TO"), self.places(query.targets)] if query.targets is not None else []
        words += [*self.mode(query), self.expression(query.expression)]
        words += [self.words("NOT BACK TO START")] if query.not_back else []
        return self.space().join(words)

    def mode(self, query: Query) -> list[str]:
        """Selector and restrictor."""
        words = [self.words(query.selector)] if query.selector else []
        words += [str(query.count)] if query.count is not None else []
        words += [self.word(query.restrictor)] if query.restrictor else []
        return [*words, self.word(self.chooser.pick(("PATH", "PATHS")))] if words and self.chooser.chance(10) else words

    def places(self, places: tuple[Place, ...]) -> str:
        return ", ".join(map(self.place, places))

    def place(self, place: Place) -> str:
        if isinstance(place, Label):
            return f"{self.word('LABEL')} {json.dumps(place.text, ensure_ascii=False)}"
        return self.term(place)

    def words(self, text: str) -> str:
        return " ".join(map(self.word, text.split()))

    def word(self, keyword: str) -> str:
        return keyword.lower() if self.chooser.chance(10) else keyword

    def space(self) -> str:
        return "\n  " if self.chooser.chance(10) else " "

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────
    def expression(self, expression: Expression, least: int = ALTERNATIVE) -> str:
        """The expression, in brackets if it binds weaker than ``least``."""
        strength, text = self.construct(expression)
        return f"({text})" if strength < least or self.chooser.chance(10) else text

    def construct(self, expression: Expression) -> tuple[int, str]:
        """How strongly the outermost construct binds, and the text without brackets around."""
        match expression:
            case Forward(predicate):
                return PRIMARY, self.predicate(predicate)
            case Negated(members):
                return PRIMARY, "!" + self.members(members)
            case Condition(variable, text):
                return PRIMARY, f"[?{variable}: {text}]"
            case Inverse(body):
                return INVERSE, "^" + self.expression(body, POSTFIX)
            case Repeat(body, least, most):
                return POSTFIX, self.expression(body, PRIMARY) + self.times(least, most)
            case Sequence(left, right):
                return SEQUENCE, self.chain(left, right, "/", SEQUENCE)
            case Alternative(left, right):
                return ALTERNATIVE, self.chain(left, right, "|", ALTERNATIVE)

    def chain(self, left: Expression, right: Expression, sign: str, strength: int) -> str:
        """Two operands; the right one may be such a chain as well, which means the same."""
        sign = f" {sign} " if self.chooser.chance(10) else sign
        return self.expression(left, strength) + sign + self.expression(right, strength)

    def members(self, members: tuple[tuple[Term, bool], ...]) -> str:
        texts = [("^" if inverse else "") + self.predicate(predicate) for predicate, inverse in members]
        return texts[0] if len(texts) == 1 and not self.chooser.chance(30) else f"({'|'.join(texts)})"

    def times(self, least: int, most: int | None) -> str:
        spellings = [f"{{{least},{'' if most is None else most}}}"]
        spellings = [f"{{{least}}}", *spellings] if least == most else spellings
        spellings += [f"{{,{most}}}"] if least == 0 and most is not None else []
        short = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
        return self.chooser.pick((short, short, *spellings) if short else spellings)

    def predicate(self, predicate: Term) -> str:
        return "a" if predicate == f"<{RDF}type>" and self.chooser.chance(50) else self.term(predicate)

    def term(self, term: Term) -> str:
        """An IRI, with a prefix if there is one for it."""
        for name, iri in self.prefixes.items():
            local = term[1:-1].removeprefix(iri)
            if local != term[1:-1] and PLAIN_NAME.fullmatch(local) and not self.chooser.chance(20):
                return f"{name}:{local}"
        return term
