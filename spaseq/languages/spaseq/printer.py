"""Syntax tree to text that parses back to an equal tree; graph patterns as lines, their own braces not indented."""

from __future__ import annotations

from collections.abc import Iterable

from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.precedence import COMPARISONS, PRECEDENCE
from spaseq.languages.spaseq.terms import quote


def group(node: tree.Group) -> list[str]:
    """``{``, the elements, ``}``."""
    inner = [line for element in node.elements for line in _element(element)]
    return ["{", *("  " + line for line in inner), "}"] if inner else ["{ }"]


def _element(node: tree.Element) -> list[str]:
    match node:
        case tree.Triples(found):
            return statements(found)
        case tree.Group():
            return group(node)
        case tree.Union(branches):
            return _union(branches)
        case tree.Optional(inner):
            return _prefixed("OPTIONAL", inner)
        case tree.Minus(inner):
            return _prefixed("MINUS", inner)
        case tree.Graph(name, inner):
            return _prefixed(f"GRAPH {term(name)}", inner)
        case tree.Service(name, inner, silent):
            return _prefixed(f"SERVICE {'SILENT ' if silent else ''}{term(name)}", inner)
        case tree.Filter(condition):
            return [f"FILTER {constraint(condition)}"]
        case tree.Bind(value, variable):
            return [f"BIND({expression(value)} AS ?{variable.name})"]
        case tree.Values():
            return values(node)
        case tree.SubSelect():
            return sub_select(node)


def _prefixed(word: str, node: tree.Group) -> list[str]:
    first, *rest = group(node)
    return [f"{word} {first}", *rest]


def _union(branches: Iterable[tree.Group]) -> list[str]:
    lines: list[str] = []
    for branch in branches:
        first, *rest = group(branch)
        lines += [first, *rest] if not lines else [f"{lines.pop()} UNION {first}", *rest]
    return lines


def values(node: tree.Values) -> list[str]:
    """VALUES, always with a list of variables."""
    return _data("VALUES", node.variables, node.rows)


def _data(word: str, variables: Iterable[tree.Variable], rows: Iterable[tree.Row]) -> list[str]:
    lines = ["  (" + " ".join(_value(value) for value in row.values) + ")" for row in rows]
    return [f"{word} (" + " ".join(f"?{variable.name}" for variable in variables) + ") {", *lines, "}"]


def _value(node: tree.Iri | tree.Literal | tree.Number | tree.Boolean | tree.Undefined) -> str:
    return "UNDEF" if isinstance(node, tree.Undefined) else term(node)


def statements(nodes: Iterable[tree.Statement]) -> list[str]:
    """One line for each statement."""
    return [f"{term(node.subject)} {properties(node.properties)}".rstrip() + " ." for node in nodes]


def properties(nodes: Iterable[tree.Property]) -> str:
    """``verb objects ; verb objects``."""
    return " ; ".join(f"{_verb(node.verb)} {', '.join(map(term, node.objects))}" for node in nodes)


def _verb(node: tree.Variable | tree.Parameter | tree.Path) -> str:
    return term(node) if isinstance(node, tree.Variable | tree.Parameter) else path(node)


def term(node: tree.Object) -> str:
    """A subject or object."""
    match node:
        case tree.Variable(name) | tree.Parameter(name):
            return f"?{name}"
        case tree.Iri(text) | tree.Number(text):
            return text
        case tree.Boolean(value):
            return "true" if value else "false"
        case tree.Literal(text, datatype, language):
            return quote(text) + (f"^^{datatype.text}" if datatype else f"@{language}" if language else "")
        case tree.BlankNode(label):
            return f"_:{label}" if label else "[]"
        case tree.Collection(items):
            return f"({' '.join(map(term, items))})"
        case tree.PropertyList(found):
            return f"[ {properties(found)} ]"


_ALTERNATIVE, _SEQUENCE, _INVERSE, _REPEATED, _PRIMARY = range(5)


