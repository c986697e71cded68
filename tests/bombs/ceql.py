"""Queries in CEQL that are deep, long or wide, or with a slip at the worst place."""

from __future__ import annotations

from itertools import combinations

from tests.bombs.bomb import Bombs, chain, lines, nested

CEQL = Bombs("ceql")


def query(formula: str, select: str = "*", end: str = "WITHIN 9 SECONDS", streams: str = "") -> str:
    """A query of one formula."""
    return f"SELECT {select}\n{streams}\nWHERE {formula}\n{end}\n"


# ── formulas ─────────────────────────────────────────────────────────────────────────────────────────────
@CEQL.add(180, 200, 200_000)
def long_sequence(n: int) -> str:
    return query(chain(n, "A", " ; "))


@CEQL.add(180, 50_000)
def long_sequence_of_types(n: int) -> str:
    return query(chain(n, "A# AS x#", " ; "))


@CEQL.add(180, 50_000)
def long_contiguous_sequence(n: int) -> str:
    return query(chain(n, "A AS x#", " : "))


@CEQL.add(100, 180, 50_000)
def alternatives(n: int) -> str:
    return query(chain(n, "A# AS x#", " OR "))


@CEQL.add(100, 180, 50_000)
def alternatives_of_one_type(n: int) -> str:
    return query(chain(n, "A", " OR "))


@CEQL.add(30, 60, 90, 50_000)
def alternatives_in_a_row(n: int) -> str:
    return query(chain(n, "(A AS a# OR B AS b#)", " ; "))


@CEQL.add(30, 60, 30_000)
def alternatives_of_one_type_in_a_row(n: int) -> str:
    return query(chain(n, "(A OR A : A)", " ; "))


@CEQL.add(60, 90, 60_000)
def alternatives_in_alternatives(n: int) -> str:
    return query(nested(n, "(A ; ", "B", " OR B)"))


@CEQL.add(180, 200, 400_000)
def nested_parentheses(n: int) -> str:
    return query(nested(n, "(", "A", ")"))


@CEQL.add(90, 190, 200_000)
def nested_repetitions(n: int) -> str:
    return query(nested(n, "(", "A", ")+"))


@CEQL.add(90, 190, 900_000)
def repeated_repetitions(n: int) -> str:
    return query("A" + "+" * n)


@CEQL.add(60, 90, 60_000)
def nested_repetitions_of_sequences(n: int) -> str:
    return query(nested(n, "(A ; ", "B", ")+"))


@CEQL.add(60, 90, 40_000)
def nested_repetitions_of_alternatives(n: int) -> str:
    return query(nested(n, "(A ; A OR ", "B", ":+)+"))


@CEQL.add(90, 40_000)
def repetitions_in_a_row(n: int) -> str:
    return query(chain(n, "A+ AS x#", " ; "))


@CEQL.add(90, 190, 40_000)
def names_of_names(n: int) -> str:
    return query("(" * n + "A ; B" + "".join(f") AS x{i}" for i in range(n)))


@CEQL.add(30, 60, 20_000)
def names_of_sequences(n: int) -> str:
    return query("(" * n + "A" + "".join(f" ; B) AS x{i}" for i in range(n)))


@CEQL.add(60, 180, 20_000)
def names_that_come_twice(n: int) -> str:
    return query(chain(n, "A AS x", " ; "))


# ── filters ──────────────────────────────────────────────────────────────────────────────────────────────
@CEQL.add(60, 180, 20_000)
def chain_of_filters(n: int) -> str:
    return query(f"A AS x ; B AS y {lines(n, 'FILTER x[v > #]')}")


@CEQL.add(60, 180, 20_000)
def chain_of_filters_on_many(n: int) -> str:
    return query(f"A AS x ; B AS y ; C+ AS z ; D AS w {lines(n, 'FILTER x[v > #] AND z[v < #]')}")


@CEQL.add(60, 180, 20_000)
def chain_of_correlated_filters(n: int) -> str:
    return query(f"A AS x ; B AS y {lines(n, 'FILTER x.v + # > y.v')}")


@CEQL.add(20, 60, 180)
def chain_of_filters_of_all_kinds(n: int) -> str:
    return query(f"A AS x ; B+ AS y ; C AS z {lines(n, 'FILTER x.v > y.v + # FILTER z[v > #] FILTER x.v = z.v')}")


@CEQL.add(8, 12, 18, small=6)
def filters_of_all_pairs(n: int) -> str:
    filters = " ".join(f"FILTER x{i}.v < x{j}.v" for i, j in combinations(range(n), 2))
    return query(f"{chain(n, 'A AS x#', ' ; ')} {filters}")


