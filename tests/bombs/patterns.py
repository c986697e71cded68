"""Graph patterns of SPAseq that are deep, long or wide."""

from __future__ import annotations

from tests.bombs.bomb import Bombs, chain, lines, nested

PATTERNS = Bombs("spaseq")
TRIPLE = "?s ex:p ?o ."


def query(pattern: str, select: str = "*", prologue: str = "") -> str:
    """A query of one GPM."""
    return (
        f"PREFIX ex: <http://x/>\n{prologue}SELECT {select}\nWITHIN 9 SECONDS SLIDING\nFROM STREAM s <http://x/s>\n"
        f"WHERE {{ SEQ(A) DEFINE GPM A ON s {{ {pattern} }} }}\n"
    )


# ── depth ────────────────────────────────────────────────────────────────────────────────────────────────
@PATTERNS.add(90, 200, 400_000)
def nested_groups(n: int) -> str:
    return query(nested(n, "{", TRIPLE, "}"))


@PATTERNS.add(60, 90, 80_000)
def nested_optionals(n: int) -> str:
    return query(TRIPLE + nested(n, "OPTIONAL { ?s ex:p ?o . ", "", "}"))


@PATTERNS.add(60, 90, 80_000)
def optionals_of_own_variables(n: int) -> str:
    return query(TRIPLE + lines(n, "OPTIONAL { ?s ex:p# ?o# . ") + "}" * n)


@PATTERNS.add(60, 90, 60_000)
def nested_unions(n: int) -> str:
    return query(nested(n, "{ ?s ex:q ?o } UNION {", TRIPLE, "}"))


@PATTERNS.add(60, 90, 60_000)
def nested_unions_on_both_sides(n: int) -> str:
    return query(nested(n, "{ {", TRIPLE, "} UNION { ?a ex:r ?b } }"))


@PATTERNS.add(60, 90, 100_000)
def nested_minuses(n: int) -> str:
    return query(TRIPLE + nested(n, "MINUS { ?s ex:p ?o ", "", "}"))


@PATTERNS.add(40, 60, 40_000)
def nested_exists(n: int) -> str:
    return query(TRIPLE + nested(n, "FILTER NOT EXISTS { ?s ex:p ?o ", "", "}"))


@PATTERNS.add(40, 60, 40_000)
def nested_exists_in_expressions(n: int) -> str:
    return query(TRIPLE + nested(n, "FILTER(?o > 1 && EXISTS { ?s ex:p ?o ", "", "})"))


@PATTERNS.add(60, 90, 60_000)
def nested_selects(n: int) -> str:
    return query(nested(n, "{ SELECT * {", TRIPLE, "} }"))


@PATTERNS.add(40, 60, 20_000)
def nested_selects_with_aggregates(n: int) -> str:
    return query(nested(n, "{ SELECT ?s (MAX(?o) AS ?o) {", TRIPLE, "} GROUP BY ?s }"))


@PATTERNS.add(60, 90, 40_000)
def nested_graphs(n: int) -> str:
    return query(nested(n, "GRAPH <http://x/g> {", TRIPLE, "}"))


@PATTERNS.add(60, 150, 300_000)
def nested_property_lists(n: int) -> str:
    return query(nested(n, "[ ex:p ", "1", " ]") + ".")


@PATTERNS.add(60, 150, 300_000)
def nested_collections(n: int) -> str:
    return query("?s ex:p " + nested(n, "( ", "1", " )") + ".")


@PATTERNS.add(180, 200, 400_000)
def nested_parentheses(n: int) -> str:
    return query(f"{TRIPLE} FILTER({nested(n, '(', '?o', ')')} > 1)")


@PATTERNS.add(150, 190, 900_000)
def nested_negations(n: int) -> str:
    return query(f"{TRIPLE} FILTER({'!' * n}(?o > 1))")


@PATTERNS.add(150, 190, 900_000)
def nested_signs(n: int) -> str:
    return query(f"{TRIPLE} FILTER({'- ' * (n // 2)}?o > 1)")


@PATTERNS.add(90, 180, 80_000)
def nested_calls(n: int) -> str:
    return query(f"{TRIPLE} FILTER({nested(n, 'STR(', '?o', ')')} = 'x')")


@PATTERNS.add(90, 180, 40_000)
def nested_ifs(n: int) -> str:
    return query(f"{TRIPLE} FILTER({nested(n, 'IF(?o > 1, ?o, ', '?o', ')')} > 2)")


@PATTERNS.add(90, 180, 40_000)
def nested_lists(n: int) -> str:
    return query(f"{TRIPLE} FILTER(?o IN ({nested(n, '1, ?o IN (', '2', ')')}))")


@PATTERNS.add(150, 190, 400_000)
def nested_paths(n: int) -> str:
    return query(f"?s {nested(n, '(', 'ex:p', ')')} ?o .")


@PATTERNS.add(90, 190, 200_000)
def nested_stars(n: int) -> str:
    return query(f"?s {nested(n, '(', 'ex:p*', ')*')} ?o .")


