"""Syntax tree to text that parses back to an equal tree."""

from __future__ import annotations

from collections.abc import Iterable

from spaseq.languages.sql import tree
from spaseq.languages.sql.names import written_name, written_text

# What binds looser comes first; a sign binds tightest.
_LEVELS = {
    "OR": 0,
    "AND": 1,
    "NOT": 2,
    **dict.fromkeys(tree.COMPARISONS, 3),
    "+": 4,
    "-": 4,
    "||": 4,
    "*": 5,
    "/": 5,
    "%": 5,
    "sign": 6,
    "value": 7,
}
_CONDITION, _SUM = _LEVELS["="], _LEVELS["+"]


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
def expression(node: tree.Expression, least: int = 0) -> str:
    """An expression, in parentheses if it binds looser than ``least``."""
    text, level = _shown(node)
    return text if level >= least else f"({text})"


def _shown(node: tree.Expression) -> tuple[str, int]:
    """The text of an expression and how tightly it binds."""
    match node:
        case tree.Operation(operator, (operand,)):
            # A sign keeps its distance: next to another it would begin a comment.
            level = _LEVELS["NOT" if operator == "NOT" else "sign"]
            return f"{operator} {expression(operand, level)}", level
        case tree.Operation(operator, (left, right)):
            level = _LEVELS[operator]
            least = level + (operator in tree.COMPARISONS)  # they do not chain; all others are left-associative
            return f"{expression(left, least)} {operator} {expression(right, level + 1)}", level
        case tree.Membership() | tree.Between() | tree.Like() | tree.IsNull() | tree.IsDistinct():
            return _tested(node), _CONDITION
        case _:
            return _value(node), _LEVELS["value"]


def _tested(node: tree.Membership | tree.Between | tree.Like | tree.IsNull | tree.IsDistinct) -> str:
    negation = "NOT " if node.negated else ""
    match node:
        case tree.Membership(operand, items):
            return f"{expression(operand, _SUM)} {negation}IN ({_listed(items)})"
        case tree.Between(operand, low, high):
            bounds = f"{expression(low, _SUM)} AND {expression(high, _SUM)}"
            return f"{expression(operand, _SUM)} {negation}BETWEEN {bounds}"
        case tree.Like(operand, pattern, escape):
            kept = "" if escape is None else f" ESCAPE {expression(escape, _SUM)}"
            return f"{expression(operand, _SUM)} {negation}LIKE {expression(pattern, _SUM)}{kept}"
        case tree.IsNull(operand):
            return f"{expression(operand, _SUM)} IS {negation}NULL"
        case tree.IsDistinct(left, right):
            return f"{expression(left, _SUM)} IS {negation}DISTINCT FROM {expression(right, _SUM)}"


def _listed(nodes: Iterable[tree.Expression | tree.AllRows]) -> str:
    return ", ".join(all_rows(node) if isinstance(node, tree.AllRows) else expression(node) for node in nodes)


def all_rows(node: tree.AllRows) -> str:
    """``*`` or ``variable.*``."""
    return "*" if node.variable is None else f"{written_name(node.variable)}.*"


def _value(node: tree.Expression) -> str:
    match node:
        case tree.Column():
            return column(node)
        case tree.Call(function, operands, processing):
            before = "" if processing is None else f"{processing} "
            return f"{before}{function}({_listed(operands)})"
        case tree.Case():
            return _case(node)
        case tree.Cast(operand, type_, safe):
            return f"{'TRY_' if safe else ''}CAST({expression(operand)} AS {_type(type_)})"
        case tree.Extract(field, operand):
            return f"EXTRACT({field} FROM {expression(operand)})"
        case _:
            return _literal(node)


def _literal(node: tree.Expression) -> str:
    match node:
        case tree.Number(text):
            return text
        case tree.Text(value):
            return written_text(value)
        case tree.Boolean(value):
            return "TRUE" if value else "FALSE"
        case tree.Dated(kind, text):
            return f"{kind} {written_text(text)}"
        case tree.Interval(sign, text, unit, to):
            return f"INTERVAL {sign}{written_text(text)} {unit}{'' if to is None else f' TO {to}'}"
        case _:
            return "NULL"


def _case(node: tree.Case) -> str:
    operand = [] if node.operand is None else [expression(node.operand)]
    branches = [f"WHEN {expression(each.condition)} THEN {expression(each.value)}" for each in node.branches]
    otherwise = [] if node.otherwise is None else [f"ELSE {expression(node.otherwise)}"]
    return " ".join(["CASE", *operand, *branches, *otherwise, "END"])


def _type(node: tree.Type) -> str:
    return node.name + (f"({', '.join(number.text for number in node.numbers)})" if node.numbers else "")


def column(node: tree.Column) -> str:
    """``name`` or ``qualifier.name``."""
    name = written_name(node.name)
    return name if node.qualifier is None else f"{written_name(node.qualifier)}.{name}"


# ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────
_ALTERNATION, _SEQUENCE, _PART = range(3)


def pattern(node: tree.Pattern, least: int = _ALTERNATION) -> str:
    """A pattern, in parentheses if it binds looser than ``least``."""
    match node:
        case tree.Alternation(left, right):
            text, level = f"{pattern(left)} | {pattern(right, _SEQUENCE)}", _ALTERNATION
        case tree.Sequence(left, right):
            text, level = f"{pattern(left, _SEQUENCE)} {pattern(right, _PART)}", _SEQUENCE
        case tree.Quantified(body):
            # One that is quantified already, or an anchor, gets parentheses: a part has one quantifier.
            is_plain = not isinstance(body, tree.Quantified)
            text, level = (pattern(body, _PART) if is_plain else f"({pattern(body)})") + _quantifier(node), _PART
        case _:
            return _part(node)
    return text if level >= least else f"({text})"


def _part(node: tree.Pattern) -> str:
    match node:
        case tree.Variable(name):
            return written_name(name)
        case tree.Permutation(parts):
            return f"PERMUTE({', '.join(map(pattern, parts))})"
        case tree.Exclusion(body):
            return f"{{- {pattern(body)} -}}"
        case tree.Anchor(sign):
            return sign
        case _:
            return "()"


_QUANTIFIERS = {(0, None): "*", (1, None): "+", (0, 1): "?"}


def _quantifier(node: tree.Quantified) -> str:
    low, high = node.low, node.high
    bounds = f"{low}" if low == high else f"{low},{'' if high is None else high}"
    return _QUANTIFIERS.get((low, high), f"{{{bounds}}}") + ("?" if node.reluctant else "")


# ── statements ───────────────────────────────────────────────────────────────────────────────────────────
def format_query(query: tree.Query) -> str:
    """The statement in the usual layout, ending with a line end.  Comments are not kept."""
    items = "*" if query.items is None else ", ".join(map(_item, query.items))
    alias = "" if query.alias is None else f" AS {written_name(query.alias)}"
    clauses = "".join(f"  {line}\n" for line in _clauses(query))
    return f"SELECT {items}\nFROM {written_name(query.table)} MATCH_RECOGNIZE (\n{clauses}){alias}\n"


def _item(node: tree.Item) -> str:
    return column(node.column) + ("" if node.name is None else f" AS {written_name(node.name)}")


def _clauses(query: tree.Query) -> list[str]:
    lines = []
    if query.partition:
        lines.append(f"PARTITION BY {', '.join(map(column, query.partition))}")
    if query.order:
        lines.append(f"ORDER BY {', '.join(map(sort_key, query.order))}")
    if query.measures:
        lines += _aligned(
            "MEASURES", [f"{expression(one.expression)} AS {written_name(one.name)}" for one in query.measures]
        )
    lines += [] if query.rows is None else [rows(query.rows)]
    lines += [] if query.skip is None else [skip(query.skip)]
    lines.append(f"PATTERN ({pattern(query.pattern)})")
    if query.within is not None:
        lines.append(f"WITHIN {expression(query.within, _SUM)}")
    if query.unions:
        lines.append(f"SUBSET {', '.join(map(_union, query.unions))}")
    conditions = [f"{written_name(one.variable)} AS {expression(one.condition)}" for one in query.definitions]
    return [*lines, *_aligned("DEFINE", conditions)]


def _aligned(word: str, items: list[str]) -> list[str]:
    """A word and what follows it, a line each."""
    comma = [f"{item}," for item in items[:-1]] + items[-1:]
    return [f"{word if not at else ' ' * len(word)} {item}" for at, item in enumerate(comma)]


def sort_key(node: tree.SortKey) -> str:
    """``column [DESC] [NULLS FIRST]``."""
    return column(node.column) + " DESC" * node.descending + " NULLS FIRST" * node.nulls_first


_OPTIONS = {"SHOW": "SHOW EMPTY MATCHES", "OMIT": "OMIT EMPTY MATCHES", "WITH": "WITH UNMATCHED ROWS"}


def rows(node: tree.Rows) -> str:
    """``ONE ROW PER MATCH`` and the like."""
    kind = "ALL ROWS" if node.all else "ONE ROW"
    return f"{kind} PER MATCH{'' if node.option is None else ' ' + _OPTIONS[node.option]}"


def skip(node: tree.Skip) -> str:
    """``AFTER MATCH SKIP …``."""
    if node.variable is not None:
        return f"AFTER MATCH SKIP TO {node.to} {written_name(node.variable)}"
    return f"AFTER MATCH SKIP {'PAST LAST' if node.to == 'PAST' else 'TO NEXT'} ROW"


def _union(node: tree.Union) -> str:
    return f"{written_name(node.name)} = ({', '.join(map(written_name, node.variables))})"
