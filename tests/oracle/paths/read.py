"""Reading the text of queries, for cases and examples that are written as text; errors are not its business."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

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
    Sequence as Sequencing,
    Step,
    Term,
)
from .text import RELATION

STRING = r'"(?:[^"\\]|\\.)*"'
IRI = r'<[^<>"{}|^`\\\s]*>'
NAME = r"(?:[A-Za-z]\w*)?:[\w.%-]*"
TOKEN = re.compile(rf"#.*|(\[\?\w+:(?:{STRING}|{IRI}|\[[^\]]*\]|[^\]])*\]|{STRING}|{IRI}|{NAME}|\w+|[^\s\w])")
CONDITION = re.compile(r"\[\?(\w+):(.*)\]", re.DOTALL)
NAMED = re.compile(rf"({STRING}|'[^']*'|{IRI})|({NAME})")
RESTRICTORS = ("WALK", "TRAIL", "ACYCLIC", "SIMPLE")
SHORT = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def read(text: str) -> list[Query]:
    """The queries of a text, in order."""
    reader = Reader([token for token in TOKEN.findall(text) if token])
    return list(iter(reader.next_query, None))


@dataclass
class Reader:
    """Takes one token after another."""

    tokens: list[str]
    place: int = 0
    prefixes: dict[str, str] = field(default_factory=lambda: {"": RELATION})

    # ── tokens ───────────────────────────────────────────────────────────────────────────────────────────
    def at(self, *words: str) -> bool:
        """Whether these come next, in any case."""
        return [token.upper() for token in self.tokens[self.place : self.place + len(words)]] == list(words)

    def take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1]

    def taken(self, *words: str) -> bool:
        """Take these words if they come next."""
        found = self.at(*words)
        self.place += len(words) * found
        return found

    def number(self) -> int | None:
        return int(self.take()) if self.tokens[self.place].isdigit() else None

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    def next_query(self) -> Query | None:
        while self.taken("PREFIX"):
            name = self.take().removesuffix(":")
            self.prefixes[name] = self.take()[1:-1]
        return self.query() if self.taken("QUERY") else None

    def query(self) -> Query:
        name = self.take()
        starts = self.places() if self.taken("FROM") else None
        targets = self.places() if self.taken("TO") else None
        selector = self.selector()
        count = self.number() if selector in ("ANY", "SHORTEST") else None
        restrictor = self.take().upper() if any(map(self.at, RESTRICTORS)) else None
        _ = self.taken("PATH") or self.taken("PATHS")
        expression = self.alternatives()
        return Query(
            name, expression, starts, targets, selector, count, restrictor, self.taken("NOT", "BACK", "TO", "START")
        )

    def selector(self) -> str | None:
        names = ("ALL SHORTEST", "ANY SHORTEST", "SHORTEST", "ALL", "ANY")
        return next((name for name in names if self.taken(*name.split())), None)

    def places(self) -> tuple[Place, ...]:
        found = [self.node()]
        while self.taken(","):
            found.append(self.node())
        return tuple(found)

    def node(self) -> Place:
        return Label(json.loads(self.take())) if self.taken("LABEL") else self.iri(self.take())

    def iri(self, token: str) -> Term:
        if token.startswith("<"):
            return token
        prefix, _, local = token.partition(":")
        return f"<{self.prefixes[prefix]}{local}>" if ":" in token else f"<{RDF}type>"

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────
    def alternatives(self) -> Expression:
        left = self.sequence()
        while self.taken("|"):
            left = Alternative(left, self.sequence())
        return left

    def sequence(self) -> Expression:
        left = self.element()
        while self.taken("/"):
            left = Sequencing(left, self.element())
        return left

    def element(self) -> Expression:
        if self.taken("^"):
            return Inverse(self.element())
        body = self.primary()
        if self.taken("{"):
            return Repeat(body, *self.bounds())
        return Repeat(body, *SHORT[self.take()]) if any(map(self.at, SHORT)) else body

    def bounds(self) -> tuple[int, int | None]:
        least = self.number()
        most = self.number() if self.taken(",") else least
        self.take()
        return least or 0, most

    def primary(self) -> Expression:
        if self.taken("("):
            inside = self.alternatives()
            self.take()
            return inside
        if self.taken("!"):
            return Negated(self.members())
        token = self.take()
        return self.condition(token) if token.startswith("[") else Forward(self.iri(token))

    def members(self) -> tuple[Step, ...]:
        if not self.taken("("):
            return (self.member(),)
        found = [self.member()]
        while self.taken("|"):
            found.append(self.member())
        self.take()
        return tuple(found)

    def member(self) -> Step:
        inverse = self.taken("^")
        return self.iri(self.take()), inverse

    def condition(self, token: str) -> Condition:
        found = CONDITION.fullmatch(token)
        assert found, token
        return Condition(found[1], NAMED.sub(lambda name: name[1] or self.iri(name[2]), found[2]).strip())
