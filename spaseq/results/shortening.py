"""Terms for people: short names, no datatypes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spaseq.results.terms import Value
from spaseq.showing import shown


def shorten(iri: str, prefixes: Mapping[str, str], parts: int = 0) -> str:
    """``prefix:rest`` by the longest prefix that fits, else ``<iri>``, or ``…`` and its last ``parts`` if not 0."""
    fits = [(len(start), name) for name, start in prefixes.items() if start and iri.startswith(start)]
    if fits:
        length, name = max(fits)
        return f"{name}:{iri[length:]}"
    found = re.split(r"(?<=[/#])", iri.removesuffix("/"))
    return "…" + "".join(found[-parts:]) if parts and len(found) > parts + 2 else f"<{iri}>"


def show(value: Value | None, prefixes: Mapping[str, str], parts: int = 0) -> str:
    """A term on one line; an unbound variable is empty."""
    if value is None:
        return ""
    if value.kind == "uri":
        return shorten(value.text, prefixes, parts)
    text = shown(" ".join(value.text.split()))
    if value.kind == "bnode":
        return "_:" + text
    return f"{text}@{value.language}" if value.language else text


def show_events(events: Mapping[str, list[str]], prefixes: Mapping[str, str], parts: int = 0) -> str:
    """``A e:1, B e:2 e:3``."""
    shown = {name: " ".join(shorten(iri, prefixes, parts) for iri in iris) for name, iris in events.items()}
    return ", ".join(f"{name} {iris}" for name, iris in shown.items())