@CEQL.add(8, 18, 30, small=6)
def filter_of_all_pairs(n: int) -> str:
    pairs = " AND ".join(f"x{i}.v < x{j}.v" for i, j in combinations(range(n), 2))
    return query(f"{chain(n, 'A AS x#', ' ; ')} FILTER {pairs}")


@CEQL.add(20, 60, 90, small=12)
def filters_of_neighbours(n: int) -> str:
    filters = " ".join(f"FILTER x{i}.v < x{i + 1}.v" for i in range(n - 1))
    return query(f"{chain(n, 'A AS x#', ' ; ')} {filters}")


@CEQL.add(20, 60, 90, small=12)
def filters_of_repetitions(n: int) -> str:
    filters = " ".join(f"FILTER x{i}.v < x{i + 1}.v" for i in range(n - 1))
    return query(f"{chain(n, 'A+ AS x#', ' ; ')} {filters}")


@CEQL.add(20, 60, 90, small=12)
def filters_that_differ(n: int) -> str:
    filters = " ".join(f"FILTER x{i}.v != x{i + 1}.v" for i in range(n - 1))
    return query(f"{chain(n, 'A+ AS x#', ' ; ')} {filters}")


@CEQL.add(20, 60, 90, small=12)
def filters_by_a_key(n: int) -> str:
    filters = " ".join(f"FILTER x{i}.k = x{i + 1}.k" for i in range(n - 1))
    return query(f"{chain(n, 'A AS x#', ' ; ')} {filters}")


@CEQL.add(20, 60, 90, small=12)
def filter_by_keys(n: int) -> str:
    keys = " AND ".join(f"x.k{i} = y.k{i}" for i in range(n))
    return query(f"A AS x ; B AS y FILTER {keys}")


@CEQL.add(5, 20, 60)
def filter_of_every_variable(n: int) -> str:
    return query(f"{chain(n, 'A AS x#', ' ; ')} FILTER {chain(n, 'x#.v', ' + ')} > 1")


@CEQL.add(5, 20, 60)
def filters_inside(n: int) -> str:
    formula = "A AS x"
    for number in range(n):
        formula = f"({formula} ; B AS y{number} FILTER x.v < y{number}.v)"
    return query(formula)


@CEQL.add(60, 180, 20_000)
def long_conjunction(n: int) -> str:
    return query(f"A AS x ; B AS y FILTER {chain(n, 'x[v > #]', ' AND ')}")


@CEQL.add(60, 180, 20_000)
def long_conjunction_in_brackets(n: int) -> str:
    return query(f"A AS x ; B AS y FILTER x[{chain(n, 'v > #', ' AND ')}]")


@CEQL.add(60, 180, 20_000)
def long_disjunction(n: int) -> str:
    return query(f"A AS x ; B AS y FILTER {chain(n, 'x[v > #]', ' OR ')}")


@CEQL.add(60, 180, 20_000)
def long_disjunction_in_brackets(n: int) -> str:
    return query(f"A AS x ; B AS y FILTER x[{chain(n, 'v > #', ' OR ')}]")


@CEQL.add(4, 10, 20, 60, 20_000)
def disjunctions_of_two_variables(n: int) -> str:
    return query(f"A AS x ; B AS y FILTER {chain(n, '(x[v > #] OR y[v > #])', ' AND ')}")


@CEQL.add(4, 10, 20, 60, 20_000)
def filters_of_disjunctions(n: int) -> str:
    return query(f"A AS x ; B AS y {lines(n, 'FILTER x[v > #] OR y[v > #]')}")


@CEQL.add(4, 8, 20, 90)
def disjunctions_of_conjunctions(n: int) -> str:
    return query(f"A AS x ; B AS y FILTER {chain(n, '(x.v > # AND y.v > #)', ' OR ')}")


@CEQL.add(4, 8, 20, 90)
def conjunctions_of_disjunctions(n: int) -> str:
    return query(f"A AS x ; B AS y FILTER {chain(n, '(x.v > # OR y.v > #)', ' AND ')}")


@CEQL.add(4, 20, 90)
def disjunctions_of_correlations(n: int) -> str:
    return query(f"A AS x ; B AS y FILTER {chain(n, '(x.v > y.v + # OR x.w < y.w - #)', ' AND ')}")


@CEQL.add(4, 20, 90)
def disjunctions_on_alternatives(n: int) -> str:
    return query(f"(A AS x OR B AS y) ; (C AS x OR D AS y) {lines(n, 'FILTER x[v > #] OR y[v > #]')}")


@CEQL.add(60, 190, 200_000)
def nested_negations(n: int) -> str:
    return query(f"A AS x FILTER x[{'NOT ' * n} v > 1]")


