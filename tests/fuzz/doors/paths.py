"""Path queries: read, printed and read again; what is a property path of SPARQL, pyoxigraph has to read, too."""

from __future__ import annotations

import pyoxigraph

from spaseq.languages.node import Node, walk
from spaseq.languages.paths import ParsedPathQueries, format_queries, parse, tree
from spaseq.languages.paths.printer import path as printed_path
from spaseq.languages.spaseq.printer import declaration
from spaseq.languages.spaseq.tree import Base, Prefix
from spaseq.pattern.paths import RELATION, inverted, is_unbounded
from spaseq.pattern.paths.printing import print_path_query
from tests.fuzz.door import ROOT, DisagreementError, Door, same

SHORT = 3_000  # characters of queries that pyoxigraph reads
WORDS = tuple(b"""
QUERY FROM TO LABEL ALL ANY SHORTEST WALK TRAIL ACYCLIC SIMPLE PATH PATHS NOT BACK START PREFIX BASE q films a :p ^:p
:p* :p+ :p? :p{2} {2,} {,3} {2,3} {0} {1000} {99999999999} !:p !(:p|^:q) !() (:p/:q)+ / | ^ ! ( ) [ ] { } * + ? , : ; .
[?x: [?x:?x>1] ?x $x ?y 0 1 10 -1 1.5 1e9 <urn:a> <> <#> <b/../c> ex: ex:p : xsd:integer(?x) "text" 'x' 'x'@en
'''long''' "\\u0041" EXISTS COUNT(*) NOW() PREV(?x) isIRI(?x) STR(?x) REGEX(?x,"(a+)+$") IN = != < > && || - # -> -[
""".split())  # fmt: skip


def enter(data: bytes) -> str:
    """All that is done with the text of path queries."""
    parsed = parse(data.decode("utf-8", "surrogateescape"))
    for warning in parsed.warnings:
        warning.render()
    printed = format_queries(parsed.tree)
    again = parse(printed)
    same(again.queries, parsed.queries, "printed and read again")
    same(again.tree, parsed.tree, "the tree of what was printed")
    for query in parsed.queries:
        same(inverted(inverted(query.expression)), query.expression, "the inverse of the inverse")
        same(is_unbounded(inverted(query.expression)), is_unbounded(query.expression), "whether the inverse has bounds")
        if len(printed) <= SHORT:
            same(parse(print_path_query(query)).queries, (query,), "printed with IRIs in full and read again")
    # pyoxigraph has no characters beyond U+FFFF in prefixed names, which SPARQL has.
    checked = _read_by_pyoxigraph(parsed) if len(printed) <= SHORT and max(printed) <= "\uffff" else 0
    return f"{len(parsed.queries).bit_length()} {checked.bit_length()} {len(printed).bit_length()}"


def _read_by_pyoxigraph(parsed: ParsedPathQueries) -> int:
    """How many of the expressions are property paths of SPARQL; DisagreementError if one is not for pyoxigraph."""
    prologue, read = [f"PREFIX : <{RELATION}> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>"], 0
    for item in parsed.tree.items:
        if isinstance(item, Base | Prefix):
            prologue.append(declaration(item))
        elif not any(map(_is_ours, walk(item.path))):
            _read("\n".join([*prologue, f"ASK {{ ?start {printed_path(item.path)} ?end }}"]))
            read += 1
    return read


def _read(text: str) -> None:
    try:
        pyoxigraph.Store().query(text)
    except SyntaxError as error:
        raise DisagreementError(f"pyoxigraph does not read {text!r:.300}: {error!s:.200}") from None


def _is_ours(node: Node) -> bool:
    """Whether SPARQL has no such part of a path, or pyoxigraph does not know it (``!()``)."""
    bounds = (node.least, node.most) if isinstance(node, tree.Repeated) else (0, 1)
    empty = isinstance(node, tree.Negated) and not node.parts
    return empty or isinstance(node, tree.Condition) or bounds not in ((0, 1), (0, None), (1, None))


def seeds() -> list[bytes]:
    """The queries of the tests with and without mistakes."""
    cases = sorted((ROOT / "tests" / "language" / "paths").glob("*/*.txt"))
    texts = [path.read_bytes().partition(b"\n=====")[0] for path in cases]
    return [b"QUERY q FROM :a ALL WALK :p/^:q", *texts, b"QUERY last ANY SHORTEST (:p|!:q)+ NOT BACK TO START"]


DOOR = Door("paths", enter, seeds, WORDS)
