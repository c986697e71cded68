"""Sequences, results and partitions of SPAseq that are deep, long or wide."""

from __future__ import annotations

from tests.bombs.bomb import Bombs, chain, lines, nested

SEQUENCES = Bombs("spaseq")


def query(
    sequence: str,
    definitions: str = "DEFINE GPM A ON s { ?s ex:p ?a }\nDEFINE GPM B ON s { ?s ex:q ?b }",
    select: str = "SELECT *",
    partition: str = "",
    end: str = "",
    within: str = "WITHIN 9 SECONDS SLIDING",
    streams: str = "FROM STREAM s <http://x/s>",
) -> str:
    """A query of two GPMs."""
    return (
        f"PREFIX ex: <http://x/>\n{select}\n{within}\n{streams}\n{partition}\n"
        f"WHERE {{\nSEQ({sequence})\n{definitions}\n}}\n{end}"
    )


def gpms(n: int, pattern: str = "?s ex:p ?v#") -> str:
    """So many definitions."""
    return lines(n, f"DEFINE GPM A# ON s {{ {pattern} }}")


# ── length ───────────────────────────────────────────────────────────────────────────────────────────────
@SEQUENCES.add(180, 200, 200_000)
def long_sequence(n: int) -> str:
    return query(chain(n, "A", ";"))


@SEQUENCES.add(180, 100_000)
def long_sequence_of_all_operators(n: int) -> str:
    return query(chain(n, "A , B : A", ";"))


@SEQUENCES.add(180, 20_000, small=90)
def long_sequence_of_own_gpms(n: int) -> str:
    return query(chain(n, "A#", ";"), gpms(n))


@SEQUENCES.add(180, 20_000, small=60)
def long_sequence_that_compares(n: int) -> str:
    definitions = "\n".join(
        f"DEFINE GPM A{i} ON s {{ ?s ex:p ?v{i} FILTER(?v{i} > ?v{max(i - 1, 0)}) }}" for i in range(n)
    )
    return query(chain(n, "A#", ":"), definitions)


@SEQUENCES.add(60, 100, 180, small=30)
def sequence_in_which_all_compare(n: int) -> str:
    definitions = "\n".join(
        f"DEFINE GPM A{i} ON s {{ ?s{i} ex:p ?v{i} " + "".join(f"FILTER(?v{i} > ?v{j}) " for j in range(i)) + "}"
        for i in range(n)
    )
    return query(chain(n, "A#", ":"), definitions)


@SEQUENCES.add(100, 180, small=40)
def sequence_of_many_variables(n: int) -> str:
    wide = " ".join(f"?s ex:p{k} ?v#x{k} ." for k in range(20))
    return query(chain(n, "A#", ":"), gpms(n, wide))


@SEQUENCES.add(100, 180, small=40)
def sequence_that_joins_many_variables(n: int) -> str:
    wide = " ".join(f"?s ex:p{k} ?v{k} ." for k in range(60))
    return query(chain(n, "A#", ":"), gpms(n, wide))


@SEQUENCES.add(1_000, 4_096, 999_999_999, small=500)
def counted_repetition(n: int) -> str:
    return query(f"A{{{n}}} ; B")


@SEQUENCES.add(1_000, 4_096, small=200)
def counted_repetition_with_a_choice(n: int) -> str:
    return query(f"(A | B){{{n}}}")


@SEQUENCES.add(1_000, 4_000, small=200)
def repetition_at_most(n: int) -> str:
    return query(f"A{{1,{n}}} ; B")


@SEQUENCES.add(10, 63, 64, 65, small=20)
def counted_repetition_of_counted(n: int) -> str:
    return query(f"(A{{{n}}}){{{n}}}")


@SEQUENCES.add(2, 6, 12, 20_000)
def repetitions_in_repetitions(n: int) -> str:
    return query(nested(n, "(", "A", "){2}"))


@SEQUENCES.add(100, 1_000, 4_000, small=50)
def repetition_that_compares(n: int) -> str:
    definitions = "DEFINE GPM A ON s { ?s ex:p ?a FILTER(?a > PREV(?a) && ?a > FIRST(?a) && ?a > AVG(?a)) }"
    return query(f"A{{{n}}}", definitions)


# ── Kleenes ──────────────────────────────────────────────────────────────────────────────────────────────
@SEQUENCES.add(60, 64, 65, 20_000, small=30)
def kleenes_in_a_row(n: int) -> str:
    return query(chain(n, "A+", ";"))


