"""Graph patterns under RDFS entailment, rewritten so that they find on a graph what follows from it.

``rewrite_entailed`` gives a pattern that has the same solutions on a graph as the original on all that the graph
entails (docs/entailment.md).  Nothing is materialised: tables of the schema become VALUES, single predicates UNIONs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpm.algebra import (
    AlternativePath,
    Bind,
    BlankNode,
    Element,
    Filter,
    Graph,
    Group,
    InversePath,
    Iri,
    NegatedPath,
    Operation,
    Path,
    Projection,
    RepeatedPath,
    SequencePath,
    SubSelect,
    Term,
    Triple,
    Triples,
    Union,
    Values,
    Variable,
)
from gpm.errors import PatternError
from gpm.printing import print_path
from gpm.rewrite import rewrite
from gpm.schema import TYPE, UPWARD, Row, Schema
from gpm.scope import in_scope, mentioned

MANY = 16  # predicates beyond which a table is joined instead of a UNION with a branch for each
NOBODY = Iri("urn:spaseq:nobody")  # a predicate that no triple has

Branch = tuple[Element, ...]


def rewrite_entailed(group: Group, schema: Schema) -> Group:
    """The pattern that has the solutions of ``group`` on what a graph entails; ``GRAPH`` parts stay as they are.

    PatternError: a path with * or + over what the schema entails.
    """
    return Rewriting(schema, mentioned(group)).group(group)


def conclusions(schema: Schema) -> Group:
    """The pattern of what follows from a graph beyond itself: triples ``?s ?p ?o``, maybe some of the graph's own."""
    branches = Rewriting(schema, frozenset("spo")).branches(Variable("s"), Variable("p"), Variable("o"))[1:]
    return Group((Union(tuple(map(Group, branches))),) if branches else (Values((), ()),))


