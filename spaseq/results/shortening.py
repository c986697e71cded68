"""Terms for people: short names, no datatypes."""

from __future__ import annotations

from collections.abc import Mapping

from spaseq.results.terms import Value


def shorten(iri: str, prefixes: Mapping[str, str]) -> str:
    """``prefix:rest`` by the longest prefix that fits, else ``<iri>``."""
    fits = [(len(start), name) for name, start in prefixes.items() if start and iri.startswith(start)]
    if not fits:
        return f"<{iri}>"
    length, name = max(fits)
    return f"{name}:{iri[length:]}"


def show(value: Value | None, prefixes: Mapping[str, str]) -> str:
    """A term on one line; an unbound variable is empty."""
    if value is None:
        return ""
    if value.kind == "uri":
        return shorten(value.text, prefixes)
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(value.text.split()))
    if value.kind == "bnode":
        return "_:" + text
    return f"{text}@{value.language}" if value.language else text


def show_events(events: Mapping[str, list[str]], prefixes: Mapping[str, str]) -> str:
    """``A e:1, B e:2 e:3``."""
    return ", ".join(f"{name} {' '.join(shorten(iri, prefixes) for iri in iris)}" for name, iris in events.items())
