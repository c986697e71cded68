"""Runs a case: whole streams at once, event by event, and in batches with a snapshot after each."""

from __future__ import annotations

import spaseq
from spaseq.languages.spaseq import ParsedQuery
from spaseq.sources.rdf.events import Event
from spaseq.sources.rdf.graphs import read_graph
from tests.cases.loader import BASE, SECOND, Case, Word

XSD = "http://www.w3.org/2001/XMLSchema#"
Handed = list[tuple[str, str]]


def render(case: Case, match: spaseq.Match) -> str:
    """A match in the notation of the case file: query, events, variables, decision time; as much as the case shows."""
    words = [f"{match.query}#"] if len(case.queries) > 1 else []
    listed = match.events if case.spec.get("events", True) else {}
    picks = [(gpm, event_name(iri)) for gpm, events in listed.items() for iri in events]
    words += [f"{gpm}:{name}" for gpm, name in picks] if ":" in case.shown else list({name for _, name in picks})
    words += [f"?{name}={short(value)}" for name, value in match.bindings.items() if name in case.shown]
    words += [f"@{match.microseconds.decided / SECOND:g}"] if "@" in case.shown else []
    return case.order(" ".join(words))


def event_name(iri: str) -> str:
    """The name of an event; one that a query derived has no name of its own."""
    return iri.removeprefix(BASE) if iri.startswith(BASE) else "new"


def short(term: object) -> str:
    """``:k`` for our IRIs, else the literal's lexical form with blanks as ``_``."""
    text = str(term)
    return f":{text.removeprefix(BASE)}" if text.startswith(BASE) else text.replace(" ", "_") or "''"


def at_once(case: Case) -> list[str]:
    """``spaseq.run``."""
    streams: dict[str, list[tuple[int, bytes, str]]] = {iri: [] for iri in inputs(case)}
    for word in case.words:
        if word.name:
            streams[word.stream].append((word.time, word.turtle.encode(), word.iri))
    queries = {name: spaseq.parse(text) for name, text in case.queries.items()}
    return [render(case, match) for match in spaseq.run(queries, streams, case.background)]


def event_by_event(case: Case) -> Handed:
    """``Engine.push``: matches with the event, promise or end that handed them over."""
    engine, handed = started(case), []
    for word in case.words:
        cause, found = (
            (word.name, push(engine, word)) if word.name else (f"^{word.time / SECOND:g}", promise(engine, word))
        )
        handed += [(cause, render(case, match)) for match in found]
    return handed + [("end", render(case, match)) for match in engine.close()]


def push(engine: spaseq.Engine, word: Word) -> list[spaseq.Match]:
    return engine.push(word.stream, word.turtle.encode(), word.time, word.iri)


def promise(engine: spaseq.Engine, word: Word) -> list[spaseq.Match]:
    return engine.advance(word.time)


def with_snapshots(case: Case, size: int = 2) -> list[str]:
    """Batches of ``size`` events, the engine restored from its snapshot after each."""
    engine, found = started(case), []
    words = [word for word in case.words if word.name]
    for start in range(0, len(words), size):
        tables = engine.push_events([as_event(word) for word in words[start : start + size]])
        found += [render(case, match) for table in tables for match in table]
        engine = spaseq.Engine.restore(engine.snapshot(), parsed(case), case.background)
    return found + [render(case, match) for match in engine.close()]


def as_event(word: Word) -> Event:
    triples, name = read_graph(word.turtle.encode(), word.iri)
    return Event(word.stream, word.time, name, triples)


def parsed(case: Case) -> dict[str, ParsedQuery]:
    return {name: spaseq.parse(text) for name, text in case.queries.items()}


def started(case: Case) -> spaseq.Engine:
    engine = spaseq.Engine(case.background)
    for name, query in parsed(case).items():
        engine.register(query, name)
    return engine


def inputs(case: Case) -> list[str]:
    """The streams that no query of the case derives."""
    queries = started(case).queries.values()
    derived = {getattr(query.form, "into", None) for query in queries}
    return list(dict.fromkeys(s.iri for query in queries for s in query.streams if s.iri not in derived))
