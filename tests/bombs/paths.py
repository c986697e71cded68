"""Path queries that ask too much of who reads them."""

from __future__ import annotations

from tests.bombs.bomb import Bombs, chain, lines, nested

PATHS = Bombs("paths")


@PATHS.add(1_000, 19_000)
def steps(n: int) -> str:
    return f"QUERY q {chain(n, ':p#', '/')}"


@PATHS.add(1_000, 19_000)
def alternatives(n: int) -> str:
    return f"QUERY q {chain(n, '^:p#', '|')}"


@PATHS.add(1_000, 6_000)
def steps_that_are_alternatives(n: int) -> str:
    return f"QUERY q {chain(n, '(:p|^:q#)', '/')}"


@PATHS.add(1_000, 12_000)
def predicates_left_out(n: int) -> str:
    return f"QUERY q !({chain(n, '^:p#', '|')})"


@PATHS.add(95, 10_000)
def inverses(n: int) -> str:
    return f"QUERY q {nested(n, '^(', ':p/:q', ')')}"


@PATHS.add(95, 10_000)
def brackets(n: int) -> str:
    return f"QUERY q {nested(n, '(', ':p', ')')}"


@PATHS.add(1_000, 900_000)
def open_brackets(n: int) -> str:
    return "QUERY q " + "(" * n


@PATHS.add(95, 5_000)
def repetitions_in_each_other(n: int) -> str:
    return f"QUERY q ANY {nested(n, '(', ':p', '){0,1000}')}"


@PATHS.add(95, 5_000)
def kleenes_in_each_other(n: int) -> str:
    return f"QUERY q ALL TRAIL {nested(n, '(', ':p', '*)+')}"


@PATHS.add(1_000, 9_000)
def kleenes_under_all_walk(n: int) -> str:
    return f"QUERY q ALL {chain(n, ':p#?', '/')}/:p*"


@PATHS.add(500, 4_000)
def conditions(n: int) -> str:
    return f"QUERY q {chain(n, '[?x: ?x != #]', '/')}"


@PATHS.add(150, 19_000)
def condition_with_a_chain(n: int) -> str:
    return f"QUERY q [?x: {chain(n, '?x', ' + ')} > 1]"


@PATHS.add(1_000, 19_000)
def condition_with_a_list(n: int) -> str:
    return f"QUERY q [?x: ?x IN ({chain(n, '#', ', ')})]"


@PATHS.add(1_000, 6_000)
def queries(n: int) -> str:
    return lines(n, "QUERY q# FROM :a# ALL TRAIL :p")


@PATHS.add(1_000, 9_000)
def declarations(n: int) -> str:
    return lines(n, "PREFIX p#: <http://x/#>") + "\nQUERY q p0:a/p:a"


@PATHS.add(1_000, 9_000)
def nodes(n: int) -> str:
    return f"QUERY q FROM {chain(n, '<urn:a#>', ', ')} :p"


@PATHS.add(1_000, 9_000)
def equal_nodes(n: int) -> str:
    return "QUERY q FROM " + chain(n, "LABEL 'a'", ", ") + " :p"


@PATHS.add(1_000, 9_000)
def nodes_without_commas(n: int) -> str:
    return f"QUERY q FROM {chain(n, '<urn:a#>', ', ')} <urn:b> TO <urn:d> :p"


@PATHS.add(10_000, 400_000)
def commas(n: int) -> str:
    return "QUERY q FROM <urn:a> " + ", " * n + " TO"


@PATHS.add(10_000, 150_000)
def comments_behind_a_full_stop(n: int) -> str:
    return "QUERY q :p . " + "# # " * n + "\n" + "# \n" * n + "x"


@PATHS.add(60_000, 900_000)
def spaces_before_a_slip(n: int) -> str:
    return "QUERY q" + " " * n + "%"


@PATHS.add(60_000, 900_000)
def comment_alone(n: int) -> str:
    return "#" * n


@PATHS.add(10_000, 200_000)
def words_of_the_language(n: int) -> str:
    return "QUERY " * n


@PATHS.add(60_000, 900_000)
def long_label(n: int) -> str:
    return f'QUERY q FROM LABEL "{"a" * n}" :p'


@PATHS.add(60_000, 900_000)
def open_label(n: int) -> str:
    return f'QUERY q FROM LABEL "{"a" * n} :p'


@PATHS.add(60_000, 900_000)
def long_name(n: int) -> str:
    return f"QUERY {'q' * n} :p/"


@PATHS.add(60_000, 900_000)
def long_number(n: int) -> str:
    return f"QUERY q ANY {'9' * n} :p"


@PATHS.add(1_000, 15_000, small=100)
def long_prefix_that_is_used_often(n: int) -> str:
    return f"PREFIX : <http://x/{'a' * 60_000}>\nQUERY q {chain(n, ':p#', '|')}"


@PATHS.add(100, 1_000)
def long_base_that_is_used_often(n: int) -> str:
    return f"BASE <http://x/{'a/' * 30_000}>\nQUERY q {chain(n, '<../p#>', '|')}"
