"""Syntax tree to text that parses back to an equal tree."""

from __future__ import annotations

from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.print_pattern import constraint, group, item, statements, term


def format_query(query: tree.Query) -> str:
    """The query in the usual layout, ending with a line end.  Comments are not kept."""
    lines = [declaration(each) for each in query.prologue]
    lines += form(query.form)
    if query.window:
        lines.append(window(query.window))
    lines += [stream(each) for each in query.streams]
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
    return f"WITHIN {node.length.text} {node.unit}{sliding}{origin}"


def stream(node: tree.StreamClause) -> str:
    """FROM STREAM."""
    return f"FROM STREAM {node.name.text + ' ' if node.name else ''}{node.iri.text}"


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


_STEPS, _ALTERNATIVES, _CONJUNCTS, _POSTFIX = range(4)


def sequence(node: tree.Sequence, least: int = _STEPS) -> str:
    """A sequence expression, in parentheses if it binds looser than ``least``."""
    match node:
        case tree.Reference(name):
            return name
        case tree.Steps(left, operator, right):
            level, text = _STEPS, f"{sequence(left)} {operator} {sequence(right, _ALTERNATIVES)}"
        case tree.Alternatives(left, right):
            level, text = _ALTERNATIVES, f"{sequence(left, _ALTERNATIVES)} | {sequence(right, _CONJUNCTS)}"
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
