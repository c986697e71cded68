"""Syntax of conditions and measures to their meaning: what they read of which rows, with types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spaseq.languages.query_text import Problem
from spaseq.languages.sql import tree
from spaseq.languages.sql.functions import (
    AGGREGATES,
    CALLED,
    FIELDS,
    INTEGERS,
    NAVIGATIONS,
    OTHERS,
    PLAIN_TYPES,
    SIGNATURES,
    SYNONYMS,
    aggregate_type,
    may_cast,
    typed,
)
from spaseq.languages.sql.literals import literal
from spaseq.languages.sql.scope import NameScope
from spaseq.pattern.rows.expressions import (
    Aggregated,
    Applied,
    Label,
    MatchNumber,
    Navigated,
    Navigation,
    SqlConstant,
    SqlExpression,
    Variables,
)
from spaseq.pattern.rows.types import ANY, BOOLEAN, INTEGER, MOST_DIGITS, TEXT, SqlKind, SqlType, common_type, decimal
from spaseq.text import did_you_mean

_MOST_OFFSET = 1_000_000_000


@dataclass(slots=True)
class RowReads:
    """What an expression about one row reads: the variables that its columns are of, each with its place."""

    function: str
    of: list[tuple[Variables | None, tree.Node]] = field(default_factory=list)

    def read(self, variables: Variables | None, node: tree.Node) -> None:
        """A column of a row of these variables; Problem if others were read before."""
        if self.of and self.of[0][0] != variables:
            message = f"{self.function} is about the rows of one variable, and these are of several"
            raise Problem(message, node.span, f"write {self.function} for each by itself")
        self.of.append((variables, node))


@dataclass(frozen=True, slots=True)
class Lowering:
    """Expressions of one clause; ``row``: of the one row that a navigation or an aggregate is about."""

    scope: NameScope
    row: RowReads | None = None

    def condition(self, node: tree.Expression) -> SqlExpression:
        """A condition; Problem if it is none."""
        found = self.lower(node)
        if found.type.kind not in (SqlKind.BOOLEAN, SqlKind.ANY):
            raise Problem(f"a condition is of type BOOLEAN, not {found.type}", node.span, "compare it with something")
        return cast(found, BOOLEAN)

    def lower(self, node: tree.Expression) -> SqlExpression:
        """The meaning of an expression; Problem: it has none."""
        match node:
            case tree.Column():
                return self._column(node)
            case tree.Operation(operator, operands):
                name = "NEGATE" if operator == "-" and len(operands) == 1 else operator
                return (
                    self.lower(operands[0])
                    if (operator, len(operands)) == ("+", 1)
                    else self._apply(name, node, operands)
                )
            case tree.Call():
                return self._call(node)
            case tree.Case():
                return self._case(node)
            case tree.Cast():
                return self._cast(node)
            case tree.Extract():
                return self._extract(node)
            case tree.Membership() | tree.Between() | tree.Like() | tree.IsNull() | tree.IsDistinct():
                found = self._tested(node)
                return Applied("NOT", (found,), BOOLEAN) if node.negated else found
            case _:
                return literal(node)

    # ── what is read of rows ─────────────────────────────────────────────────────────────────────────────
    def _column(self, node: tree.Column) -> SqlExpression:
        variables = None if node.qualifier is None else self.scope.rows_of(node.qualifier)
        return self._read(self.scope.field(node.name), variables, node)

    def _read(self, value: SqlExpression, variables: Variables | None, node: tree.Node) -> SqlExpression:
        if self.row is None:
            return Navigated(value, Navigation(variables), value.type)
        self.row.read(variables, node)
        return value

    def _call(self, node: tree.Call) -> SqlExpression:
        function = SYNONYMS.get(node.function, node.function)
        _check_rows_counted(node, function)
        if node.processing is not None:
            self._check_processing(node, function)
        if function in NAVIGATIONS:
            return self._navigation(node)
        if function in AGGREGATES:
            return self._aggregate(node)
        if function in OTHERS:
            return self._classifier(node) if function == "CLASSIFIER" else self._match_number(node)
        if function not in CALLED:
            known = [*CALLED, *NAVIGATIONS, *AGGREGATES, *OTHERS, *SYNONYMS]
            hint = _IN_WINDOWS.get(function) or did_you_mean(node.function, known)
            raise Problem(f"there is no function {node.function}", node.span, hint)
        return self._apply(function, node, [each for each in node.operands if not isinstance(each, tree.AllRows)])

    def _check_processing(self, node: tree.Call, function: str) -> None:
        if function not in (*AGGREGATES, "FIRST", "LAST"):
            message = f"{node.processing} stands before FIRST, LAST or an aggregate, not before {node.function}"
            hint = "write it within, as in PREV(FINAL LAST(A.x))" if function in ("PREV", "NEXT") else "leave it out"
            raise Problem(message, node.span, hint)
        if node.processing == "FINAL" and self.scope.in_define:
            raise Problem("FINAL asks for rows that are not known yet in DEFINE", node.span, "leave it out")

    def _navigation(self, node: tree.Call) -> Navigated:
        self._check_outermost(node, "navigation")
        inner = node.operands[0] if node.operands else None
        if not 1 <= len(node.operands) <= 2 or inner is None or isinstance(inner, tree.AllRows):
            raise Problem(f"{node.function} takes a value and how many rows further", node.span)
        offset = _offset(node)
        is_physical = node.function in ("PREV", "NEXT")
        logical = (
            inner if is_physical and isinstance(inner, tree.Call) and inner.function in ("FIRST", "LAST") else None
        )
        if logical is not None:
            return _shifted(self._navigation(_processed(self, logical)), node.function, offset)
        row = RowReads(node.function)
        value = Lowering(self.scope, row).lower(inner)
        if not row.of:
            raise Problem(f"{node.function} reads no column", node.span, f"as in {node.function}(A.price)")
        at = Navigation(row.of[0][0])
        if is_physical:
            return _shifted(Navigated(value, at, value.type), node.function, offset)
        at = Navigation(at.variables, node.function == "FIRST", offset, node.processing == "FINAL")
        return Navigated(value, at, value.type)

    def _check_outermost(self, node: tree.Call, what: str) -> None:
        if self.row is not None:
            within = "PREV or NEXT around FIRST or LAST is all that nests" if what == "navigation" else ""
            raise Problem(f"{node.function} cannot stand within {self.row.function}", node.span, within)

    def _aggregate(self, node: tree.Call) -> Aggregated:
        self._check_outermost(node, "aggregate")
        function, final = node.function, node.processing == "FINAL"
        if function == "ARRAY_AGG" and self.scope.in_define:
            raise Problem("ARRAY_AGG stands in MEASURES only", node.span)
        if len(node.operands) != 1:
            raise Problem(f"{function} takes one value, not {len(node.operands)}", node.span)
        operand = node.operands[0]
        if isinstance(operand, tree.AllRows):
            variables = None if operand.variable is None else self.scope.rows_of(operand.variable)
            return Aggregated("COUNT", None, variables, final, INTEGER)
        row = RowReads(function)
        value = Lowering(self.scope, row).lower(operand)
        type_ = aggregate_type(function, value.type)
        if type_ is None:
            raise Problem(f"{function} takes no values of type {value.type}", operand.span)
        return Aggregated(function, value, row.of[0][0] if row.of else None, final, type_)

    def _classifier(self, node: tree.Call) -> SqlExpression:
        variables = None
        if node.operands:
            (operand,) = node.operands if len(node.operands) == 1 else (None,)
            if not isinstance(operand, tree.Column) or operand.qualifier is not None:
                raise Problem("CLASSIFIER takes a variable, or nothing", node.span, "as in CLASSIFIER(A)")
            variables = self.scope.rows_of(operand.name)
        return self._read(Label(), variables, node)

    def _match_number(self, node: tree.Call) -> MatchNumber:
        if node.operands:
            raise Problem("MATCH_NUMBER takes nothing", node.span, "write MATCH_NUMBER()")
        self._check_outermost(node, "number")
        return MatchNumber()

    # ── operators and functions ──────────────────────────────────────────────────────────────────────────
    def _apply(self, function: str, node: tree.Node, operands: Sequence[tree.Expression]) -> SqlExpression:
        signature, shown = SIGNATURES[function], _SHOWN.get(function, function)
        if len(operands) < signature.least or (signature.most is not None and len(operands) > signature.most):
            most = (
                ""
                if signature.most == signature.least
                else " or more"
                if signature.most is None
                else f" to {signature.most}"
            )
            message = f"{shown} takes {signature.least}{most} ({signature.takes}), not {len(operands)}"
            raise Problem(message, node.span)
        if function in ("AND", "OR", "NOT"):
            return Applied(function, tuple(self.condition(operand) for operand in operands), BOOLEAN)
        if function == "NULLIF":
            return self._null_if(node, *map(self.lower, operands))
        return applied(function, [self.lower(operand) for operand in operands], node)

    def _null_if(self, node: tree.Node, one: SqlExpression, other: SqlExpression) -> SqlExpression:
        """As CASE WHEN one = other THEN NULL ELSE one END: of the type of the first one."""
        found = applied("NULLIF", [one, other], node)
        assert isinstance(found, Applied)
        if found.operands[0] == one:
            return found
        equal = applied("=", [one, other], node)
        return Applied("CASE", (equal, SqlConstant(None, one.type), one), one.type)

    def _tested(
        self, node: tree.Membership | tree.Between | tree.Like | tree.IsNull | tree.IsDistinct
    ) -> SqlExpression:
        match node:
            case tree.Membership(operand, items):
                return self._apply("IN", node, (operand, *items))
            case tree.Between(operand, low, high):
                bounds = [self._apply(">=", node, (operand, low)), self._apply("<=", node, (operand, high))]
                return Applied("AND", tuple(bounds), BOOLEAN)
            case tree.Like(operand, pattern, escape):
                return self._like(node, operand, pattern, escape)
            case tree.IsNull(operand):
                return self._apply("IS NULL", node, (operand,))
            case tree.IsDistinct(left, right):
                return self._apply("IS DISTINCT FROM", node, (left, right))

    def _like(
        self, node: tree.Like, operand: tree.Expression, pattern: tree.Expression, escape: tree.Expression | None
    ) -> SqlExpression:
        for each in (pattern, escape):
            if each is not None and not isinstance(each, tree.Text):
                raise Problem("LIKE takes its pattern as a string", each.span, "as in LIKE 'a%'")
        kept = SqlConstant(None, TEXT) if escape is None else self.lower(escape)
        if isinstance(escape, tree.Text) and len(escape.value) != 1:
            raise Problem("ESCAPE takes one character", escape.span)
        return applied("LIKE", [self.lower(operand), self.lower(pattern), kept], node)

    def _case(self, node: tree.Case) -> SqlExpression:
        branches = node.branches
        if node.operand is None:
            conditions = [self.condition(branch.condition) for branch in branches]
        else:
            operand = self.lower(node.operand)
            conditions = [applied("=", [operand, self.lower(branch.condition)], branch) for branch in branches]
        otherwise = SqlConstant(None, ANY) if node.otherwise is None else self.lower(node.otherwise)
        values = [*(self.lower(branch.value) for branch in branches), otherwise]
        type_ = common_type(value.type for value in values)
        if type_ is None:
            types = " and ".join(dict.fromkeys(str(value.type) for value in values))
            raise Problem(f"the values of CASE are of several types: {types}", node.span, "CAST them to one")
        cases = [cast(value, type_) for value in values]
        paired = [part for pair in zip(conditions, cases, strict=False) for part in pair]
        return Applied("CASE", (*paired, cases[-1]), type_)

    def _cast(self, node: tree.Cast) -> SqlExpression:
        operand, target = self.lower(node.operand), _type_of(node.type)
        if not may_cast(operand.type, target):
            raise Problem(f"there is no CAST of {operand.type} to {target}", node.span)
        bits = INTEGERS.get(node.type.name)
        limit = () if bits is None else (SqlConstant(bits, INTEGER),)
        return Applied("TRY_CAST" if node.safe else "CAST", (operand, *limit), target)

    def _extract(self, node: tree.Extract) -> SqlExpression:
        operand = self.lower(node.operand)
        if node.field not in FIELDS:
            raise Problem(f"EXTRACT knows no {node.field}", node.span, did_you_mean(node.field, FIELDS))
        if operand.type.kind not in (SqlKind.DATE, SqlKind.TIMESTAMP, SqlKind.ANY):
            raise Problem(f"EXTRACT takes a date or a timestamp, not {operand.type}", node.operand.span)
        return Applied("EXTRACT", (SqlConstant(node.field, TEXT), operand), INTEGER)


_SHOWN = {"NEGATE": "-"}


def applied(function: str, operands: Sequence[SqlExpression], node: tree.Node) -> SqlExpression:
    """A function of operands, which are cast where they have to be; Problem if it does not take them."""
    found = typed(function, [operand.type for operand in operands])
    if found is None:
        types = list(dict.fromkeys(str(operand.type) for operand in operands if operand.type is not ANY))
        message = f"{_SHOWN.get(function, function)} takes {SIGNATURES[function].takes}, not {' and '.join(types)}"
        raise Problem(message, node.span, "CAST one of them" if len(types) > 1 else "")
    type_, wanted = found
    return Applied(function, tuple(map(cast, operands, wanted)), type_)


def cast(value: SqlExpression, type_: SqlType) -> SqlExpression:
    """A value as one of a type in which it is as well."""
    if value.type == type_ or type_.kind is SqlKind.ANY:
        return value
    if isinstance(value, SqlConstant) and value.value is None:
        return SqlConstant(None, type_)
    return value if value.type.kind is SqlKind.ANY else Applied("CAST", (value,), type_)


def _check_rows_counted(node: tree.Call, function: str) -> None:
    counted = [each for each in node.operands if isinstance(each, tree.AllRows)]
    if counted and function != "COUNT":
        raise Problem(f"{node.function} takes no *", counted[0].span, "only COUNT does")


def _processed(lowering: Lowering, node: tree.Call) -> tree.Call:
    if node.processing is not None:
        lowering._check_processing(node, node.function)
    return node


_OTHER_WAY = {"PREV": "NEXT", "NEXT": "PREV"}
_IN_WINDOWS = {
    "LAG": "the row before is PREV(A.price)", "LEAD": "the row behind is NEXT(A.price)",
    "FIRST_VALUE": "the first row of A is FIRST(A.price)", "LAST_VALUE": "the last row of A is LAST(A.price)",
    "ROW_NUMBER": "the number of a match is MATCH_NUMBER(), how many rows it has so far COUNT(*)",
}  # fmt: skip


def _offset(node: tree.Call) -> int:
    """How many rows further a navigation goes."""
    if len(node.operands) == 1:
        return 1 if node.function in ("PREV", "NEXT") else 0
    number = node.operands[1]
    if not isinstance(number, tree.Number) or not number.text.isdecimal() or int(number.text) > _MOST_OFFSET:
        message = f"{node.function} takes how many rows further as a whole number"
        is_back = isinstance(number, tree.Operation) and number.operator == "-" and node.function in _OTHER_WAY
        function = _OTHER_WAY[node.function] if is_back else node.function
        raise Problem(message, number.span, f"as in {function}(A.price, 2)")
    return int(number.text)


def _shifted(value: Navigated, function: str, offset: int) -> Navigated:
    at, shift = value.at, -offset if function == "PREV" else offset
    return Navigated(value.value, Navigation(at.variables, at.first, at.offset, at.final, shift), value.type)


def _type_of(node: tree.Type) -> SqlType:
    if node.name in ("DECIMAL", "NUMERIC", "DEC"):
        numbers = [int(number.text) for number in node.numbers] or [MOST_DIGITS]
        precision, scale = (*numbers, 0)[:2]
        if not 1 <= precision <= MOST_DIGITS or scale > precision:
            raise Problem(f"decimals have 1 to {MOST_DIGITS} digits, and no more behind the point", node.span)
        return decimal(precision, scale)
    if node.name not in PLAIN_TYPES or node.numbers:
        shown = node.name + (f"({', '.join(number.text for number in node.numbers)})" if node.numbers else "")
        message = f"there is no type {shown}" if node.name not in PLAIN_TYPES else f"{shown} is not supported"
        hint = (
            did_you_mean(node.name, [*PLAIN_TYPES, "DECIMAL"]) if node.name not in PLAIN_TYPES else f"write {node.name}"
        )
        raise Problem(message, node.span, hint)
    return PLAIN_TYPES[node.name]