class Rewriting:
    """Rewrites one pattern; ``taken`` are the names that it uses."""

    def __init__(self, schema: Schema, taken: frozenset[str]) -> None:
        self.schema = schema
        self._taken = taken
        self._count = 0
        self._blank_nodes: dict[str, Variable] = {}
        self._counting = False  # inside a sub-select, where it matters how often a solution comes

    # ── groups ───────────────────────────────────────────────────────────────────────────────────────────
    def group(self, group: Group) -> Group:
        """A group with all that is in it."""
        found: list[Element] = []
        for element in group.elements:
            if isinstance(element, Triples):
                found += self._triples(element)
            else:
                found.append(rewrite(element, self._change))
        return Group(tuple(found))

    def _change(self, node: object) -> object | None:
        match node:
            case Graph():
                return node
            case Group():
                return self.group(node)
            case SubSelect():
                return self._subselect(node)
        return None

    def _subselect(self, select: SubSelect) -> SubSelect:
        outside, self._counting = self._counting, True
        names = select.projections
        if names is None:  # * must not mean the variables that come up here
            names = self._projections(in_scope(select))
        parts = {
            name: rewrite(getattr(select, name), self._change) for name in ("group", "group_by", "having", "order_by")
        }
        projections = rewrite(names, self._change)
        self._counting = outside
        return SubSelect(
            projections, distinct=select.distinct, reduced=select.reduced, limit=select.limit, offset=select.offset,
            values=select.values, **parts,
        )  # fmt: skip

    def _triples(self, triples: Triples) -> list[Element]:
        """The elements for a run of triple patterns; those that the schema has nothing to say about stay together."""
        plain: list[Triple] = []
        others: list[Element] = []
        for triple in triples.triples:
            subject, object_ = self._variable(triple.subject), self._variable(triple.object)
            elements = self._path(subject, triple.predicate, object_)
            if elements == (Triples((Triple(subject, triple.predicate, object_),)),):
                plain.append(Triple(subject, triple.predicate, object_))
            else:
                others += elements
        return [Triples(tuple(plain)), *others] if plain else others

    # ── paths ────────────────────────────────────────────────────────────────────────────────────────────
    def _path(self, s: Term, path: Variable | Path, o: Term) -> Branch:
        match path:
            case Variable() | Iri():
                return self._once(s, path, o)
            case InversePath(inner) if self._matters(path):
                return self._path(o, inner, s)
            case SequencePath(parts) if self._matters(path):
                nodes = [s, *(self._fresh() for _ in parts[1:]), o]
                steps = zip(nodes, parts, nodes[1:], strict=False)
                return tuple(element for start, part, end in steps for element in self._path(start, part, end))
            case AlternativePath(parts) if self._matters(path):
                return (Union(tuple(Group(self._path(s, part, o)) for part in parts)),)
            case NegatedPath() if self._matters(path):
                return self._negated(s, path, o)
            case RepeatedPath():
                return self._repeated(s, path, o)
        return (Triples((Triple(s, path, o),)),)

    def _matters(self, path: Path) -> bool:
        """Whether the path is another one under entailment."""
        return self._plain(path) != path or self._may_add_nodes(path)

    def _once(self, s: Term, p: Variable | Iri, o: Term) -> Branch:
        branches = self.branches(s, p, o)
        if len(branches) == 1 and branches[0] == (Triples((Triple(s, p, o),)),):
            return branches[0]
        found = branches[0] if len(branches) == 1 else (Union(tuple(map(Group, branches))),)
        if not self._counting:
            return found
        return (SubSelect(self._projections(mentioned((s, p, o))), Group(found), distinct=True),)

    def _negated(self, s: Term, path: NegatedPath, o: Term) -> Branch:
        """``!(a | ^b)``: a variable predicate that is none of them."""
        ways = [(s, path.forward, o)] if path.forward else []
        ways += [(o, path.inverse, s)] if path.inverse else []
        branches = []
        for start, excluded, end in ways:
            p = self._fresh()
            branches.append(Group((*self._once(start, p, end), Filter(Operation("NOT IN", (p, *excluded))))))
        return (branches[0] if len(branches) == 1 else Union(tuple(branches)),)

    def _repeated(self, s: Term, path: RepeatedPath, o: Term) -> Branch:
        plain = self._plain(path)
        if plain is None and path.modifier != "?":
            raise PatternError(
                f"the path {print_path(path)} repeats what the schema entails, which cannot be evaluated: without the "
                "repetition it has all super-classes and super-properties already"
            )
        if plain is None:
            zero: Branch = (Triples((Triple(s, RepeatedPath(NOBODY, "?"), o),)),)
            branches = [self._path(s, path.path, o), zero]
        else:
            branches = [(Triples((Triple(s, plain, o),)),)]
        if self._may_add_nodes(path) and isinstance(s, Variable) and isinstance(o, Variable):
            branches += self._new_nodes(s, o)
        if len(branches) == 1:
            return branches[0]
        found = Union(tuple(map(Group, branches)))
        if not self._counting:
            return (found,)
        return (SubSelect(self._projections(mentioned((s, o))), Group((found,)), distinct=True),)

    def _new_nodes(self, s: Variable, o: Variable) -> list[Branch]:
        """Ends of a path of length zero that are in what is entailed, but perhaps not in the graph."""
        same = () if s == o else (Bind(s, o),)
        found = []
        for u in (Iri(u.value) for u in UPWARD if self._infers(u.value)):
            found.append((*self._once(self._fresh(), u, s), *same))
            found.append((*self._once(s, u, self._fresh()), *same))
        return found

    def _may_add_nodes(self, path: Path) -> bool:
        return _may_be_empty(path) and any(self._infers(u.value) for u in UPWARD)

    def _plain(self, path: Path) -> Path | None:
        """The path over the graph's own triples that is the same; None if there is none."""
        match path:
            case Iri(value):
                if any(value in self.schema.above(u.value) and self._infers(u.value) for u in UPWARD):
                    return None
                below = self.schema.below(value)
                return path if len(below) == 1 else AlternativePath(tuple(map(Iri, below)))
            case NegatedPath(forward, inverse):
                return self._plain_negated(forward, inverse)
            case InversePath(inner):
                plain = self._plain(inner)
                return None if plain is None else InversePath(plain)
            case RepeatedPath(inner, modifier):
                plain = self._plain(inner)
                return None if plain is None else RepeatedPath(plain, modifier)
            case SequencePath(parts) | AlternativePath(parts):
                found = [self._plain(part) for part in parts]
                plain_parts = tuple(part for part in found if part is not None)
                return type(path)(plain_parts) if len(plain_parts) == len(parts) else None

    def _plain_negated(self, forward: tuple[Iri, ...], inverse: tuple[Iri, ...]) -> Path | None:
        """A triple is left out only if all that it says by properties above its own is."""
        kept = []
        for names in (forward, inverse):
            excluded = {name.value for name in names}
            for u in UPWARD:
                if names and self._infers(u.value) and not excluded.issuperset(self.schema.above(u.value)):
                    return None
            rest = tuple(name for name in names if excluded.issuperset(self.schema.above(name.value)))
            kept.append(rest or ((NOBODY,) if names else ()))
        return NegatedPath(*kept)

    def _infers(self, u: str) -> bool:
        """Whether something follows for an UPWARD property but what its sub-properties say."""
        rules = self.schema
        typed = bool(rules.subject_rows or rules.object_rows)
        return bool(rules.upward_rows[u]) or (u == TYPE.value and typed)

    # ── single triple patterns ───────────────────────────────────────────────────────────────────────────
    def branches(self, s: Term, p: Variable | Iri, o: Term) -> list[Branch]:
        """Patterns on the graph whose solutions together are those of ``s p o`` on what it entails.

        The first one is the graph's own triples, and perhaps more.
        """
        of_class = p == Iri(TYPE.value) and any(Iri(high) == o for _, high in self.schema.upward_rows[TYPE.value])
        found = self._upward(s, p, o, TYPE.value, reflexive=True) if of_class else self._by_property(s, p, o)
        for u in (u.value for u in UPWARD):
            if not (of_class and u == TYPE.value):
                found += self._upward(s, p, o, u, reflexive=False)
            found += self._classes_above(s, p, o, u)
        return found + self._by_domain_and_range(s, p, o)

    def _by_property(self, s: Term, p: Variable | Iri, o: Term) -> list[Branch]:
        """Rule rdfs7."""
        f = self._fresh()
        if isinstance(p, Iri):
            return self._joined(Triple(s, f, o), (f,), [(low,) for low in self.schema.below(p.value)])
        own: Branch = (Triples((Triple(s, p, o),)),)
        return [own, *self._joined(Triple(s, f, o), (f, p), self.schema.property_rows)]

    def _upward(self, s: Term, p: Variable | Iri, o: Term, u: str, reflexive: bool) -> list[Branch]:
        """Rules rdfs9, rdfs11 and rdfs5: what is said of an object by ``u`` holds for all above it."""
        f, low = self._fresh(), self._fresh()
        rows = [row for row in self.schema.upward_rows[u] if not isinstance(o, Iri) or row[1] == o.value]
        if reflexive and isinstance(o, Iri):
            rows = [(o.value, o.value), *rows]
        predicates = [(name, high) for name in self.schema.below(u) for high in self.schema.above(u)]
        pairs = _table((low, o), rows)
        if pairs is None:
            return []
        return [(*branch, pairs) for branch in self._joined(Triple(s, f, low), (f, p), predicates)]

    def _by_domain_and_range(self, s: Term, p: Variable | Iri, o: Term) -> list[Branch]:
        """Rules rdfs2 and rdfs3, and what follows for the classes in their conclusions."""
        rules = self.schema
        f, one, other = self._fresh(), self._fresh(), self._fresh()
        found = self._joined(Triple(s, f, one), (f, p, o), _typed(rules, rules.subject_rows))
        ranges = self._joined(Triple(one, f, s), (f, p, o), _typed(rules, rules.object_rows))
        found += [(*branch, *_is_resource(s)) for branch in ranges]
        rows = [(low, c, q, m) for low, c, m in rules.class_rows for q in rules.above(TYPE.value)]
        return found + self._joined(Triple(one, f, other), (f, s, p, o), rows)

    def _classes_above(self, s: Term, p: Variable | Iri, o: Term, u: str) -> list[Branch]:
        """The classes of what rules rdfs9, rdfs11 and rdfs5 put in the place of an object."""
        f, low, one = self._fresh(), self._fresh(), self._fresh()
        rows = [(c, d, q, m) for c, d, m in self.schema.upward_class_rows[u] for q in self.schema.above(TYPE.value)]
        table = _table((low, s, p, o), rows)
        if table is None:
            return []
        return [
            (*branch, table)
            for branch in self._joined(Triple(one, f, low), (f,), [(name,) for name in self.schema.below(u)])
        ]

    def _joined(self, triple: Triple, columns: Sequence[Term], rows: Iterable[Row]) -> list[Branch]:
        """A triple pattern joined with a table, in branches for each predicate if these are not many."""
        table = _table(columns, rows)
        if table is None:
            return []
        f = triple.predicate
        if not isinstance(f, Variable) or f not in table.variables:
            return [_beside(triple, table)]
        at = table.variables.index(f)
        names = dict.fromkeys(row[at] for row in table.rows)
        if len(names) > MANY:
            return [_beside(triple, table)]
        rest = table.variables[:at] + table.variables[at + 1 :]
        return [
            _beside(
                Triple(triple.subject, name, triple.object),
                Values(rest, tuple(row[:at] + row[at + 1 :] for row in table.rows if row[at] == name)),
            )
            for name in names
            if isinstance(name, Iri)
        ]

    def _projections(self, names: frozenset[str]) -> tuple[Projection, ...]:
        """The projections of these variables; there is at least one."""
        kept = tuple(Projection(name, Variable(name)) for name in sorted(names))
        return kept or (Projection(self._fresh().name, NOBODY),)

    def _variable(self, term: Term) -> Term:
        """A variable for a blank node, which could not stand in several basic graph patterns."""
        if not isinstance(term, BlankNode):
            return term
        if term.label not in self._blank_nodes:
            self._blank_nodes[term.label] = self._fresh()
        return self._blank_nodes[term.label]

    def _fresh(self) -> Variable:
        while True:
            name = f"i{self._count}"
            self._count += 1
            if name not in self._taken:
                return Variable(name)