@CEQL.add(60, 180, 200_000)
def nested_parentheses_in_conditions(n: int) -> str:
    return query(f"A AS x FILTER x[{nested(n, '(', 'v > 1', ')')}]")


@CEQL.add(20, 90, 20_000)
def nested_conditions(n: int) -> str:
    return query(f"A AS x FILTER x[{nested(n, 'v > 1 AND (w < 2 OR ', 'NOT v = 3', ')')}]")


@CEQL.add(4, 9, 40)
def nested_conditions_of_two_variables(n: int) -> str:
    return query(f"A AS x ; B AS y FILTER {nested(n, 'x.v > 1 AND (y.w < 2 OR ', 'x.v = 3', ')')}")


@CEQL.add(60, 180, 200_000)
def long_sum(n: int) -> str:
    return query(f"A AS x FILTER x[{chain(n, 'v', ' + ')} > 1]")


@CEQL.add(90, 180, 400_000)
def nested_signs(n: int) -> str:
    return query(f"A AS x FILTER x[{'- ' * n} v > 1]")


@CEQL.add(1_000, 100_000)
def long_list(n: int) -> str:
    return query(f"A AS x FILTER x[v IN ({chain(n, '#', ', ')})]")


@CEQL.add(1_000, 60_000)
def long_list_of_texts(n: int) -> str:
    return query(f"A AS x FILTER x[v NOT IN ({chain(n, chr(39) + '#' + chr(39), ', ')})]")


@CEQL.add(60, 180, 20_000)
def intervals(n: int) -> str:
    return query(f"A AS x FILTER x[{chain(n, 'v NOT BETWEEN # AND w + #', ' AND ')}]")


@CEQL.add(60, 180, 20_000)
def patterns_of_texts(n: int) -> str:
    return query(f"A AS x FILTER x[{chain(n, 'v LIKE ' + chr(39) + '%a%#' + chr(39), ' OR ')}]")


@CEQL.add(60_000, 900_000)
def long_pattern_of_texts(n: int) -> str:
    return query(f"A AS x FILTER x[v LIKE '{'%_a' * (n // 3)}']")


# ── clauses ──────────────────────────────────────────────────────────────────────────────────────────────
@CEQL.add(1_000, 20_000)
def streams(n: int) -> str:
    return query("A", streams=f"FROM {chain(n, 's#', ', ')}")


@CEQL.add(180, 20_000)
def selected_variables(n: int) -> str:
    return query(chain(min(n, 180), "A AS x#", " ; "), select=chain(n, "x#", ", "))


@CEQL.add(1_000, 20_000)
def selected_attributes(n: int) -> str:
    return query("A AS x", select=chain(n, "x.v#", ", "))


@CEQL.add(1_000, 20_000)
def aggregates(n: int) -> str:
    return query("A AS x ; B AS y", select=chain(n, "SUM(x.v#) AS s#", ", "))


@CEQL.add(60, 180)
def aggregates_of_long_sequences(n: int) -> str:
    return query(chain(n, "A AS x#", " ; "), select=chain(n, "SUM(x#.v) AS s#", ", "))


@CEQL.add(500, 20_000, small=200)
def grouped_by_many(n: int) -> str:
    return query("A AS x ; B AS y", select="COUNT(*)", end=f"GROUP BY {chain(n, 'x.v#', ', ')}")


@CEQL.add(100, 1_000, small=50)
def grouped_and_shown(n: int) -> str:
    end = f"GROUP BY {chain(n, 'x.v#', ', ')}"
    return query("A AS x ; B AS y", select=f"COUNT(*), {chain(n, 'x.v#', ', ')}", end=end)


@CEQL.add(60, 180, small=30)
def grouped_by_late_variables(n: int) -> str:
    end = f"GROUP BY {chain(n, 'x#.v', ', ')}"
    return query(chain(n, "A AS x#", " ; "), select="COUNT(*)", end=end)


@CEQL.add(1_000, 20_000)
def keys(n: int) -> str:
    return query("A ; B", end=f"PARTITION BY {chain(n, '[k#]', ', ')}")


@CEQL.add(1_000, 20_000)
def durations(n: int) -> str:
    return query("A ; B", end="WITHIN " + "1 SECOND " * n)


@CEQL.add(2, 10_000)
def windows(n: int) -> str:
    return query("A ; B", end="WITHIN 1 EVENT " * n)


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────
@CEQL.add(60_000, 900_000)
def long_name(n: int) -> str:
    return query(f"A AS {'x' * n}")


@CEQL.add(60_000, 900_000)
def long_quoted_name(n: int) -> str:
    return query(f"A AS `{'x y' * (n // 3)}`")


@CEQL.add(20_000, 400_000)
def long_name_of_quotes(n: int) -> str:
    return query(f"A AS `{'``' * n}`")


