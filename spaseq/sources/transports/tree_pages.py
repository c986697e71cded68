"""Pages of TREE, in which Linked Data Event Streams are published: from their statements to members and links.

A member has the statements about it, with those about blank nodes that they lead to, and all in the graph that has its
name (the member extraction of TREE, without shapes).  It becomes a message in N-Quads, whose only graph has its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from spaseq.errors import Location, StreamError
from spaseq.sources.transports.shacl_paths import ShaclPath, Term, path_values, read_path
from spaseq.sources.transports.statements import Statements
from spaseq.streams.timestamps import GREATEST, LEAST, from_xsd

TREE, LDES = "https://w3id.org/tree#", "https://w3id.org/ldes#"
XSD = "http://www.w3.org/2001/XMLSchema#"
TIME = NamedNode("http://www.w3.org/ns/prov#generatedAtTime")  # of an event, as it is read behind a transport
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_NOT_BEFORE = {f"{TREE}{name}Relation" for name in ("GreaterThan", "GreaterThanOrEqualTo", "EqualTo")}
_NOT_AFTER = {f"{TREE}{name}Relation" for name in ("LessThan", "LessThanOrEqualTo", "EqualTo")}
ZONES = 14 * 3_600_000_000  # microseconds by which a time without a zone may be earlier or later than it reads
MOST = 1 << 28  # bytes of the members of a page, which may share blank nodes


@dataclass(frozen=True, slots=True)
class PageLink:
    """A relation to a page: no member behind it is before ``low``, and none after ``high``."""

    url: str
    low: int = LEAST
    high: int = GREATEST


@dataclass(frozen=True, slots=True)
class PageMember:
    """A member as a message; ``time`` in microseconds, None: it has none that can be compared."""

    iri: str
    time: int | None
    data: bytes


@dataclass(frozen=True, slots=True)
class StreamContext:
    """What pages say of their stream: its name, where members have their time, seconds between two looks."""

    collection: str = ""
    path: ShaclPath | None = None
    interval: float | None = None


@dataclass(frozen=True, slots=True)
class TreePage:
    """What a page has; ``is_final``: nothing will be added to it.  ``described``: other pages whose links it has."""

    context: StreamContext
    members: list[PageMember] = field(default_factory=list)
    links: list[PageLink] = field(default_factory=list)
    is_final: bool = False
    described: list[str] = field(default_factory=list)


class PageReader:
    """Reads one page.  ``names`` are the URLs that it is known by, ``place`` is what errors call it."""

    def __init__(
        self, quads: Collection[Quad], names: Collection[str], place: Location, context: StreamContext
    ) -> None:
        self._all = Statements(quads)
        self._names = [NamedNode(name) for name in dict.fromkeys(names)]
        self._place = place
        listed = [quad.object for quad in self._all.using(f"{TREE}member")]
        self._controls = self._all.without(one for one in listed if isinstance(one, NamedNode))
        self._context = context

    def read(self, is_entry: bool) -> TreePage:
        """What it has; the entry may be a stream, whose only view is a page.  StreamError: it is none."""
        context = self._context_here(is_entry)
        relations = [quad for quad in self._controls.using(f"{TREE}relation") if quad.subject in self._names]
        links = list(self._links(relations, context.path))
        members = [self._member(one, context) for one in self._member_names(context)]
        if sum(len(one.data) for one in members) > MOST:
            raise self._error(f"its members are longer than {MOST:,} bytes")
        if is_entry and not relations and not members:
            links += self._views()
        final = any(self._is_true(name, f"{LDES}immutable") for name in self._names)
        others = {quad.subject for quad in self._controls.using(f"{TREE}relation")} if not relations else set()
        return TreePage(
            context, members, links, final, sorted(one.value for one in others if isinstance(one, NamedNode))
        )

    def _error(self, message: str, hint: str = "") -> StreamError:
        return StreamError(message, self._place, hint=hint)

    # ── the stream ───────────────────────────────────────────────────────────────────────────────────────────
    def _context_here(self, is_entry: bool) -> StreamContext:
        context = self._context
        if not context.collection:
            context = replace(context, collection=self._collection())
        stream = NamedNode(context.collection) if context.collection else None
        for found in self._controls.objects(stream, f"{LDES}timestampPath") if stream and not context.path else ():
            context = replace(context, path=self._path(found))
        for found in self._controls.objects(stream, f"{LDES}pollingInterval") if stream else ():
            if isinstance(found, Literal) and found.value.isascii() and found.value.isdigit():
                context = replace(context, interval=float(found.value))
        return context

    def _collection(self) -> str:
        """The stream that is published here, as far as that is said.  StreamError: there are several."""
        viewed = [quad for quad in self._controls.using(f"{TREE}view") if quad.object in self._names]
        own = [quad for quad in self._controls.using(f"{TREE}view") if quad.subject in self._names]
        for some in (viewed, own, self._controls.using(f"{TREE}member"), self._controls.using(f"{TREE}view")):
            found = sorted({quad.subject.value for quad in some if isinstance(quad.subject, NamedNode)})
            if len(found) > 1:
                raise self._error(f"it has {len(found)} streams: {', '.join(found)}", "name a page of one of them")
            if found:
                return found[0]
        return ""

    def _path(self, term: Term) -> ShaclPath:
        try:
            return read_path(self._controls, term)
        except ValueError as error:
            raise self._error(f"ldes:timestampPath cannot be followed: {error}") from None

    # ── links ────────────────────────────────────────────────────────────────────────────────────────────────
    def _views(self) -> list[PageLink]:
        """The one view of a stream.  StreamError: this is no stream, or one with several."""
        views = [quad.object for quad in self._controls.using(f"{TREE}view")]
        found = sorted(
            {view.value for view in views if isinstance(view, NamedNode)} - {one.value for one in self._names}
        )
        if len(found) > 1:
            raise self._error(f"it has {len(found)} views: {', '.join(found)}", "name one of them")
        if not views:
            hint = "name a page with tree:member or tree:relation, or a stream with tree:view"
            raise self._error("this is no LDES: no tree:member, tree:relation or tree:view is in it", hint)
        return [PageLink(url) for url in found]

    def _links(self, relations: Collection[Quad], path: ShaclPath | None) -> Iterator[PageLink]:
        """Where relations lead to; those to one page hold together."""
        found: dict[str, PageLink] = {}
        for relation in dict.fromkeys(quad.object for quad in relations):
            nodes = self._controls.objects(relation, f"{TREE}node")
            if len(nodes) != 1 or not isinstance(nodes[0], NamedNode):
                raise self._error(f"the relation {relation} has not one page: one tree:node is expected")
            url = nodes[0].value.partition("#")[0]
            low, high = self._bounds(relation, path)
            known = found.get(url, PageLink(url))
            found[url] = PageLink(url, max(low, known.low), min(high, known.high))
        yield from (link for url, link in found.items() if NamedNode(url) not in self._names)

    def _bounds(self, relation: Term, path: ShaclPath | None) -> tuple[int, int]:
        """The times between which all members behind a relation are, as far as it says so."""
        kinds = {kind.value for kind in self._controls.objects(relation, TYPE) if isinstance(kind, NamedNode)}
        times = [_moment(value) for value in self._controls.objects(relation, f"{TREE}value")]
        moments = [one for one in times if one is not None]
        if path is None or not times or len(moments) < len(times) or not self._is_on(relation, path):
            return LEAST, GREATEST
        low = min(one - zone for one, zone in moments) if kinds & _NOT_BEFORE else LEAST
        high = max(one + zone for one, zone in moments) if kinds & _NOT_AFTER else GREATEST
        return max(low, LEAST), min(high, GREATEST)

    def _is_on(self, relation: Term, path: ShaclPath) -> bool:
        """Whether a relation is one of the time of members."""
        try:
            paths = [read_path(self._controls, one) for one in self._controls.objects(relation, f"{TREE}path")]
        except ValueError:  # another one
            return False
        return paths == [path]

    def _is_true(self, subject: NamedNode, predicate: str) -> bool:
        found = self._controls.objects(subject, predicate)
        return any(isinstance(one, Literal) and one.value in ("true", "1") for one in found)

    # ── members ──────────────────────────────────────────────────────────────────────────────────────────────
    def _member_names(self, context: StreamContext) -> list[NamedNode]:
        """The members of the stream.  StreamError: they are of another one, or have no names."""
        stated = self._controls.using(f"{TREE}member")
        found = list(dict.fromkeys(quad.object for quad in stated if str(quad.subject) == f"<{context.collection}>"))
        if stated and not found:
            other = f"its members are of {stated[0].subject}, and not of <{context.collection}>"
            raise self._error(
                other if context.collection else f"its members are of {stated[0].subject}, without a name"
            )
        names = [one for one in found if isinstance(one, NamedNode)]
        if len(names) < len(found):
            raise self._error("a member is a blank node: members of an LDES have IRIs")
        if names and context.path is None:
            hint = "say which property it is: #time=http://www.w3.org/ns/sosa/resultTime"
            raise self._error("the time of its members is not known: no ldes:timestampPath is here", hint)
        self._graphs = set(names)
        return names

    def _member(self, name: NamedNode, context: StreamContext) -> PageMember:
        triples = self._triples(name)
        if not triples:
            message = f"nothing is said of the member {name}: members that stand elsewhere cannot be read"
            raise self._error(message)
        assert context.path is not None
        values = path_values(context.path, [name], triples)
        times = [moment[0] for moment in map(_moment, values) if moment is not None]
        return PageMember(name.value, min(times, default=None), _message(name, triples, values))

    def _triples(self, name: NamedNode) -> list[Triple]:
        """The statements that belong to a member."""
        found: dict[Triple, None] = {}
        nodes: list[NamedNode | BlankNode] = [name]
        known = set(nodes)
        for node in nodes:  # which grows
            for quad in self._all.about(node):
                if quad.graph_name != name and quad.graph_name in self._graphs:
                    continue  # of another member
                found[quad.triple] = None
                if isinstance(quad.object, BlankNode) and quad.object not in known:
                    known.add(quad.object)
                    nodes.append(quad.object)
        found.update((quad.triple, None) for quad in self._all.within(name))
        return list(found)


def _moment(value: Term) -> tuple[int, int] | None:
    """The microseconds of a time, and by how many they may be others; None: it is none."""
    if not isinstance(value, Literal):
        return None
    try:
        if value.datatype.value == f"{XSD}integer":
            return int(value.value), 0
        if value.datatype.value != f"{XSD}dateTime":
            return None
        zone = value.value.endswith("Z") or value.value[-6:-5] in ("+", "-")
        return from_xsd(value.value), 0 if zone else ZONES
    except ValueError:
        return None


def _message(name: NamedNode, triples: Collection[Triple], times: Collection[Term]) -> bytes:
    """A member in N-Quads, with its time in the default graph; blank nodes are numbered."""
    known: dict[BlankNode, BlankNode] = {}

    def named(term: Term) -> Term:
        if isinstance(term, BlankNode):
            return known.setdefault(term, BlankNode(f"b{len(known)}"))
        if isinstance(term, Triple):
            return Triple(named(term.subject), term.predicate, named(term.object))  # type: ignore[arg-type]
        return term

    quads = [Quad(named(one.subject), one.predicate, named(one.object), name) for one in triples]  # type: ignore[arg-type]
    quads += [Quad(name, TIME, named(time)) for time in times]
    return serialize(quads, format=RdfFormat.N_QUADS) or b""