def path(node: tree.Path, least: int = _ALTERNATIVE) -> str:
    """A property path, in parentheses if it binds looser than ``least``."""
    match node:
        case tree.Iri(text):
            return text
        case tree.AlternativePath(parts):
            level, shown = _ALTERNATIVE, " | ".join(path(part, _SEQUENCE) for part in parts)
        case tree.SequencePath(parts):
            level, shown = _SEQUENCE, " / ".join(path(part, _INVERSE) for part in parts)
        case tree.InversePath(inner):
            level, shown = _INVERSE, "^" + path(inner, _REPEATED)
        case tree.RepeatedPath(inner, modifier):
            level, shown = _REPEATED, path(inner, _PRIMARY) + modifier
        case tree.NegatedPath(parts):
            level, shown = _PRIMARY, "!(" + " | ".join(path(part) for part in parts) + ")"
    return shown if level >= least else f"({shown})"


# ── sub-SELECT ───────────────────────────────────────────────────────────────────────────────────────────
def sub_select(node: tree.SubSelect) -> list[str]:
    """``SELECT … WHERE {…}`` and its modifiers."""
    word = "DISTINCT " if node.distinct else "REDUCED " if node.reduced else ""
    shown = "*" if node.items is None else " ".join(item(each) for each in node.items)
    first, *rest = group(node.group)
    return [f"SELECT {word}{shown} WHERE {first}", *rest, *_modifiers(node)]


def _modifiers(node: tree.SubSelect) -> list[str]:
    lines: list[str] = []
    if node.group_by:
        lines.append("GROUP BY " + " ".join(_condition(each) for each in node.group_by))
    if node.having:
        lines.append("HAVING " + " ".join(constraint(each) for each in node.having))
    if node.order_by:
        lines.append("ORDER BY " + " ".join(_key(each) for each in node.order_by))
    if node.limit is not None:
        lines.append(f"LIMIT {node.limit}")
    if node.offset is not None:
        lines.append(f"OFFSET {node.offset}")
    return lines + (values(node.values) if node.values else [])


def _condition(node: tree.Named | tree.Expression) -> str:
    if isinstance(node, tree.Variable | tree.Named):
        return item(node)
    return f"({expression(node)})"


def _key(node: tree.OrderKey) -> str:
    return f"{'DESC' if node.descending else 'ASC'}({expression(node.expression)})"


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
_UNARY = 6


def item(node: tree.Variable | tree.Named) -> str:
    """One item of a SELECT clause."""
    if isinstance(node, tree.Variable):
        return f"?{node.name}"
    return f"({expression(node.expression)} AS ?{node.variable.name})"


def constraint(node: tree.Expression) -> str:
    """What follows FILTER: parentheses, unless it is EXISTS."""
    return expression(node) if isinstance(node, tree.Exists) else f"({expression(node)})"


def expression(node: tree.Expression, least: int = 0) -> str:
    """``node``, in parentheses if it binds looser than ``least``."""
    match node:
        case tree.Operation():
            return _operation(node, least)
        case tree.Call():
            return _call(node)
        case tree.Exists(inner, negated):
            return ("NOT " if negated else "") + "EXISTS " + " ".join(line.strip() for line in group(inner))
        case _:
            return term(node)


def _operation(node: tree.Operation, least: int) -> str:
    operator, operands = node.operator, node.operands
    if operator in ("IN", "NOT IN"):
        level = PRECEDENCE[operator]
        text = f"{expression(operands[0], level + 1)} {operator} ({', '.join(map(expression, operands[1:]))})"
    elif len(operands) == 1:
        # A number keeps its distance: a sign that touches it would become part of it.
        space = " " if isinstance(operands[0], tree.Number) else ""
        level, text = _UNARY, operator + space + expression(operands[0], _UNARY)
    else:
        level = PRECEDENCE[operator]
        # Comparisons do not chain, all other operators are left-associative.
        left = expression(operands[0], level + (operator in COMPARISONS))
        text = f"{left} {operator} {expression(operands[1], level + 1)}"
    return text if level >= least else f"({text})"


def _call(node: tree.Call) -> str:
    inner = "*" if node.star else ", ".join(map(expression, node.arguments))
    separator = "" if node.separator is None else f"; SEPARATOR = {quote(node.separator)}"
    return f"{node.function.text}({'DISTINCT ' if node.distinct else ''}{inner}{separator})"


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────
def format_query(query: tree.Query) -> str:
    """The query in the usual layout, ending with a line end.  Comments are not kept."""
    lines = [declaration(each) for each in query.prologue]
    lines += form(query.form)
    if query.window:
        lines.append(window(query.window))
    lines += [stream(each) for each in query.streams]
    if query.given:
        lines += given(query.given)
    if query.partition:
        lines += partition(query.partition)
    lines += ["WHERE {", f"  SEQ({sequence(query.sequence)})"]
    for definition in query.definitions:
        lines += ["  " + line for line in define(definition)]
    lines.append("}")
    if query.group_by:
        lines.append("GROUP BY " + " ".join(f"?{variable.name}" for variable in query.group_by))
    if query.having:
        lines.append("HAVING " + " ".join(constraint(each) for each in query.having))
    return "\n".join(lines) + "\n"


