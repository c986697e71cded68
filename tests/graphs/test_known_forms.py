"""Texts that are not parsed as their form is known mean what they mean when they are parsed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import spaseq
from spaseq.graphs.known_forms import KnownForms
from spaseq.languages.spaseq import ParsedQuery
from spaseq.languages.spaseq.cells import cut
from spaseq.pattern.sequences import Query
from spaseq.plan.sequences.templates import Instance, instance_of

TEXT = """
PREFIX ex: <http://example.org/>
SELECT ?a ("limit" AS ?kind) (1 + 2 AS ?n)  # of rule 17
WITHIN 10 MINUTES SLIDING
FROM STREAM s <http://example.org/s>
WHERE {
  SEQ(A ; B{1,3})
  DEFINE GPM A ON s {
    ?x ex:price ?a ; a ex:Quote ; ex:note "it's \\"so\\" # 5"@en . FILTER(?a > 5 && ?a < 2 * ?a + 1.5)
  }
  DEFINE GPM B ON s { ?x ex:price ?b . FILTER(?b > -3 && CONTAINS(STR(?x), "x") && ?b != "7"^^ex:odd) }
}
"""
CONSTANTS = (
    "5",
    "007",
    "12.5",
    "1e3",
    ".5",
    '"a"',
    "'b'@de",
    '"3"^^ex:odd',
    "<http://example.org/#x>",
    "ex:a.b",
    "ex:%41",
    "_",
    "?x",
)


def meaning(read: Instance | ParsedQuery) -> Query:
    return read.query("") if isinstance(read, Instance) else read.query


def test_the_skeleton_and_the_constants_are_the_text() -> None:
    skeleton, constants = cut(TEXT)
    assert skeleton.text(constants) == TEXT.replace("# of rule 17", "")
    assert {"5", "1.5", '"limit"', '"7"^^ex:odd', "ex:Quote", "10"} <= set(constants)


@pytest.mark.parametrize(
    "between", ["<http://example.org/?q#a>", "ex:a\\#b", "?a<?b", "'#'", "?a<5&&?b>3", "?p1", "x.y"]
)
def test_what_may_be_something_else_stays(between: str) -> None:
    skeleton, constants = cut(between)
    assert skeleton.text(constants) == between


def test_texts_of_one_form_are_parsed_once_for_each_place() -> None:
    forms = KnownForms()
    assert isinstance(forms.read(TEXT), ParsedQuery)
    for old, new in (
        ("> 5", "> 6.5"),
        ("10 MIN", "20 MIN"),
        ("ex:Quote", "ex:Trade"),
        ('"limit"', '"other"'),
        ("17", "18"),
    ):
        text = TEXT.replace(old, new)
        forms.read(text)
        known = forms.read(text.replace(new, old.replace("5", "7")))
        assert isinstance(known, Instance), old
    both = TEXT.replace("> 5", "> 1").replace("10 MIN", "3 MIN").replace("ex:Quote", "<http://example.org/Bid>")
    known = forms.read(both)
    assert isinstance(known, Instance)
    assert known.query("") == spaseq.parse(both).query


@pytest.mark.parametrize("change", [("{1,3}", "{1,4}"), ("ex:price ?b", "ex:cost ?b"), ('"x"', '"y"'), ("SLIDING", "")])
def test_what_is_no_constant_of_a_rule_is_parsed(change: tuple[str, str]) -> None:
    forms = KnownForms()
    for text in (TEXT, TEXT.replace(*change), TEXT.replace("> 5", "> 6"), TEXT.replace("> 5", "> 7").replace(*change)):
        assert meaning(forms.read(text)) == spaseq.parse(text).query


@pytest.mark.parametrize("wrong", ["ex2:a", "nothing:at", '"a"^^none:x', "0 MINUTES"])
def test_what_cannot_stand_there_is_told_as_ever(wrong: str) -> None:
    forms = KnownForms()
    old = "10 MINUTES" if "MINUTES" in wrong else "> 5"
    new = wrong if "MINUTES" in wrong else f"> {wrong}"
    for text in (TEXT, TEXT.replace("> 5", "> 6"), TEXT.replace("10 MIN", "11 MIN")):
        forms.read(text)
    with pytest.raises((spaseq.QueryError, spaseq.QuerySyntaxError)) as found:
        forms.read(TEXT.replace(old, new))
    with pytest.raises(type(found.value)) as parsed:
        spaseq.parse(TEXT.replace(old, new))
    assert str(found.value) == str(parsed.value)


@pytest.mark.parametrize("seed", range(60))
def test_any_constants(seed: int) -> None:
    chance = random.Random(seed)
    forms = KnownForms()
    skeleton, constants = cut(TEXT)
    for _ in range(12):
        some = list(constants)
        for place in chance.sample(range(len(some)), chance.randint(1, 3)):
            some[place] = chance.choice((*CONSTANTS, *constants))
        text = skeleton.text(some)
        try:
            wanted = spaseq.parse(text).query
        except (spaseq.QueryError, spaseq.QuerySyntaxError) as error:
            with pytest.raises(type(error)):
                forms.read(text)
            continue
        assert meaning(forms.read(text)) == wanted


def test_a_query_is_a_row_of_its_template() -> None:
    query = spaseq.parse(TEXT).query
    instance = instance_of(replace(query, name="one"))
    assert instance is not None and instance.query("one") == replace(query, name="one")
    assert [getattr(term, "lexical", None) for term in instance.row] == [
        None, "it's \"so\" # 5", "5", "2", "1.5", "-3", "7", "limit", "1", "2", "600000000",
    ]  # fmt: skip
