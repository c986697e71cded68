"""Rules as language models write them for reasoning on graphs (RoG): ``<PATH>r1<SEP>r2</PATH>``, and noise around."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spaseq.errors import OptionError
from spaseq.languages.node import Span
from spaseq.languages.query_text import Problem, QueryText
from spaseq.paths.rag.scoring import GraphNames
from spaseq.paths.terms import relation_iri
from spaseq.pattern.paths import RELATION

_TAG = re.compile("</?PATH>|<SEP>")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class RelationRule:
    """Relations in a row, each with its name, and whether it is taken from its object to its subject."""

    steps: tuple[tuple[str, bool], ...]

    def query(self, names: GraphNames | None = None) -> str:
        """The rule as a path query: ``:directed_by/^:directed_by``.

        With ``names`` a relation is whatever predicate of the graph has its name, be it the last part of an IRI or a
        label; without, or if there is none, it is that of an edge table.
        """
        return "/".join(_step(name, inverse, names) for name, inverse in self.steps)

    def __str__(self) -> str:
        return " -> ".join(f"^{name}" if inverse else name for name, inverse in self.steps)


def parse_rules(text: str, inverse: str = "^{}") -> tuple[RelationRule, ...]:
    """The rules in a model's answer, each once, in order; what stands around them means nothing.

    ``inverse`` shows how a relation is marked that is taken against its direction, ``{}`` being its name: ``"^{}"``,
    ``"{}_inverse"``.  White space around names does not count.  QuerySyntaxError: a rule or a name is empty, or a rule
    has no end; it shows the place.
    """
    before, braces, after = inverse.partition("{}")
    if not braces or not before + after:
        raise OptionError(f"inverse is a mark around {{}}, such as ^{{}}, not {inverse!r:.80}")
    try:
        return tuple(dict.fromkeys(_rules(text, before, after)))
    except Problem as problem:
        raise QueryText(text, "<rules>").error(problem) from None


def _rules(text: str, before: str, after: str) -> Iterator[RelationRule]:
    start: Span | None = None  # of the tag that began the rule which is open
    steps: list[tuple[str, bool]] = []
    end = 0  # of the last tag
    for found in _TAG.finditer(text):
        tag, place = found[0], Span(*found.span())
        if (tag == "<PATH>") != (start is None):
            raise _unexpected(tag, place)
        if start is None:
            start, steps = place, []
        else:
            steps.append(_named(text, end, place, before, after))
            if tag == "</PATH>":
                yield RelationRule(tuple(steps))
                start = None
        end = found.end()
    if start is not None:
        raise Problem("this rule has no end", start, "write </PATH> behind its last relation", syntax=True)


def _unexpected(tag: str, place: Span) -> Problem:
    hint = "a rule begins with <PATH>" if tag != "<PATH>" else "the rule before it has no </PATH>"
    return Problem(f"unexpected {tag}", place, hint, syntax=True)


def _named(text: str, start: int, end: Span, before: str, after: str) -> tuple[str, bool]:
    """The relation that stands before a tag, and whether it is marked as inverse."""
    name = text[start : end.start].strip()
    inverse = name.startswith(before) and name.endswith(after) and len(name) >= len(before + after)
    if inverse:
        name = name[len(before) : len(name) - len(after)].strip()
    if not name:
        raise Problem(f"no relation stands before {text[end.start : end.end]}", end, syntax=True)
    return name, inverse


def _step(name: str, inverse: bool, names: GraphNames | None) -> str:
    iris = (relation_iri(name),) if names is None else names.predicates(name)
    shown = "|".join(map(_shown, iris))
    return f"{'^' * inverse}({shown})" if len(iris) > 1 else f"{'^' * inverse}{shown}"


def _shown(iri: str) -> str:
    name = iri.removeprefix(RELATION)
    return f":{name}" if name != iri and _PLAIN.fullmatch(name) else f"<{iri}>"