def declaration(node: tree.Base | tree.Prefix) -> str:
    """BASE or PREFIX."""
    return f"BASE {node.iri.text}" if isinstance(node, tree.Base) else f"PREFIX {node.name}: {node.iri.text}"


def form(node: tree.Select | tree.Construct) -> list[str]:
    """SELECT or CONSTRUCT."""
    if isinstance(node, tree.Select):
        shown = "*" if node.items is None else " ".join(item(each) for each in node.items)
        return [f"SELECT {'DISTINCT ' if node.distinct else ''}{shown}"]
    into = " ".join(each for each in (node.name and node.name.text, node.into and node.into.text) if each)
    return ["CONSTRUCT {", *("  " + line for line in statements(node.template)), f"}} INTO STREAM {into}"]


def window(node: tree.Window) -> str:
    """WITHIN."""
    sliding = " SLIDING" if node.sliding else ""
    origin = f" FROM {term(node.origin)}" if node.origin else ""
    return f"WITHIN {term(node.length)} {node.unit}{sliding}{origin}"


def stream(node: tree.StreamClause) -> str:
    """FROM STREAM."""
    return f"FROM STREAM {node.name.text + ' ' if node.name else ''}{node.iri.text}"


def given(node: tree.Given) -> list[str]:
    """GIVEN, with its rows if it has some."""
    if node.rows is None:
        return ["GIVEN " + " ".join(f"?{variable.name}" for variable in node.parameters)]
    return _data("GIVEN", node.parameters, node.rows)


def partition(node: tree.Partition) -> list[str]:
    """PARTITION BY."""
    keys = "PARTITION BY " + " ".join(f"?{key.name}" for key in node.keys)
    if node.using is None:
        return [keys]
    first, *rest = group(node.using)
    return [f"{keys} USING {first}", *rest]


def define(node: tree.Definition) -> list[str]:
    """DEFINE GPM."""
    first, *rest = group(node.group)
    return [f"DEFINE GPM {node.name.text} ON {node.stream.text} {first}", *rest]


_STEPS, _ALTERNATIVES, _UNORDERED, _CONJUNCTS, _POSTFIX = range(5)


def sequence(node: tree.Sequence, least: int = _STEPS) -> str:
    """A sequence expression, in parentheses if it binds looser than ``least``."""
    match node:
        case tree.Reference(name):
            return name
        case tree.Steps(left, operator, right):
            level, text = _STEPS, f"{sequence(left)} {operator} {sequence(right, _ALTERNATIVES)}"
        case tree.Alternatives(left, right):
            level, text = _ALTERNATIVES, f"{sequence(left, _ALTERNATIVES)} | {sequence(right, _UNORDERED)}"
        case tree.Unordered(sides):
            level, text = _UNORDERED, " && ".join(sequence(side, _CONJUNCTS) for side in sides)
        case tree.Conjuncts(left, right):
            level, text = _CONJUNCTS, f"{sequence(left, _CONJUNCTS)} & {sequence(right, _POSTFIX)}"
        case tree.Repeated(body):
            level, text = _POSTFIX, sequence(body, _POSTFIX) + (node.operator or "") + quantifier(node)
        case tree.Possible(body):
            level, text = _POSTFIX, sequence(body, _POSTFIX) + "?"
        case tree.Negated(body):
            level, text = _POSTFIX, sequence(body, _POSTFIX) + "!"
    return text if level >= least else f"({text})"


def quantifier(node: tree.Repeated) -> str:
    """``+``, ``*`` or the bounds in braces."""
    if node.most is None and node.least < 2:
        return "+" if node.least else "*"
    if node.least == node.most:
        return f"{{{node.least}}}"
    return f"{{{node.least},{'' if node.most is None else node.most}}}"