@SEQUENCES.add(20, 60, 64, 20_000, small=12)
def stars_in_a_row(n: int) -> str:
    return query(chain(n, "A*", ";") + "; B")


@SEQUENCES.add(20, 60, 64, 20_000, small=12)
def stars_of_own_gpms(n: int) -> str:
    return query(chain(n, "A#*", ";") + "; A0", gpms(n))


@SEQUENCES.add(60, 64, 65, 90, 200_000, small=30)
def nested_kleenes(n: int) -> str:
    return query(nested(n, "(", "A", ")+"))


@SEQUENCES.add(6, 12, 64, 60_000, small=5)
def nested_stars(n: int) -> str:
    return query(nested(n, "(", "A", ")*"))


@SEQUENCES.add(20, 60, 20_000, small=10)
def nested_kleenes_with_steps(n: int) -> str:
    return query(nested(n, "(A ; ", "B", ")+"))


@SEQUENCES.add(20, 60, small=10)
def nested_kleenes_that_aggregate(n: int) -> str:
    definitions = "\n".join(
        f"DEFINE GPM A{i} ON s {{ ?s ex:p ?v{i} FILTER(?v{i} > MAX(?v{i}) && ?v{i} > PREV(?v{i})) }}" for i in range(n)
    )
    return query(
        "".join(f"(A{i} ; " for i in range(n)) + "B" + ")+" * n, definitions + "DEFINE GPM B ON s { ?b ex:q 1 }"
    )


# ── choices ──────────────────────────────────────────────────────────────────────────────────────────────
@SEQUENCES.add(10, 100, 180, 50_000)
def optionals_in_a_row(n: int) -> str:
    return query(chain(n, "A?", ";") + "; B")


@SEQUENCES.add(10, 60, 180, small=10)
def optionals_of_own_gpms(n: int) -> str:
    return query(chain(n, "A#?", ":") + ": A0", gpms(n))


@SEQUENCES.add(60, 180, 200_000)
def nested_optionals(n: int) -> str:
    return query(nested(n, "(", "A", ")?") + "; B")


@SEQUENCES.add(60, 90, 60_000, small=20)
def optionals_in_optionals(n: int) -> str:
    return query("B ; " + nested(n, "(A ; ", "B", ")?"))


@SEQUENCES.add(100, 180, 60_000)
def negations(n: int) -> str:
    return query(chain(n, "A!", ";") + "; B")


@SEQUENCES.add(60, 90, 60_000)
def negations_between(n: int) -> str:
    return query("B ; " + chain(n, "A! ; B", ";"))


@SEQUENCES.add(60, small=30)
def negations_that_compare(n: int) -> str:
    definitions = "\n".join(
        f"DEFINE GPM A{i} ON s {{ ?s ex:p ?v{i} }} DEFINE GPM N{i} ON s {{ ?s ex:q ?n{i} FILTER(?n{i} > ?v{i}) }}"
        for i in range(n)
    )
    return query(chain(n, "A# ; N#!", ";"), definitions)


@SEQUENCES.add(100, 180, 60_000, small=50)
def choice(n: int) -> str:
    return query(chain(n, "A#", "|"), gpms(n))


@SEQUENCES.add(100, 180, small=50)
def choice_of_sequences(n: int) -> str:
    return query(chain(n, "(A#; A0)", "|"), gpms(n))


@SEQUENCES.add(60, 90, 40_000, small=20)
def choices_in_a_row(n: int) -> str:
    return query(chain(n, "(A | B)", ";"))


@SEQUENCES.add(30, 60, small=10)
def choices_of_sequences_in_a_row(n: int) -> str:
    return query(chain(n, "((A ; B) | (B ; A) | A?)", ";") + "; A")


@SEQUENCES.add(60, 180, 60_000, small=20)
def conjunction(n: int) -> str:
    return query(chain(n, "A#", "&"), gpms(n))


@SEQUENCES.add(8, 9, 90, 20_000)
def conjunction_of_choices(n: int) -> str:
    return query(chain(n, "(A | B)", "&"))


@SEQUENCES.add(60, 190, 200_000)
def nested_parentheses_in_seq(n: int) -> str:
    return query(nested(n, "(", "A", ")"))


# ── GPMs, streams, clauses ───────────────────────────────────────────────────────────────────────────────
@SEQUENCES.add(1_000, 4_000, 18_000, small=300)
def unused_gpms(n: int) -> str:
    return query("A0", gpms(n))


