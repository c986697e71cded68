"""Names in edge tables as terms: those of nodes are strings, those of relations IRIs, unless they are IRIs already."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from spaseq.pattern.paths import RELATION

_IRI_STARTS = ("http://", "https://", "urn:")  # of names that are IRIs
_IRI = re.compile(r"(?:https?://|urn:)[^\x00-\x20<>\"{}|\\^`]+")


def relation_iri(name: str) -> str:
    """The IRI of a relation of a table."""
    return name if _IRI.fullmatch(name) else RELATION + quote(name, safe="")


def relation_bytes(name: str) -> bytes:
    """The canonical bytes of ``relation_iri``."""
    return b"I" + relation_iri(name).encode()


def node_bytes(name: str) -> bytes:
    """The canonical bytes of the node of that name."""
    is_iri = name.startswith(_IRI_STARTS) and _IRI.fullmatch(name)
    return (b"I" if is_iri else b"S") + name.encode()


def short_name(iri: str) -> str:
    """What a reader calls an IRI: the name of a relation, else its last part."""
    if iri.startswith(RELATION):
        return unquote(iri.removeprefix(RELATION))
    return re.split("[/#]", iri.rstrip("/#"))[-1] or iri
