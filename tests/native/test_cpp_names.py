"""No C++ name is defined twice in one namespace: two modules with such headers could not be linked together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tools.native_code import ENUMS

ROOT = Path(__file__).parents[2]
ROOMS = ("nfa_native", "gpm/native")
VERBATIM = re.compile(r'^cdef extern from \*.*:\n\s*"""\n(.*?)"""', re.MULTILINE | re.DOTALL)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{")
DEFINED = re.compile(
    r"^(?=\S)(?:template <[^>]*>\s*)?(?:\[\[[\w:]+\]\] )?(?:"
    r"(?:struct|class|union|enum class|enum) (?:alignas\(\d+\) )?(\w+)(?: : [\w:<> ]+)? \{"  # a type
    r"|using (\w+) ="
    r"|typedef .*?[ (*](\w+)\)?(?:\([^()]*\))?;"
    r"|(?:(?:static|inline|const|constexpr|extern) )+[\w:<>*& ]+?\b(\w+)(?:\[\])? ?[={]"  # a constant
    r"|(?:(?:static|inline|constexpr) )*[\w:<>*&, ]+?[ *&](\w+)\([^;{]*(?:\{.*)?$"  # a function
    r"|#define (\w+)"
    r")"
)
ENUMERATORS = re.compile(r"^enum (?!class)[^{;]*\{([^}]*)\}", re.MULTILINE)  # which are names of the namespace


def texts() -> Iterator[tuple[str, str]]:
    """Headers, and the C++ that Cython files have in their texts, with where they are."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.hpp")):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        for path in sorted((ROOT / room).rglob("*.p[yx][xdi]")):
            for number, found in enumerate(VERBATIM.findall(path.read_text(encoding="utf-8"))):
                yield f"{path.relative_to(ROOT)} {number}", re.sub("^    ", "", found, flags=re.MULTILINE)


def defined(text: str) -> Iterator[str]:
    """The qualified names that a text defines at the level of its namespaces; macros have none."""
    inside = ""
    text = re.sub(r"//(?!  ?namespace).*", "", text)
    for part in re.split(r"^(namespace [\w:]+ \{|\}  ?// namespace.*)$", text, flags=re.MULTILINE):
        if found := NAMESPACE.match(part):
            inside = f"{found[1]}::"
        elif re.match(r"\}  ?// namespace", part):
            inside = ""
        else:
            yield from (name if is_macro else inside + name for name, is_macro in _defined_in(part))


def _defined_in(part: str) -> Iterator[tuple[str, bool]]:
    for line in part.splitlines():
        if found := DEFINED.match(line):
            yield next(name for name in found.groups() if name), line.startswith("#")
    for members in ENUMERATORS.findall(part):
        yield from ((name, False) for name in re.findall(r"(\w+)(?: = [^,]*)?(?:,|\s*$)", members))


def twice(texts: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    """Names that more than one text defines; overloads of one text are its own affair."""
    where: defaultdict[str, list[str]] = defaultdict(list)
    for place, text in texts:
        for name in set(defined(text)):
            where[name].append(place)
    return {name: places for name, places in where.items() if len(places) > 1}


def test_no_name_is_defined_twice_in_one_namespace() -> None:
    assert twice(texts()) == {}


def test_each_evaluator_has_a_namespace_of_its_own() -> None:
    for evaluator in ("joins", "events", "paths"):
        for path in sorted((ROOT / "nfa_native" / evaluator).rglob("*.hpp")):
            spaces = set(re.findall(r"^namespace ([\w:]+) \{", path.read_text(encoding="utf-8"), re.MULTILINE))
            assert spaces, path
            assert all(f"{one}::".startswith(f"spaseq::{evaluator}::") for one in spaces), path


def test_definitions_are_seen() -> None:
    """What the pattern finds, and a planted offence of each kind."""
    names = {name for _, text in texts() for name in defined(text)}
    assert {
        "spaseq::joins::GroupList", "spaseq::events::GroupList", "spaseq::joins::new_list", "spaseq::NO_GROUP",
        "spaseq::events::NO_VALUE", "spaseq::last_group", "spaseq::kinds::Govern", "SpaseqBroken",
    } <= names  # fmt: skip
    assert len(names) > 200
    assert all((ROOT / path).with_suffix(".hpp").is_file() for path in ENUMS)
    for planted, name in [
        ("struct Head {", "Head"),
        ("struct Found : std::exception {", "Found"),
        ("constexpr int64_t NO_VALUE = -1;", "NO_VALUE"),
        ("static inline size_t groups_of(const GroupList* list) noexcept { return 0; }", "groups_of"),
        ("inline int64_t group_before(", "group_before"),
        ("template <class T> void give(T& to) {", "give"),
        ("typedef int (*WordLess)(uint64_t, uint64_t);", "WordLess"),
        ("using Key = uint64_t;", "Key"),
        ("enum class Kind : uint8_t {", "Kind"),
        ("union Either {", "Either"),
        ("[[gnu::noinline]] static bool give(int most) {", "give"),
        ("static inline std::vector<int> all_of(int one, int other) {", "all_of"),
    ]:
        text = f"namespace spaseq::events {{\n{planted}\n}}  // namespace spaseq::events\n"
        assert twice(iter([("one", text), ("other", text)])) == {f"spaseq::events::{name}": ["one", "other"]}
        assert twice(iter([("one", text), ("other", text.replace("events", "joins"))])) == {}


def test_enumerators_and_macros_are_names_too() -> None:
    begin, end = "namespace spaseq::events {\n", "}  // namespace spaseq::events\n"
    one = f"{begin}enum Weight {{\n    ONE,   // a word\n    OTHER = 2\n}};\n{end}"
    other = f"{begin}constexpr int OTHER = 2;\n{end}"
    assert twice(iter([("one", one), ("other", other)])) == {"spaseq::events::OTHER": ["one", "other"]}
    assert twice(iter([("one", one.replace("enum", "enum class")), ("other", other)])) == {}
    texts = [("one", "#define MOST 1\n"), ("other", f"{begin}#define MOST 2\n{end}")]
    assert twice(iter(texts)) == {"MOST": ["one", "other"]}
