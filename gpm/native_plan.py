"""Graph patterns to plans of the native solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

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
from gpm.interning import TransientTerms
from gpm.join_order import in_order
from gpm.native_algebra import NotNativeError, simplify, summary
from gpm.native_scope import check_scopes
from gpm.native_steps import (
    Alternatives,
    Attempt,
    Chain,
    Constants,
    Derived,
    Exclude,
    ExistsQuestion,
    NativeAssign,
    NativeCondition,
    NativeJoin,
    NativePattern,
    NativeStep,
    NativeTest,
    Reason,
    SolverPlan,
    TripleScan,
)
from gpm.rewrite import rewrite
from gpm.scope import certain, has_exists, in_scope, mentioned
from gpm.terms import encode
from nfa_native.terms.dictionary import Terms


def compile_native(group: Group, columns: tuple[str, ...], terms: Terms) -> NativePattern | Reason:
    """The native form of a pattern with these columns, or why there is none."""
    try:
        simple = simplify(group)
        check_scopes(simple)
        return _pattern(simple, columns, terms)
    except NotNativeError as error:
        return Reason(str(error))


def _pattern(group: Group, columns: tuple[str, ...], terms: Terms) -> NativePattern:
    late = [part for part in group.elements if _is_late(part)]
    rest = Group(tuple(part for part in group.elements if not _is_late(part)))
    kept = TransientTerms(terms)
    whole = _Compiler(terms, kept)
    whole_plan = whole.plan(group)
    base = _Compiler(terms, kept) if late else whole
    base_plan = base.plan(rest) if late else whole_plan
    return NativePattern(
        columns=columns,
        terms=terms,
        whole=whole_plan,
        output=whole.output(columns),
        base=base_plan,
        base_output=base.output(columns),
        tests=tuple(base.condition(test.expression, _EMPTY) for test in late),
        summary=summary(group, kept),
        kept=kept,
    )


def _is_late(part: Element) -> TypeGuard[Filter]:
    """Whether it is a filter that rows are tested with in the end."""
    return isinstance(part, Filter) and not has_exists(part)


@dataclass(frozen=True, slots=True)
class _Bound:
    """The variables that every row at a place binds, and those that some row may bind: more, from step to step."""

    certain: set[str] = field(default_factory=set)
    possible: set[str] = field(default_factory=set)

    def copy(self) -> _Bound:
        """The same, to go on from here."""
        return _Bound(set(self.certain), set(self.possible))

    def add(self, element: Element) -> None:
        """The element has been joined."""
        self.certain.update(certain(element))
        self.possible.update(in_scope(element))


_EMPTY = _Bound()


@dataclass(slots=True)
class _Compiler:
    """Writes the steps of one plan."""

    terms: Terms
    kept: TransientTerms
    variables: dict[str, int] = field(default_factory=dict)
    words: dict[int, int] = field(default_factory=dict)
    registers: int = 0

    def plan(self, group: Group) -> SolverPlan:
        """The plan of a whole pattern."""
        chain = self.group(group, _EMPTY)
        return SolverPlan(chain, tuple((register, word) for word, register in self.words.items()), self.registers)

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
        word = encode(self.kept, term)
        if word not in self.words:
            self.words[word] = self.next_register()
        return self.words[word]

    # ── groups ──
    def group(self, group: Group, bound: _Bound) -> Chain:
        """The steps that extend rows by the solutions of a group; filters come once their variables are settled."""
        parts = list(in_order(group, bound.possible))
        tests = _settled(group, parts, bound)
        bound = bound.copy()
        steps: list[NativeStep] = []
        for n, part in enumerate((*parts, None)):
            steps += [
                NativeTest(self.condition(test.expression, bound)) for test in sorted(tests.get(n, ()), key=has_exists)
            ]
            if part is not None:
                steps += self.element(part, bound)
                bound.add(part)
        return tuple(steps)

    def element(self, element: Element, bound: _Bound) -> Chain:
        """The steps for one element of a group."""
        match element:
            case Triples(triples):
                return tuple(map(self.match, triples))
            case Values():
                return (NativeJoin(self.constants(element)),)
            case Group():
                return self.group(element, bound)
            case Union(branches):
                return (Alternatives(tuple(self.group(branch, bound) for branch in branches)),)
            case Optional(group):
                return (Attempt(self.group(group, bound)),)
            case Minus(group):
                return self.minus(group, bound)
            case Bind(expression, variable):
                return (NativeAssign(self.variable(variable.name), self.condition(expression, bound)),)
        raise AssertionError(element)

    def match(self, triple: Triple) -> TripleScan:
        """A triple pattern."""
        predicate = triple.predicate
        assert isinstance(predicate, Term)
        return TripleScan(self.term(triple.subject), self.term(predicate), self.term(triple.object))

    def constants(self, values: Values) -> Constants:
        """The table of VALUES."""
        rows = (tuple(0 if term is None else encode(self.kept, term) for term in row) for row in values.rows)
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
    def condition(self, expression: Expression, bound: _Bound) -> NativeCondition:
        """An expression on rows with these variables."""
        asked: list[ExistsQuestion] = []
        hidden: dict[str, int] = {}

        def ask(node: object) -> object | None:
            if not isinstance(node, Exists):
                return None
            register = self.next_register()
            asked.append(ExistsQuestion(register, self.group(node.pattern, bound)))
            hidden[f"exists {register}"] = register
            answer = Variable(f"exists {register}")
            return Operation("!", (answer,)) if node.negated else answer

        plain = rewrite(expression, ask)
        registers = {**self.variables, **hidden} if hidden else self.variables
        program = compile_expression(plain, registers, self.terms, self.kept)
        if program is None:
            raise NotNativeError(_unknown(plain, self.terms, self.kept))
        instructions = tuple((int(op), argument) for op, argument in program.instructions)
        return NativeCondition(instructions, tuple(program.constants), tuple(asked))


def _settled(group: Group, parts: Sequence[Element], bound: _Bound) -> dict[int, list[Filter]]:
    """The filters of a group by the number of parts before them: what they mention is certain, or none binds it later.

    ``bound`` is what is bound before the group.
    """
    certainly = dict.fromkeys(bound.certain, 0)
    last: dict[str, int] = {}
    for n, part in enumerate(parts, 1):
        last.update(dict.fromkeys(in_scope(part), n))
        for name in certain(part):
            certainly.setdefault(name, n)
    found: dict[int, list[Filter]] = {}
    for test in group.elements:
        if isinstance(test, Filter):
            names = mentioned(test)
            place = max((min(last.get(name, 0), certainly.get(name, len(parts))) for name in names), default=0)
            found.setdefault(place, []).append(test)
    return found


def _unknown(expression: Expression, terms: Terms, kept: TransientTerms) -> str:
    """What in an expression the native program does not have."""
    for part in subexpressions(expression):
        match part:
            case Operation(name, arguments):
                plain = Operation(name, tuple(Variable(f"x{n}") for n in range(len(arguments))))
                if compile_expression(plain, {}, terms, kept) is None:
                    return f"function {name}"
            case Variable() | Exists():
                continue
            case _:
                if compile_expression(part, {}, terms, kept) is None:
                    return type(part).__name__.lower()
    return "a deep expression"