@PATTERNS.add(90, 190, 200_000)
def nested_inverses(n: int) -> str:
    return query(f"?s {nested(n, '^(', 'ex:p', ')')} ?o .")


# ── paths ────────────────────────────────────────────────────────────────────────────────────────────────
@PATTERNS.add(120, 128, 1_000, 200_000)
def long_path(n: int) -> str:
    return query(f"?s {chain(n, 'ex:p', '/')} ?o .")


@PATTERNS.add(1_000, 10_000, 100_000)
def wide_path(n: int) -> str:
    return query(f"?s {chain(n, 'ex:p#', '|')} ?o .")


@PATTERNS.add(10, 20, 120, 60_000)
def path_of_alternatives(n: int) -> str:
    return query(f"?s {chain(n, '(ex:p|ex:q)', '/')} ?o .")


@PATTERNS.add(1_000, 40_000)
def alternatives_of_paths(n: int) -> str:
    return query(f"?s {chain(n, 'ex:p/ex:q', '|')} ?o .")


@PATTERNS.add(60, 90, 20_000)
def alternatives_in_paths(n: int) -> str:
    return query(f"?s {nested(n, 'ex:p/(ex:q|', 'ex:p', ')')} ?o .")


@PATTERNS.add(20, 90, 20_000)
def alternatives_around_paths(n: int) -> str:
    return query(f"?s {nested(n, '(', 'ex:p', '|ex:r)/(ex:p|ex:q)')} ?o .")


@PATTERNS.add(1_000, 10_000, 100_000)
def negated_properties(n: int) -> str:
    return query(f"?s !({chain(n, 'ex:p#', '|')}) ?o .")


@PATTERNS.add(100, 128, 10_000)
def starred_paths(n: int) -> str:
    return query(lines(n, "?s# ex:p# * ?s0 ."))


@PATTERNS.add(120, 20_000)
def paths_of_many_triples(n: int) -> str:
    return query(lines(n, "?s# (ex:p|ex:q|^ex:r) ?s0 ."))


# ── width ────────────────────────────────────────────────────────────────────────────────────────────────
@PATTERNS.add(128, 129, 40_000, small=128)
def triples_on_one_subject(n: int) -> str:
    return query(lines(n, "?s ex:p# ?o# ."))


@PATTERNS.add(128, 40_000)
def triples_in_a_row(n: int) -> str:
    return query(chain(n, "?v# ex:p ?w# . ?w#", " ex:q ") + " ex:q ?z ." if n > 128 else lines(n, "?v# ex:p ?v#0 ."))


@PATTERNS.add(128, 40_000)
def triples_of_variables(n: int) -> str:
    return query(lines(n, "?a# ?b# ?c# ."))


@PATTERNS.add(11, 12, 100)
def triples_that_all_join(n: int) -> str:
    return query("\n".join(f"?v{i} ex:p{i}x{j} ?v{j} ." for i in range(n) for j in range(i)))


@PATTERNS.add(128, 200_000)
def objects(n: int) -> str:
    return query(f"?s ex:p {chain(n, '?o#', ',')} .")


@PATTERNS.add(40, 128, 200_000)
def collection(n: int) -> str:
    return query(f"?s ex:p ( {chain(n, '?o#', ' ')} ) .")


@PATTERNS.add(120, 1_000, 20_000)
def optionals(n: int) -> str:
    return query(TRIPLE + lines(n, "OPTIONAL { ?s ex:p# ?o# }"))


@PATTERNS.add(100, 20_000)
def optionals_that_compare(n: int) -> str:
    return query(TRIPLE + lines(n, "OPTIONAL { ?s ex:p# ?o# FILTER(?o# > ?o) }"))


@PATTERNS.add(1_000, 10_000, 40_000)
def unions(n: int) -> str:
    return query(chain(n, "{ ?s ex:p# ?o }", " UNION "))


@PATTERNS.add(1_000, 10_000)
def unions_of_own_variables(n: int) -> str:
    return query(chain(n, "{ ?s ex:p ?o# }", " UNION "))


@PATTERNS.add(10, 100, 10_000)
def unions_in_a_row(n: int) -> str:
    return query(TRIPLE + lines(n, "{ ?s ex:p# ?a } UNION { ?s ex:q# ?b }"))


@PATTERNS.add(120, 20_000)
def minuses(n: int) -> str:
    return query(TRIPLE + lines(n, "MINUS { ?s ex:p# ?o }"))


@PATTERNS.add(120, 20_000)
def many_exists(n: int) -> str:
    return query(TRIPLE + lines(n, "FILTER NOT EXISTS { ?s ex:p# ?o }"))


@PATTERNS.add(1_000, 20_000)
def filters(n: int) -> str:
    return query(TRIPLE + lines(n, "FILTER(?o != #)"))


