"""Reads the case files: a query, a stream and its matches in a compact notation (README.md beside this file)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

BASE = "http://example.org/"
HERE = Path(__file__).parent
SECOND = 1_000_000
PREFIXES = f"PREFIX : <{BASE}>\nPREFIX kb: <{BASE}kb/>\n"


@dataclass(frozen=True)
class Word:
    """One event of a stream, or (without ``name``) a promise that nothing comes before ``time``."""

    name: str
    stream: str  # IRI
    time: int  # microseconds
    turtle: str

    @property
    def iri(self) -> str:
        return BASE + self.name


def stream_iri(name: str) -> str:
    return f"{BASE}stream/{name}"


# ── streams ──────────────────────────────────────────────────────────────────────────────────────────────
def read_stream(text: str) -> list[Word]:
    """Events in order of arrival; see README.md."""
    time, found = -SECOND, []
    for word in text.split():
        if word.endswith(":"):
            time = round(float(word[:-1]) * SECOND) - SECOND
        elif word.startswith("^"):
            found.append(Word("", "", round(float(word[1:]) * SECOND), ""))
        else:
            time += SECOND
            found += [read_event(one, time) for one in word.split("/") if one != "-"]
    return found


def read_event(word: str, time: int) -> Word:
    """``T.ab1@k=1|2``: an event named ab1 of stream T, of types A and B, with key :k and the values 1 and 2."""
    head, _, values = word.partition("=")
    stream, _, head = head.rpartition(".")
    name, _, keys = head.partition("@")
    lines = [
        f":{name} :{letter.upper()} {value} ." for letter in name.rstrip("0123456789") for value in _listed(values, "0")
    ]
    lines += [f":{name} :key :{key} ." for key in _listed(keys, "")]
    return Word(name, stream_iri(stream or "S"), time, f"@prefix : <{BASE}> .\n" + "\n".join(lines))


def _listed(text: str, default: str) -> list[str]:
    return [one for one in (text or default).split("|") if one]


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────
def query_text(spec: dict[str, Any]) -> str:
    """The SPAseq text of a compact query; ``query`` is a text already."""
    if "query" in spec:
        return PREFIXES + str(spec["query"])
    streams, special = spec.get("streams", ["S"]), spec.get("gpm", {})
    head = [f"SELECT {spec.get('select', '*')}"]
    if "construct" in spec:
        head = [f"CONSTRUCT {{ {spec['construct']} }}", f"INTO STREAM <{stream_iri(spec['into'])}>"]
    head += [f"WITHIN {spec['within']}"] if "within" in spec else []
    head += [f"FROM STREAM {name} <{stream_iri(spec.get('iri', {}).get(name, name))}>" for name in streams]
    head += [f"PARTITION BY {spec['partition']}"] if "partition" in spec else []
    gpms = [
        f"  DEFINE GPM {name} ON {spec.get('on', {}).get(name, streams[0])} "
        f"{{ {special.get(name) or _pattern(name, bool(spec.get('keyed')))} }}"
        for name in _names(spec["seq"])
    ]
    tail = [f"GROUP BY {spec['group_by']}"] if "group_by" in spec else []
    tail += [f"HAVING {spec['having']}"] if "having" in spec else []
    return PREFIXES + "\n".join([*head, "WHERE {", f"  SEQ({spec['seq']})", *gpms, "}", *tail])


def _names(sequence: str) -> list[str]:
    words = "".join(c if c.isalnum() else " " for c in sequence).split()
    return list(dict.fromkeys(word for word in words if word[0].isalpha()))


def _pattern(name: str, keyed: bool) -> str:
    low = name.lower()
    return f"?{low} :{name} ?v{low}" + (" ; :key ?k" if keyed else "")


# ── cases ────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Case:
    """One case: ``queries`` by name, events, and what must come out."""

    topic: str
    number: int
    spec: dict[str, Any]

    @property
    def label(self) -> str:
        return f"{self.topic}-{self.number}"

    @cached_property
    def queries(self) -> dict[str, str]:
        specs = [self.spec, *self.spec.get("then", ())]
        return {f"q{number}": query_text(spec) for number, spec in enumerate(specs, 1)}

    @cached_property
    def words(self) -> list[Word]:
        return read_stream(self.spec["stream"])

    @property
    def background(self) -> dict[str, bytes]:
        knowledge = self.spec.get("kb")
        return {BASE + "kb": f"@prefix : <{BASE}> . {knowledge}".encode()} if knowledge else {}

    @cached_property
    def expected(self) -> list[str]:
        """The matches, each with its words in the order of ``render``."""
        return sorted(self.order(match) for match in self.spec["matches"])

    @cached_property
    def handed(self) -> list[tuple[str, str]] | None:
        """(the event, promise or end that hands a match over, the match), if the case says so."""
        if "handed" not in self.spec:
            return None
        pairs = [one.split(" -> ") for one in self.spec["handed"]]
        return sorted((cause, self.order(match)) for cause, match in pairs)

    @cached_property
    def shown(self) -> frozenset[str]:
        """What the expected matches speak of: variables, ``@`` (decision time), ``X:`` (picks by GPM)."""
        words = [word for match in self.spec["matches"] for word in match.split()]
        more = {"@" for word in words if word[0] == "@"} | {":" for word in words if ":" in word and word[0] != "?"}
        named = {word[1:].partition("=")[0] for word in words if word[0] == "?"}
        return frozenset(named | more | set(self.spec.get("show", ())))

    def order(self, match: str) -> str:
        """A match with its events in order of arrival, then query, variables and time as they are."""
        places = {word.name: number for number, word in enumerate(self.words)}

        def rank(word: str) -> tuple[int, int, str]:
            if word.endswith("#"):
                return 0, 0, word
            if word[0] in "?@":
                return 1 + "?@".index(word[0]) + 1, 0, word
            return 1, places.get(word.rpartition(":")[2], -1), word

        return " ".join(sorted(match.split(), key=rank))


def cases() -> Iterator[Case]:
    """All cases of all files."""
    for path in sorted(HERE.glob("*.toml")):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        defaults = content.get("defaults", {})
        for number, spec in enumerate(content["case"], 1):
            yield Case(path.stem, number, defaults | spec)
