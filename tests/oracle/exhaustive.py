"""Small worlds without chance: all expressions of at most two operators, all streams of at most three events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, combinations, pairwise, product

from .expressions import Binary, Var
from .generate import BASE, SECOND, SOURCES, Pair
from .labels import event_labels, query_labels
from .model import (
    And,
    AnyOrder,
    Atom,
    Event,
    Gpm,
    Kleene,
    Maybe,
    Node,
    Not,
    Or,
    Query,
    Seq,
    Window,
    parts,
    walk_nodes,
)
from .plan import plan_of
from .sequences import has_any_order, is_valid
from .values import XSD

BINARY = (",", ";", ":", "&", "|")
WITH_ANY_ORDER = (*BINARY, "&&")
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
UNARY = ("+", ";+", ",+", ":+", "*", ",*", ";*", ":*", "?", "{2}", ",{2}", ";{2}", ":{2}", "{0,2}", "!")


def sequences(operators: int = 2, any_order: bool = False) -> list[Node]:
    """All valid expressions of at most so many operators without `&&` (or all with it), atoms named A, B, C in order.

    Repeated atoms are in (`A ; A`), two expressions that differ in the names of atoms only are not.
    """
    signs = WITH_ANY_ORDER if any_order else BINARY
    shapes = [shape for count in range(operators + 1) for shape in _shapes(count, signs)]
    named = (_rename(shape, names) for shape in shapes for names in _namings(_size(shape)))
    return [node for node in named if is_valid(node) and has_any_order(node) == any_order]


def queries(operators: int = 2, window: Window | None = None, any_order: bool = False) -> Iterator[Query]:
    """A query for every expression. All GPMs share the key ?k; GPM X binds ?x to the number of the event, if X is
    mentioned once (mentioned twice, it would have to join with itself, and no two events would)."""
    for sequence in sequences(operators, any_order):
        mentions = Counter(node.gpm for node in walk_nodes(sequence) if isinstance(node, Atom))
        gpms = tuple(_gpm(name, count) for name, count in mentions.items())
        yield Query(sequence, gpms, (("s", SOURCES["s"]),), window=window)


def _gpm(name: str, mentions: int) -> Gpm:
    if mentions > 1:
        return Gpm(name, "s", f"?k a :{name}", ("k",))
    return Gpm(name, "s", f"?k :{name} ?{name.lower()}", ("k", name.lower()))


def streams(names: Sequence[str], events: int = 3, keys: int = 2, several: bool = False) -> Iterator[tuple[Event, ...]]:
    """All streams of 1 to `events` events, each simultaneous with the one before or a second later.

    An event has one of the types (with `several`, any set of them) and one of the keys. Of streams that differ only in
    the names of keys or in the order of simultaneous events, one.
    """
    types = [types for size in range(1, len(names) + 1 if several else 2) for types in combinations(names, size)]
    kinds = [(chosen, key) for chosen in types for key in range(keys)]
    for count in range(1, events + 1):
        for chosen, gaps in product(product(range(len(kinds)), repeat=count), product((0, 1), repeat=count - 1)):
            if _is_representative([kinds[kind][1] for kind in chosen], chosen, gaps):
                yield _stream([kinds[kind] for kind in chosen], gaps)


def queries_across(operators: int = 2, window: Window | None = None) -> Iterator[Query]:
    """Every query with `&&` and one filter across, `?x < ?y` in GPM X: a lesser number than the event in Y."""
    for query in queries(operators, window, any_order=True):
        taken = [o for o in plan_of(query).occurrences if not o.negated and len(o.gpm.variables) == 2]
        for own, other in product(taken, repeat=2):
            if own.is_beside(other):
                less = Binary("<", *(Var(o.gpm.variables[1]) for o in (own, other)))
                gpms = (replace(gpm, filters=(less,)) if gpm == own.gpm else gpm for gpm in query.gpms)
                yield replace(query, gpms=tuple(gpms))


def pairs(
    operators: int = 2,
    events: int = 3,
    keys: int = 2,
    several: bool = False,
    window: Window | None = None,
    any_order: bool = False,
) -> Iterator[Pair]:
    """Every query (of those without `&&`, or of those with it) with every stream of the types it uses."""
    return pairs_of(queries(operators, window, any_order), events, keys, several)


def pairs_of(asked: Iterable[Query], events: int = 3, keys: int = 2, several: bool = False) -> Iterator[Pair]:
    """These queries, each with every stream of the types it uses."""
    return with_streams(asked, lambda names: streams(names, events, keys, several))


def with_streams(
    asked: Iterable[Query], streams_of: Callable[[tuple[str, ...]], Iterable[tuple[Event, ...]]]
) -> Iterator[Pair]:
    """These queries, each with all streams of the GPMs it mentions; streams_of is asked once for each set of these."""
    worlds: dict[tuple[str, ...], list[tuple[Event, ...]]] = {}
    for query in asked:
        names = atom_names(query.sequence)
        if names not in worlds:
            worlds[names] = list(streams_of(names))
        labels = query_labels(query)
        for stream in worlds[names]:
            yield Pair(query, stream, labels | event_labels(stream))


def atom_names(sequence: Node) -> tuple[str, ...]:
    """The GPMs an expression mentions, in order of first mention."""
    return tuple(dict.fromkeys(node.gpm for node in walk_nodes(sequence) if isinstance(node, Atom)))


def _shapes(operators: int, signs: Sequence[str]) -> Iterator[Node]:
    """All expressions of exactly so many operators over a nameless atom."""
    if operators == 0:
        yield Atom("")
        return
    for body in _shapes(operators - 1, signs):
        yield from (_unary(sign, body) for sign in UNARY)
    for left in range(operators):
        for pair in product(_shapes(left, signs), _shapes(operators - 1 - left, signs)):
            yield from (_binary(sign, *pair) for sign in signs)


def _unary(sign: str, body: Node) -> Node:
    match sign:
        case "!":
            return Not(body)
        case "?":
            return Maybe(body)
        case "{0,2}":
            return Kleene(body, 0, 2)
    operator = sign[0] if sign[0] in ",;:" else None
    if sign.endswith("{2}"):
        return Kleene(body, 2, 2, operator)
    return Kleene(body, 0 if sign.endswith("*") else 1, None, operator)


def _binary(sign: str, left: Node, right: Node) -> Node:
    if sign in ",;:":
        return Seq(left, sign, right)
    if sign == "&&":
        return AnyOrder((*left.sides, right) if isinstance(left, AnyOrder) else (left, right))
    return And((left, right)) if sign == "&" else Or((left, right))


def _size(node: Node) -> int:
    """The number of atoms."""
    return sum(isinstance(part, Atom) for part in walk_nodes(node))


def _namings(size: int) -> Iterator[str]:
    """All ways to name so many atoms, a new name always the next letter."""
    for letters in product("ABC", repeat=size):
        firsts = list(dict.fromkeys(letters))
        if firsts == sorted("ABC")[: len(firsts)]:
            yield "".join(letters)


def _rename(node: Node, names: str) -> Node:
    """The expression with its atoms named in order of mention."""
    match node:
        case Atom():
            return Atom(names)
        case And((left, right)) | Or((left, right)):
            return type(node)((_rename(left, names[: _size(left)]), _rename(right, names[_size(left) :])))
        case AnyOrder(sides):
            ends = list(accumulate(map(_size, sides), initial=0))
            return AnyOrder(
                tuple(_rename(side, names[a:b]) for side, (a, b) in zip(sides, pairwise(ends), strict=True))
            )
        case Seq(left, sign, right):
            return Seq(_rename(left, names[: _size(left)]), sign, _rename(right, names[_size(left) :]))
        case Kleene(body, least, most, sign):
            return Kleene(_rename(body, names), least, most, sign)
        case Maybe(body):
            return Maybe(_rename(body, names))
    return Not(_rename(parts(node)[0], names))


def _is_representative(keys: list[int], kinds: tuple[int, ...], gaps: tuple[int, ...]) -> bool:
    """Whether new keys come in order, and simultaneous events in order of kind."""
    firsts = list(dict.fromkeys(keys))
    return (
        firsts == sorted(firsts)
        and firsts[0] == 0
        and all(gap or left <= right for gap, left, right in zip(gaps, kinds, kinds[1:], strict=False))
    )


def _stream(kinds: list[tuple[tuple[str, ...], int]], gaps: tuple[int, ...]) -> tuple[Event, ...]:
    events, time = [], 0
    for number, ((types, key), gap) in enumerate(zip(kinds, (0, *gaps), strict=True)):
        time += gap * SECOND
        triples = tuple(triple for name in types for triple in _triples(f"<{BASE}k{key}>", name, number))
        events.append(Event(SOURCES["s"], time, f"e{number}", triples))
    return tuple(events)


def _triples(key: str, name: str, number: int) -> list[tuple[str, str, str]]:
    kind = f"<{BASE}{name}>"
    return [(key, kind, f'"{number}"^^<{XSD}integer>'), (key, RDF_TYPE, kind)]