@PATTERNS.add(1_000, 20_000)
def filters_without_triples_between(n: int) -> str:
    return query(lines(n, "?s ex:p ?o FILTER(?o != #)") if n < 128 else lines(n, "FILTER(?o != #)") + TRIPLE)


@PATTERNS.add(100, 10_000, 400_000)
def whole_groups(n: int) -> str:
    return query("{}" * n + TRIPLE)


@PATTERNS.add(100, 2_000, 20_000)
def groups_in_a_row(n: int) -> str:
    return query(lines(n, "{ ?s ex:p# ?o }"))


@PATTERNS.add(1_000, 2_000, 20_000)
def binds_in_a_chain(n: int) -> str:
    return query("?s ex:p ?v0 .\n" + "\n".join(f"BIND(?v{i} + 1 AS ?v{i + 1})" for i in range(n)))


@PATTERNS.add(1_000, 2_000, 20_000)
def binds(n: int) -> str:
    return query(TRIPLE + lines(n, "BIND(?o + # AS ?v#)"))


@PATTERNS.add(18, 40, 150)
def binds_that_double(n: int) -> str:
    return query("?s ex:p ?v0 .\n" + "\n".join(f"BIND(?v{i} + ?v{i} AS ?v{i + 1})" for i in range(n)))


@PATTERNS.add(1_000, 10_000, 100_000)
def values_of_many_rows(n: int) -> str:
    return query(TRIPLE + f"VALUES ?o {{ {chain(n, '#', ' ')} }}")


@PATTERNS.add(1_000, 20_000)
def values_of_many_columns(n: int) -> str:
    return query(TRIPLE + f"VALUES ({chain(n, '?v#', ' ')}) {{ ({chain(n, '#', ' ')}) }}")


@PATTERNS.add(1_000, 10_000)
def many_values(n: int) -> str:
    return query(TRIPLE + lines(n, "VALUES ?v# { 1 2 }"))


@PATTERNS.add(100, 400)
def values_of_many_rows_and_columns(n: int) -> str:
    row = "(" + " ".join(map(str, range(n))) + ")"
    return query(TRIPLE + f"VALUES ({chain(n, '?v#', ' ')}) {{ {row * n} }}")


@PATTERNS.add(100, 10_000)
def many_graphs(n: int) -> str:
    return query(TRIPLE + lines(n, "GRAPH <http://x/g#> { ?s ex:p# ?o# }"))


@PATTERNS.add(100, 5_000)
def many_selects(n: int) -> str:
    return query(lines(n, "{ SELECT ?s { ?s ex:p# ?o# } }"))


@PATTERNS.add(100, 5_000)
def many_selects_with_aggregates(n: int) -> str:
    return query(lines(n, "{ SELECT ?s (MAX(?o) AS ?m#) { ?s ex:p# ?o } GROUP BY ?s }"))


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
@PATTERNS.add(180, 200, 200_000)
def long_sum(n: int) -> str:
    return query(f"{TRIPLE} FILTER({chain(n, '?o', '+')} > 1)")


@PATTERNS.add(180, 200, 60_000)
def long_conjunction(n: int) -> str:
    return query(f"{TRIPLE} FILTER({chain(n, '?o > #', ' && ')})")


@PATTERNS.add(180, 60_000)
def long_disjunction(n: int) -> str:
    return query(f"{TRIPLE} FILTER({chain(n, '?o = #', ' || ')})")


@PATTERNS.add(15, 60, 90, 20_000)
def conjunction_of_disjunctions(n: int) -> str:
    return query(f"{TRIPLE} FILTER({chain(n, '(?o > # || ?s = #)', ' && ')})")


@PATTERNS.add(1_000, 100_000)
def long_list(n: int) -> str:
    return query(f"{TRIPLE} FILTER(?o IN ({chain(n, '#', ', ')}))")


@PATTERNS.add(1_000, 100_000)
def long_list_of_variables(n: int) -> str:
    return query(f"{TRIPLE} FILTER(1 IN ({chain(n, '?o', ', ')}))")


@PATTERNS.add(1_000, 100_000)
def call_of_many_arguments(n: int) -> str:
    return query(f"{TRIPLE} FILTER(CONCAT({chain(n, '?o', ', ')}) = 'x')")


@PATTERNS.add(1_000, 100_000)
def coalesce_of_many_arguments(n: int) -> str:
    return query(f"{TRIPLE} FILTER(COALESCE({chain(n, '?o', ', ')}) = 1)")


@PATTERNS.add(1_000, 20_000)
def regexes(n: int) -> str:
    return query(TRIPLE + lines(n, "FILTER(REGEX(?o, '^(a+)+#$'))"))


@PATTERNS.add(1_000, 60_000, 900_000)
def long_regex(n: int) -> str:
    return query(f"{TRIPLE} FILTER(REGEX(?o, '{'(a*)*' * (n // 5)}'))")


@PATTERNS.add(3, 9)
def regex_of_repeated_repetitions(n: int) -> str:
    return query(f"{TRIPLE} FILTER(REGEX(?o, 'a{'{1000}' * n}'))")
