"""Rules of RoG in a model's answer: with noise around, inverse relations, what is no rule, and names of a graph."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from pyoxigraph import Literal, NamedNode, Triple

from spaseq.errors import OptionError, QuerySyntaxError
from spaseq.paths import Graph, prepare
from spaseq.paths.rag import GraphNames, PathRetrieval, RelationRule, parse_rules
from tests.paths.rag.films import FILMS

ANSWER = """\
Sure! Two relation paths may help:
1. <PATH>directed_by</PATH>
2. <PATH> directed_by <SEP> ^ directed_by<SEP>
   is part of </PATH> (less likely)
1. <PATH>directed_by</PATH>"""


def test_rules_with_noise_around() -> None:
    """Each once, in order."""
    rules = parse_rules(ANSWER)
    assert [str(rule) for rule in rules] == ["directed_by", "directed_by -> ^directed_by -> is part of"]
    assert rules[1].steps == (("directed_by", False), ("directed_by", True), ("is part of", False))
    assert [rule.query() for rule in rules] == [
        ":directed_by", ":directed_by/^:directed_by/<urn:relation:is%20part%20of>",
    ]  # fmt: skip
    assert parse_rules("I do not know.") == ()


@pytest.mark.parametrize("mark", ["^{}", "{}_inverse", "inv({})"])
def test_marks_of_inverse_relations(mark: str) -> None:
    (rule,) = parse_rules(f"<PATH>{mark.format('p')}<SEP>q</PATH>", inverse=mark)
    assert rule == RelationRule((("p", True), ("q", False)))
    assert rule.query() == "^:p/:q"


NAMES = st.text(st.characters(exclude_characters="<>^", exclude_categories=["Cc", "Cs"]), min_size=1).map(str.strip)
RULES = st.lists(st.lists(st.tuples(NAMES.filter(bool), st.booleans()), min_size=1, max_size=3).map(tuple), max_size=3)
SPACE = st.sampled_from(["", " ", "\n  "])


@given(RULES, SPACE, st.text(st.characters(exclude_characters="<>")))
def test_what_is_written_is_read(rules: list[tuple[tuple[str, bool], ...]], space: str, noise: str) -> None:
    """And is a path query, whatever relations are called."""
    texts = ["<SEP>".join(f"{space}{'^' * inverse}{space}{name}{space}" for name, inverse in steps) for steps in rules]
    found = parse_rules(noise + noise.join(f"<PATH>{text}</PATH>" for text in texts) + noise)
    assert [rule.steps for rule in found] == list(dict.fromkeys(rules))
    for rule in found:
        prepare(f"QUERY q {rule.query()}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a <PATH></PATH>", "<rules>:1:9: error: no relation stands before </PATH>"),
        ("<PATH>a<SEP> <SEP>b</PATH>", "<rules>:1:14: error: no relation stands before <SEP>"),
        ("<PATH>a<SEP>^ </PATH>", "<rules>:1:15: error: no relation stands before </PATH>"),
        ("<PATH>a\n<PATH>b</PATH>", "<rules>:2:1: error: unexpected <PATH>"),
        ("<PATH>a</PATH></PATH>", "<rules>:1:15: error: unexpected </PATH>"),
        ("a<SEP>b", "<rules>:1:2: error: unexpected <SEP>"),
        ("<PATH>a</PATH>\n<PATH>b<SEP>c", "<rules>:2:1: error: this rule has no end"),
    ],
)
def test_what_is_no_rule(text: str, message: str) -> None:
    with pytest.raises(QuerySyntaxError) as error:
        parse_rules(text)
    assert str(error.value).startswith(message)


PIECES = st.sampled_from(["<PATH>", "</PATH>", "<SEP>", "a", "^", " ", "\n", "<", "PATH>"])


@given(st.lists(PIECES).map("".join))
def test_answers_of_any_kind(text: str) -> None:
    """They have rules that are path queries, or are refused."""
    try:
        rules = parse_rules(text)
    except QuerySyntaxError as error:
        assert 1 <= error.line <= text.count("\n") + 1
    else:
        assert len(rules) <= text.count("</PATH>")
        for rule in rules:
            prepare(f"QUERY q {rule.query()}")


@pytest.mark.parametrize("mark", ["", "{}", "^"])
def test_marks_that_are_none(mark: str) -> None:
    with pytest.raises(OptionError, match="inverse is a mark around"):
        parse_rules("", inverse=mark)


def test_names_of_a_graph() -> None:
    """A name is the last part of an IRI, a label, or an IRI; several predicates may have it."""
    label = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    a, p, q = (NamedNode(f"http://ex.org/{name}") for name in ("a", "p", "other/p"))
    names = GraphNames(Graph([Triple(a, p, q), Triple(a, q, p), Triple(p, label, Literal("leads to"))]))
    (rule,) = parse_rules("<PATH>leads to<SEP>^p<SEP>http://ex.org/p<SEP>r</PATH>")
    assert rule.query(names) == ("<http://ex.org/p>/^(<http://ex.org/p>|<http://ex.org/other/p>)/<http://ex.org/p>/:r")


def test_rules_to_paths() -> None:
    """A relation that the graph does not have has no paths, and is told."""

    def resolve(question: str) -> list[tuple[str, str]]:
        return [("Kismet", rule.query()) for rule in parse_rules(ANSWER)]

    found = PathRetrieval(FILMS, resolve).retrieve("Who directed Kismet?")
    assert [str(path) for path in found] == ["Kismet -> directed_by -> William Dieterle"]
    (warning,) = found.warnings
    assert "no edge has the predicate <urn:relation:is%20part%20of>" in warning
