"""Saved graphs whose header was made anew: refused, or a graph that can be asked, changed, drawn and saved again.

Numbers in arrays are changed, arrays cut, and bytes anywhere.  Answers may be wrong: nobody knows the edges that were.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from functools import cache

import numpy as np
import pyoxigraph

from spaseq.paths import Graph, PreparedPath, prepare
from spaseq.paths.serialisation import DamagedError, SavedContent, open_buffer, serialised
from tests.fuzz.door import Door
from tests.fuzz.mutate import mutated
from tests.oracle.paths.generate import random_world
from tests.paths.engine import term_triples

QUERIES = """
    QUERY chain :p/^:q/(:p|:q)
    QUERY near FROM <http://example.org/a>, LABEL "x" ANY SHORTEST (!()|!(^:none))*/[?x: isIRI(?x) || ?x > 1]
    QUERY trails ALL TRAIL (:p|^:p|!(:q))+
    QUERY all_ways ALL SHORTEST (!(^:p))+ NOT BACK TO START
""".replace(":p", "<http://example.org/p>").replace(":q", "<http://example.org/q>")
NUMBERS = (0, 1, 2, 3, 7, 2**8 - 1, 2**31, 2**32 - 1)


def enter(data: bytes) -> str:
    """Open it, and do with it what can be done."""
    graph = Graph.__new__(Graph)
    open_buffer(graph, data)
    found = graph.match(_queries(), np.arange(graph.vertex_count), limit=200, most_edges=5_000)
    told = sum(len(str(path)) for path in found) + sum(len(found.picture(form)) for form in ("svg", "dot", "mermaid"))
    some = [pyoxigraph.NamedNode(f"http://example.org/{name}") for name in ("a", "p", "b", "new")]
    after = graph.with_edges([(some[0], some[1], some[3])], [(some[0], some[1], some[2]), (some[2], some[1], some[0])])
    more = after.match(_queries(), np.arange(after.vertex_count), limit=200, most_edges=5_000)
    again = pickle.loads(pickle.dumps(after))
    return f"{len(found).bit_length()} {len(more).bit_length()} {len(again).bit_length()} {told > 0}"


@cache
def _queries() -> tuple[PreparedPath, ...]:
    return prepare(QUERIES)


def changed(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """A number of an array changed, arrays cut or in another order, or bytes of it all."""
    try:
        content = SavedContent.of(data)
    except DamagedError:
        return mutated(data, other, words, choose)
    if not choose.randrange(8):
        return mutated(data, other, words, choose)
    arrays = dict(content.arrays)
    for _ in range(choose.choice((1, 1, 2, 4))):
        name = choose.choice(sorted(arrays))
        array = arrays[name].copy()
        kind = choose.randrange(12)
        if kind == 0:
            array = array[: choose.randrange(len(array) + 1)]
        elif kind == 1:
            array = array[::-1]
        elif len(array):
            near = int(array[choose.randrange(len(array))])
            array[choose.randrange(len(array))] = choose.choice((*NUMBERS, near, near + 1)) % 2 ** (8 * array.itemsize)
        arrays[name] = array
    return b"".join(SavedContent(content.header, arrays).pieces())


def seeds() -> list[bytes]:
    """The graphs of random worlds, one of a table, one that was changed, and one without edges."""
    worlds = [Graph(term_triples(sorted(random_world(seed).graph.edges))) for seed in range(40)]
    less = [world.with_edges((), term_triples(sorted(random_world(0).graph.edges))[:3]) for world in worlds[:2]]
    return [b"".join(serialised(graph).pieces()) for graph in (*worlds, *less, Graph([]))]


DOOR = Door("graphs", enter, seeds, mutate=changed)
