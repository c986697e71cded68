"""Random syntax trees, such as the parser can give."""

from __future__ import annotations

from hypothesis import strategies as st

from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.lower_expression import BUILT_INS


def short(strategy: st.SearchStrategy) -> st.SearchStrategy:
    """The same strategy with a short name: hypothesis spends long on writing out nested ones."""
    return st.deferred(lambda: strategy)


names = st.sampled_from(["A", "B", "Select", "_x1", "filter", "a"])
variables = st.sampled_from(["v", "x1", "été", "_", "9"]).map(tree.Variable)
IRIS = ["<http://e/#a>", "ex:p", ":", "ex:", "ex:a.b", "filter:x", "a:b", r"ex:a\,b", "ex:%20"]
iris = st.sampled_from(IRIS).map(tree.Iri)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
literals = st.one_of(
    st.builds(tree.Literal, texts),
    st.builds(tree.Literal, texts, iris),
    st.builds(tree.Literal, texts, st.none(), st.sampled_from(["en", "de-at"])),
)
numbers = st.sampled_from(["0", "12", "1.5", ".5", "1e3", "1.E-2", "-7", "+2.0"]).map(tree.Number)
unsigned = numbers.filter(lambda number: number.text[0] not in "+-")
booleans = st.booleans().map(tree.Boolean)
constants = st.one_of(iris, literals, numbers, booleans)


def tuples(of: st.SearchStrategy, least: int = 0, most: int = 3) -> st.SearchStrategy:
    return st.lists(of, min_size=least, max_size=most).map(tuple)


# ── terms and paths ──────────────────────────────────────────────────────────────────────────────────────
blank_nodes = st.sampled_from(["", "b", "b.1"]).map(tree.BlankNode)
steps = st.one_of(iris, st.just(tree.Iri("a")))
paths = st.recursive(
    st.one_of(steps, tuples(st.one_of(steps, st.builds(tree.InversePath, steps))).map(tree.NegatedPath)),
    lambda path: st.one_of(
        st.builds(tree.InversePath, path),
        tuples(path, 2).map(tree.SequencePath),
        tuples(path, 2).map(tree.AlternativePath),
        st.builds(tree.RepeatedPath, path, st.sampled_from("?*+")),
    ),
    max_leaves=4,
)
paths = short(paths)
subjects = st.one_of(variables, iris, blank_nodes, unsigned, literals)


def properties(inner: st.SearchStrategy) -> st.SearchStrategy:
    return st.builds(tree.Property, st.one_of(variables, paths), tuples(inner, 1, 2))


objects = st.recursive(
    st.one_of(variables, constants, blank_nodes),
    lambda inner: st.one_of(tuples(inner).map(tree.Collection), tuples(properties(inner), 1, 2).map(tree.PropertyList)),
    max_leaves=4,
)


statements = st.one_of(
    st.builds(tree.Statement, subjects, tuples(properties(objects), 1, 2)),
    st.builds(
        tree.Statement,
        tuples(properties(objects), 1, 2).map(tree.PropertyList),
        tuples(properties(objects), 0, 1),
    ),
)
objects = short(objects)
triples = short(tuples(statements, 1, 2).map(tree.Triples))

# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
BINARY = ["||", "&&", "=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/"]


def expressions(groups: st.SearchStrategy | None = None) -> st.SearchStrategy:
    leaves = [variables, constants] + ([st.builds(tree.Exists, groups, st.booleans())] if groups is not None else [])
    return short(st.recursive(st.one_of(*leaves), _larger, max_leaves=5))


def _larger(inner: st.SearchStrategy) -> st.SearchStrategy:
    functions = st.sampled_from(sorted(BUILT_INS)).map(tree.Name)
    return st.one_of(
        st.builds(tree.Operation, st.sampled_from(BINARY), st.tuples(inner, inner)),
        st.builds(tree.Operation, st.sampled_from("!-+"), st.tuples(inner)),
        st.builds(tree.Operation, st.sampled_from(["IN", "NOT IN"]), tuples(inner, 1)),
        st.builds(tree.Call, st.one_of(functions, iris), tuples(inner)),
        st.builds(tree.Call, st.just(tree.Name("COUNT")), star=st.just(True), distinct=st.booleans()),
        st.builds(
            tree.Call,
            st.just(tree.Name("GROUP_CONCAT")),
            st.tuples(inner),
            distinct=st.booleans(),
            separator=st.one_of(st.none(), texts),
        ),
    )


# ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────
values = st.integers(0, 2).flatmap(
    lambda width: st.builds(
        tree.Values,
        tuples(variables, width, width),
        tuples(tuples(st.one_of(constants, st.just(tree.Undefined())), width, width).map(tree.Row)),
    )
)


def _separated(elements: tuple[tree.Element, ...]) -> tree.Group:
    """Triples that follow each other are one element."""
    kept: list[tree.Element] = []
    for element in elements:
        if not (kept and isinstance(kept[-1], tree.Triples) and isinstance(element, tree.Triples)):
            kept.append(element)
    return tree.Group(tuple(kept))


def _groups(inner: st.SearchStrategy) -> st.SearchStrategy:
    element = st.one_of(
        triples,
        inner,
        tuples(inner, 2, 3).map(tree.Union),
        st.builds(tree.Optional, inner),
        st.builds(tree.Minus, inner),
        st.builds(tree.Graph, st.one_of(variables, iris), inner),
        st.builds(tree.Service, iris, inner, st.booleans()),
        st.builds(tree.Filter, expressions(inner)),
        st.builds(tree.Bind, expressions(inner), variables),
        values,
    )
    return st.one_of(tuples(element).map(_separated), sub_selects(inner).map(lambda each: tree.Group((each,))))


named = st.builds(tree.Named, expressions(), variables)
items = st.one_of(st.none(), tuples(st.one_of(variables, named), 1))


def sub_selects(group: st.SearchStrategy) -> st.SearchStrategy:
    words = st.sampled_from([(False, False), (True, False), (False, True)])
    numbers_or_none = st.one_of(st.none(), st.integers(0, 99))
    return words.flatmap(
        lambda flags: st.builds(
            tree.SubSelect,
            items,
            group,
            st.just(flags[0]),
            st.just(flags[1]),
            tuples(st.one_of(named, expressions())),
            tuples(expressions()),
            tuples(st.builds(tree.OrderKey, expressions(), st.booleans())),
            numbers_or_none,
            numbers_or_none,
            st.one_of(st.none(), values),
        )
    )


groups = st.recursive(tuples(triples, 0, 1).map(tree.Group), _groups, max_leaves=4)

# ── sequences and clauses ────────────────────────────────────────────────────────────────────────────────
operators = st.sampled_from(",;:")


def _repeated(body: tree.Sequence, bounds: tuple[int, int | None], operator: str | None) -> tree.Repeated:
    return tree.Repeated(body, *bounds, operator)


bounds = st.sampled_from([(1, None), (0, None), (1, 1), (2, None), (0, 3), (2, 3)])
sequences = st.recursive(
    names.map(tree.Reference),
    lambda inner: st.one_of(
        st.builds(tree.Steps, inner, operators, inner),
        st.builds(tree.Alternatives, inner, inner),
        st.builds(tree.Conjuncts, inner, inner),
        tuples(inner, 2).map(tree.Unordered),
        st.builds(_repeated, inner, bounds, st.one_of(st.none(), operators)),
        st.builds(tree.Possible, inner),
        st.builds(tree.Negated, inner),
    ),
    max_leaves=8,
)
windows = st.builds(
    tree.Window,
    numbers,
    st.sampled_from(["EVENTS", "MINUTES", "MILLISECONDS"]),
    st.booleans(),
    st.one_of(st.none(), literals),
)
prologues = tuples(
    st.one_of(
        st.just(tree.Base(tree.Iri("<http://b/>"))),
        st.sampled_from(["", "ex", "select", "a-b.c"]).map(lambda name: tree.Prefix(name, tree.Iri("<http://e/>"))),
    )
)
stream_names = st.one_of(st.none(), names.map(tree.Name))
forms = st.one_of(
    st.builds(tree.Select, items, st.booleans()),
    st.builds(tree.Construct, tuples(statements), iris, stream_names),
)
queries = st.builds(
    tree.Query,
    prologues,
    forms,
    st.one_of(st.none(), windows),
    tuples(st.builds(tree.StreamClause, iris, stream_names)),
    sequences,
    tuples(st.builds(tree.Definition, names.map(tree.Name), st.one_of(names.map(tree.Name), iris), groups)),
    tuples(variables),
    st.one_of(st.none(), st.builds(tree.Partition, tuples(variables, 1), st.one_of(st.none(), groups))),
    tuples(expressions()),
)