@SEQUENCES.add(1_000, 20_000)
def streams(n: int) -> str:
    return query("A", streams="FROM STREAM s <http://x/s>\n" + lines(n, "FROM STREAM s# <http://x/s#>"))


@SEQUENCES.add(1_000, 20_000)
def prefixes(n: int) -> str:
    return lines(n, "PREFIX p#: <http://x/#/>") + "\n" + query("A")


@SEQUENCES.add(1_000, 8_000)
def prefixes_of_relative_bases(n: int) -> str:
    return "BASE <http://x/>\n" + lines(n, "BASE <a#/> PREFIX p#: <x>") + "\n" + query("A")


@SEQUENCES.add(1_000, 60_000)
def selected_variables(n: int) -> str:
    return query("A ; B", select=f"SELECT {chain(n, '?a ?b', ' ')}")


@SEQUENCES.add(500, 20_000, small=200)
def selected_expressions(n: int) -> str:
    return query("A ; B", select=f"SELECT {chain(n, '(?a + # AS ?x#)', ' ')}")


@SEQUENCES.add(500, 4_000, 20_000, small=100)
def selected_expressions_in_a_chain(n: int) -> str:
    return query("A ; B", select="SELECT (?a AS ?x0) " + " ".join(f"(?x{i} + 1 AS ?x{i + 1})" for i in range(n)))


@SEQUENCES.add(20, 40, 180)
def selected_expressions_that_double(n: int) -> str:
    return query("A ; B", select="SELECT (?a AS ?x0) " + " ".join(f"(?x{i} + ?x{i} AS ?x{i + 1})" for i in range(n)))


@SEQUENCES.add(500, 20_000, small=100)
def aggregates_of_matches(n: int) -> str:
    return query("A ; B", select=f"SELECT {chain(n, '(MAX(?a) + # AS ?x#)', ' ')}", end="")


@SEQUENCES.add(100, 2_000, small=30)
def aggregates_of_many_variables(n: int) -> str:
    definitions = "\n".join(f"DEFINE GPM A{i} ON s {{ ?s ex:p ?v{i} }}" for i in range(min(n, 100)))
    select = "SELECT " + " ".join(f"(AVG(?v{i % min(n, 100)}) AS ?x{i})" for i in range(n))
    return query(chain(min(n, 100), "A#", ";"), definitions, select)


@SEQUENCES.add(20, 60, small=10)
def aggregates_of_iterations(n: int) -> str:
    select = "SELECT " + " ".join(f"(MEDIAN(?v{i}) AS ?x{i}) (STDEV(?v{i}) AS ?y{i})" for i in range(n))
    return query(chain(n, "A#+", ";"), gpms(n), select)


@SEQUENCES.add(1_000, 20_000, small=200)
def grouped_by_many(n: int) -> str:
    return query("A ; B", select="SELECT (COUNT(*) AS ?n)", end="GROUP BY " + "?a ?b " * n)


@SEQUENCES.add(1_000, 20_000, small=200)
def having_many(n: int) -> str:
    return query("A ; B", select="SELECT (COUNT(*) AS ?n)", end="HAVING " + lines(n, "(COUNT(*) > #)"))


@SEQUENCES.add(1_000, 10_000, 30_000, small=300)
def large_template(n: int) -> str:
    return query("A ; B", select=f"CONSTRUCT {{ {lines(n, '[] ex:p# ?a .')} }} INTO STREAM <http://x/out>")


@SEQUENCES.add(100, 180, 200_000)
def deep_template(n: int) -> str:
    return query("A", select=f"CONSTRUCT {{ {nested(n, '[ ex:p ', '1', ' ]')} }} INTO STREAM <http://x/out>")


@SEQUENCES.add(100, 20_000, small=50)
def keys(n: int) -> str:
    pattern = " ".join(f"?s ex:p{k} ?k{k} ." for k in range(min(n, 120)))
    definitions = f"DEFINE GPM A ON s {{ {pattern} }} DEFINE GPM B ON s {{ {pattern} }}"
    return query("A , B+", definitions, partition="PARTITION BY " + chain(n, "?k#", " "))


@SEQUENCES.add(60, 120, 20_000, small=50)
def large_using(n: int) -> str:
    using = lines(n, "?s ex:p# ?k#x .")
    return query("A , B", partition=f"PARTITION BY ?s USING {{ ?s ex:k ?k . {using} }}")
