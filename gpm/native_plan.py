"""Graph patterns to plans of the native solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gpm.algebra import (
    Bind,
    BlankNode,
    Element,
    Exists,
    Expression,
    Filter,
    Group,
    Minus,
    Operation,
    Optional,
    Term,
    Triple,
    Triples,
    Union,
    Values,
    Variable,
    subexpressions,
)
from gpm.expressions import compile_expression
from gpm.native_algebra import NotNativeError, simplify, summary
from gpm.native_scope import check_scopes
from gpm.native_steps import (
    Alternatives,
    Asked,
    Assign,
    Attempt,
    Chain,
    Condition,
    Constants,
    Derived,
    Exclude,
    Join,
    Match,
    NativePattern,
    Plan,
    Reason,
    Step,
    Test,
)
from gpm.rewrite import rewrite
from gpm.scope import NONE, Names, certain, has_exists, in_scope, mentioned
from gpm.terms import encode
from nfa_native.words import Terms


def compile_native(group: Group, columns: tuple[str, ...], terms: Terms) -> NativePattern | Reason:
    """The native form of a pattern with these columns, or why there is none."""
    try:
        simple = simplify(group)
        check_scopes(simple)
        return _pattern(simple, columns, terms)
    except NotNativeError as error:
        return Reason(str(error))


def _pattern(group: Group, columns: tuple[str, ...], terms: Terms) -> NativePattern:
    late = [part for part in group.elements if isinstance(part, Filter) and not has_exists(part)]
    rest = Group(tuple(part for part in group.elements if part not in late))
    whole, base = _Compiler(terms), _Compiler(terms)
    whole_plan, base_plan = whole.plan(group), base.plan(rest)
    return NativePattern(
        columns=columns,
        terms=terms,
        whole=whole_plan,
        output=whole.output(columns),
        base=base_plan,
        base_output=base.output(columns),
        tests=tuple(base.condition(test.expression, _EMPTY) for test in late),
        summary=summary(group, terms),
    )


@dataclass(frozen=True, slots=True)
class _Bound:
    """The variables that every row at a place binds, and those that some row may bind."""

    certain: Names = NONE
    possible: Names = NONE

    def after(self, element: Element) -> _Bound:
        """What is bound when the element has been joined."""
        return _Bound(self.certain | certain(element), self.possible | in_scope(element))


_EMPTY = _Bound()


@dataclass(slots=True)
class _Compiler:
    """Writes the steps of one plan."""

    terms: Terms
    variables: dict[str, int] = field(default_factory=dict)
    words: dict[int, int] = field(default_factory=dict)
    registers: int = 0

    def plan(self, group: Group) -> Plan:
        """The plan of a whole pattern."""
        chain = self.group(group, _EMPTY)
        return Plan(chain, tuple((register, word) for word, register in self.words.items()), self.registers)

    def output(self, names: Iterable[str]) -> tuple[int, ...]:
        """The registers of variables; −1 for those that do not occur."""
        return tuple(self.variables.get(name, -1) for name in names)

    # ── registers ──
    def next_register(self) -> int:
        self.registers += 1
        return self.registers - 1

    def variable(self, name: str) -> int:
        if name not in self.variables:
            self.variables[name] = self.next_register()
        return self.variables[name]

    def term(self, term: Term) -> int:
        if isinstance(term, Variable):
            return self.variable(term.name)
        assert not isinstance(term, BlankNode)
        word = encode(self.terms, term)
        if word not in self.words:
            self.words[word] = self.next_register()
        return self.words[word]

    # ── groups ──
    def group(self, group: Group, bound: _Bound) -> Chain:
        """The steps that extend rows by the solutions of a group; filters come once their variables are settled."""
        tests = [part for part in group.elements if isinstance(part, Filter)]
        parts = list(_in_order(group, bound.possible))
        steps: list[Step] = []
        for n in range(len(parts) + 1):
            later = frozenset().union(*map(in_scope, parts[n:]))
            settled = [test for test in tests if not (mentioned(test) & later) - bound.certain]
            steps += [Test(self.condition(test.expression, bound)) for test in sorted(settled, key=has_exists)]
            tests = [test for test in tests if test not in settled]
            if n < len(parts):
                steps += self.element(parts[n], bound)
                bound = bound.after(parts[n])
        return tuple(steps)

    def element(self, element: Element, bound: _Bound) -> Chain:
        """The steps for one element of a group."""
        match element:
            case Triples(triples):
                return tuple(map(self.match, triples))
            case Values():
                return (Join(self.constants(element)),)
            case Group():
                return self.group(element, bound)
            case Union(branches):
                return (Alternatives(tuple(self.group(branch, bound) for branch in branches)),)
            case Optional(group):
                return (Attempt(self.group(group, bound)),)
            case Minus(group):
                return self.minus(group, bound)
            case Bind(expression, variable):
                return (Assign(self.variable(variable.name), self.condition(expression, bound)),)
        raise AssertionError(element)

    def match(self, triple: Triple) -> Match:
        """A triple pattern."""
        predicate = triple.predicate
        assert isinstance(predicate, Term)
        return Match(self.term(triple.subject), self.term(predicate), self.term(triple.object))

    def constants(self, values: Values) -> Constants:
        """The table of VALUES."""
        rows = (tuple(0 if term is None else encode(self.terms, term) for term in row) for row in values.rows)
        return Constants(tuple(self.variable(variable.name) for variable in values.variables), tuple(rows))

    def minus(self, group: Group, bound: _Bound) -> Chain:
        """MINUS; its solutions are found first, and looked up by variables that all of them and the row have."""
        common = bound.certain & certain(group)
        if not bound.possible & in_scope(group):
            return ()
        chain = self.group(group, _EMPTY)
        columns = sorted(in_scope(group), key=lambda name: (name not in common, self.variable(name)))
        return (Exclude(Derived(tuple(map(self.variable, columns)), chain)),)

    # ── expressions ──
    def condition(self, expression: Expression, bound: _Bound) -> Condition:
        """An expression on rows with these variables."""
        asked: list[Asked] = []
        hidden: dict[str, int] = {}

        def ask(node: object) -> object | None:
            if not isinstance(node, Exists):
                return None
            register = self.next_register()
            asked.append(Asked(register, self.group(node.pattern, bound)))
            hidden[f"exists {register}"] = register
            answer = Variable(f"exists {register}")
            return Operation("!", (answer,)) if node.negated else answer

        plain = rewrite(expression, ask)
        program = compile_expression(plain, {**self.variables, **hidden}, self.terms)
        if program is None:
            raise NotNativeError(_unknown(plain, self.terms))
        instructions = tuple((int(op), argument) for op, argument in program.instructions)
        return Condition(instructions, tuple(program.constants), tuple(asked))


# ── order ────────────────────────────────────────────────────────────────────────────────────────────────
def _in_order(group: Group, known: Names) -> Iterator[Element]:
    """The elements but filters, one triple pattern at a time; between OPTIONAL, MINUS and BIND joins change places."""
    joins: list[Element] = []
    for element in group.elements:
        if isinstance(element, Filter):
            continue
        if not isinstance(element, Optional | Minus | Bind):
            joins.append(element)
            continue
        yield from _joins_in_order(joins, known)
        known = known.union(*map(in_scope, joins), in_scope(element))
        joins = []
        yield element
    yield from _joins_in_order(joins, known)


def _joins_in_order(joins: list[Element], known: Names) -> Iterator[Element]:
    """Triple patterns, what is known best first; then VALUES, then groups and unions."""
    triples = [triple for element in joins if isinstance(element, Triples) for triple in element.triples]
    while triples:
        best = max(triples, key=lambda triple: _selectivity(triple, known))  # the first of several
        triples.remove(best)
        known |= mentioned(best)
        yield Triples((best,))
    yield from (element for element in joins if isinstance(element, Values))
    yield from (element for element in joins if not isinstance(element, Triples | Values))


def _selectivity(triple: Triple, known: Names) -> tuple[int, int]:
    """How much of a triple pattern is known: its ends, then its predicate."""
    ends = sum(not mentioned(term) - known for term in (triple.subject, triple.object))
    return ends, not mentioned(triple.predicate) - known


def _unknown(expression: Expression, terms: Terms) -> str:
    """What in an expression the native program does not have."""
    for part in subexpressions(expression):
        match part:
            case Operation(name, arguments):
                plain = Operation(name, tuple(Variable(f"x{n}") for n in range(len(arguments))))
                if compile_expression(plain, {}, terms) is None:
                    return f"function {name}"
            case Variable() | Exists():
                continue
            case _:
                if compile_expression(part, {}, terms) is None:
                    return type(part).__name__.lower()
    return "a deep expression"