def _table(columns: Sequence[Term], rows: Iterable[Row]) -> Values | None:
    """The rows that agree with the constants among the columns, as a table of the variables; None if there are none."""
    variables = tuple(dict.fromkeys(column for column in columns if isinstance(column, Variable)))
    found: dict[tuple[Iri, ...], None] = {}
    for row in rows:
        values: dict[Term, Iri] = {}
        for column, name in zip(columns, row, strict=True):
            value = Iri(name)
            if (values.setdefault(column, value) if isinstance(column, Variable) else column) != value:
                break
        else:
            found[tuple(values[variable] for variable in variables)] = None
    return Values(variables, tuple(found)) if found else None


def _beside(triple: Triple, table: Values) -> Branch:
    """A triple pattern joined with a table."""
    return (Triples((triple,)), table) if table.variables else (Triples((triple,)),)


def _typed(schema: Schema, rows: Iterable[Row]) -> list[Row]:
    """(p, c) with the properties between something and its class c."""
    return [(p, q, c) for p, c in rows for q in schema.above(TYPE.value)]


def _is_resource(term: Term) -> Branch:
    """Nothing else can be a subject."""
    if not isinstance(term, Variable):
        return ()
    return (Filter(Operation("||", (Operation("ISIRI", (term,)), Operation("ISBLANK", (term,))))),)


def _may_be_empty(path: Path) -> bool:
    """Whether a path leads from a node to itself without any triple."""
    match path:
        case InversePath(inner):
            return _may_be_empty(inner)
        case SequencePath(parts):
            return all(map(_may_be_empty, parts))
        case AlternativePath(parts):
            return any(map(_may_be_empty, parts))
        case RepeatedPath(inner, modifier):
            return modifier != "+" or _may_be_empty(inner)
    return False