@CEQL.add(60_000, 900_000)
def open_name(n: int) -> str:
    return query(f"A AS `{'x' * n}")


@CEQL.add(60_000, 900_000)
def long_string(n: int) -> str:
    return query(f"A AS x FILTER x[v = '{'a' * n}']")


@CEQL.add(20_000, 400_000)
def long_string_of_quotes(n: int) -> str:
    return query(f"A AS x FILTER x[v = '{chr(39) * 2 * n}']")


@CEQL.add(60_000, 900_000)
def open_string(n: int) -> str:
    return query(f"A AS x FILTER x[v = '{'a' * n}]")


@CEQL.add(20_000, 400_000)
def open_string_of_quotes(n: int) -> str:
    return query(f"A AS x FILTER x[v = '{chr(39) * 2 * n}]")


@CEQL.add(300, 4_000, 900_000)
def long_number(n: int) -> str:
    return query(f"A AS x FILTER x[v = {'9' * n}]")


@CEQL.add(300, 900_000)
def long_exponent(n: int) -> str:
    return query(f"A AS x FILTER x[v = 1e{'9' * n}]")


@CEQL.add(300, 900_000)
def long_window(n: int) -> str:
    return query("A", end=f"WITHIN {'9' * n} SECONDS")


@CEQL.add(60_000, 900_000)
def long_comment(n: int) -> str:
    return query("A", end=f"/* {'* ' * (n // 2)} */")


@CEQL.add(60_000, 900_000)
def open_comment(n: int) -> str:
    return query("A", end=f"/* {'* ' * (n // 2)}")


@CEQL.add(10_000, 400_000)
def comments(n: int) -> str:
    return "--\n" * (n // 2) + "/**/" * (n // 4) + query("A")


@CEQL.add(10_000, 400_000)
def comments_that_do_not_end(n: int) -> str:
    return query("A", end="/*" * n)


@CEQL.add(60_000, 900_000)
def spaces(n: int) -> str:
    return " " * n + query("A")


@CEQL.add(10_000, 900_000)
def spaces_behind_an_aggregate(n: int) -> str:
    return query("A", select=f"COUNT{' ' * n}x")


@CEQL.add(10_000, 300_000)
def words_like_aggregates(n: int) -> str:
    return query("A", select="COUNT " * n)


# ── slips ────────────────────────────────────────────────────────────────────────────────────────────────
@CEQL.add(20_000, 900_000)
def long_word_for_a_keyword(n: int) -> str:
    return query("A").replace("WHERE", "WHER" + "E" * n)


@CEQL.add(20_000, 900_000)
def long_word_for_a_unit(n: int) -> str:
    return query("A", end=f"WITHIN 9 SECOND{'S' * n}")


@CEQL.add(20_000, 450_000)
def long_word_before_a_slip(n: int) -> str:
    return query(f"{'A' * n} ]")


@CEQL.add(20_000, 450_000)
def long_word_before_a_slip_in_a_condition(n: int) -> str:
    return query(f"A AS x FILTER x[{'a' * n} ]]")


@CEQL.add(20_000, 900_000)
def spaces_before_a_slip(n: int) -> str:
    return query("A ;" + " " * n + "]")


@CEQL.add(20_000, 900_000)
def spaces_before_a_window_slip(n: int) -> str:
    return query("A", end="WITHIN" + " " * n + "SECONDS")


@CEQL.add(20_000, 450_000)
def brackets_before_a_slip(n: int) -> str:
    return query("A AS x FILTER x[v > 1]" + " " * n + "+" + " " * n + "]")


@CEQL.add(1_000, 60_000)
def slip_behind_many_filters(n: int) -> str:
    return query(f"A AS x {lines(n, 'FILTER x[v > #]')} ]")


@CEQL.add(150, 300_000)
def slip_behind_many_brackets(n: int) -> str:
    return query("(" * n + "A ]")


@CEQL.add(150, 300_000)
def closing_brackets(n: int) -> str:
    return query("A" + ")" * n)


@CEQL.add(180, small=60)
def unknown_variable_among_many(n: int) -> str:
    return query(f"{chain(n, 'A AS x#', ' ; ')} FILTER xx7[v > 1]")


@CEQL.add(50, 100, small=20)
def unknown_variable_among_long_names(n: int) -> str:
    return query(" ; ".join(f"A AS {'xy' * 2_000}{i}" for i in range(n)) + f" FILTER {'x' * 4_000}[v > 1]")


@CEQL.add(500, 20_000, small=200)
def unknown_stream_among_many(n: int) -> str:
    return query("t>A", streams=f"FROM {chain(n, 's#', ', ')}")
