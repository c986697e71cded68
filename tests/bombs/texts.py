"""Long tokens, and slips where they cost the most, in SPAseq."""

from __future__ import annotations

from tests.bombs.bomb import Bombs, chain, lines
from tests.bombs.patterns import TRIPLE, query as pattern
from tests.bombs.sequences import gpms, query

TEXTS = Bombs("spaseq")


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────
@TEXTS.add(60_000, 900_000)
def long_iri(n: int) -> str:
    return pattern(f"?s <http://x/{'a' * n}> ?o")


@TEXTS.add(10_000, 150_000)
def long_iri_of_escapes(n: int) -> str:
    return pattern(f"?s <http://x/{chr(92) + 'u0061'}{(chr(92) + 'u0061') * n}> ?o")


@TEXTS.add(60_000, 900_000)
def open_iri(n: int) -> str:
    return pattern(f"?s <http://x/{'a' * n} ?o")


@TEXTS.add(60_000, 900_000)
def long_string(n: int) -> str:
    return pattern(f"?s ex:p '{'a' * n}'")


@TEXTS.add(30_000, 450_000)
def long_string_of_escapes(n: int) -> str:
    return pattern(f"?s ex:p '{chr(92) + 'n'}{(chr(92) + 'n') * n}'")


@TEXTS.add(20_000, 300_000)
def long_string_of_quotes(n: int) -> str:
    return pattern(f'?s ex:p """{"a" + chr(34)}{("a" + chr(34)) * n} """')


@TEXTS.add(60_000, 900_000)
def open_string(n: int) -> str:
    return pattern(f"?s ex:p '{'a' * n}")


@TEXTS.add(20_000, 300_000)
def open_long_string(n: int) -> str:
    return pattern(f'?s ex:p """{("a" + chr(34)) * n}')


@TEXTS.add(1_000, 400_000)
def open_quotes(n: int) -> str:
    return pattern("?s ex:p " + "'''" + '"' * n)


@TEXTS.add(1_000, 100_000)
def strings_in_a_row(n: int) -> str:
    return pattern(f"?s ex:p {chain(n, chr(39) * 2, ', ')}") if n > 128 else pattern("?s ex:p ''")


@TEXTS.add(60_000, 900_000)
def long_variable(n: int) -> str:
    return pattern(f"?s ex:p ?{'a' * n}")


@TEXTS.add(1_000, 15_000, small=100)
def long_prefix_that_is_used_often(n: int) -> str:
    values = chain(n, "x:a#", " ")
    return f"PREFIX x: <http://x/{'a' * 60_000}>\n{pattern(f'VALUES ?o {{ {values} }}')}"


@TEXTS.add(60_000, 900_000)
def long_prefixed_name(n: int) -> str:
    return pattern(f"?s ex:{'a' * n} ?o")


@TEXTS.add(60_000, 900_000)
def long_prefixed_name_of_dots(n: int) -> str:
    return pattern(f"?s ex:a{'.' * n} ?o")


@TEXTS.add(20_000, 300_000)
def long_prefixed_name_of_escapes(n: int) -> str:
    return pattern(f"?s ex:{'%61' * n} ?o")


@TEXTS.add(60_000, 900_000)
def long_prefix(n: int) -> str:
    name = "a" * (n // 2)
    return pattern(f"?s {name}:p ?o", prologue=f"PREFIX {name}: <http://y/>\n")


@TEXTS.add(60_000, 900_000)
def long_undeclared_prefix(n: int) -> str:
    return pattern(f"?s {'a' * n}:p ?o")


@TEXTS.add(60_000, 900_000)
def long_blank_node(n: int) -> str:
    return pattern(f"_:{'a' * n} ex:p ?o")


@TEXTS.add(60_000, 900_000)
def long_blank_node_of_dots(n: int) -> str:
    return pattern(f"_:a{'.' * n} ex:p ?o")


@TEXTS.add(60_000, 900_000)
def long_language(n: int) -> str:
    return pattern(f"?s ex:p 'x'@{'a' * n}")


@TEXTS.add(30_000, 450_000)
def long_language_of_parts(n: int) -> str:
    return pattern(f"?s ex:p 'x'@a{'-b' * n}")


@TEXTS.add(4_000, 60_000, 900_000)
def long_number(n: int) -> str:
    return pattern(f"?s ex:p ?o FILTER(?o > {'1' * n})")


@TEXTS.add(4_000, 60_000, 900_000)
def long_decimal(n: int) -> str:
    return pattern(f"?s ex:p ?o FILTER(?o > 0.{'1' * n})")


@TEXTS.add(18, 4_000, 900_000)
def long_exponent(n: int) -> str:
    return pattern(f"?s ex:p ?o FILTER(?o > 1e{'9' * n})")


@TEXTS.add(4_000, 900_000)
def long_window(n: int) -> str:
    return query("A", within=f"WITHIN {'9' * n} SECONDS")


@TEXTS.add(4_000, 900_000)
def long_bound(n: int) -> str:
    return query(f"A{{{'9' * n}}}")


@TEXTS.add(60_000, 900_000)
def long_name(n: int) -> str:
    name = "A" * (n // 2)
    return query(name, f"DEFINE GPM {name} ON s {{ ?s ex:p ?a }}")


@TEXTS.add(60_000, 900_000)
def long_function(n: int) -> str:
    return pattern(f"?s ex:p ?o FILTER({'A' * n}(?o))")


@TEXTS.add(60_000, 900_000)
def long_comment(n: int) -> str:
    return query("A") + "#" * n


@TEXTS.add(10_000, 450_000)
def comments(n: int) -> str:
    return "#\n" * n + query("A")


@TEXTS.add(1_000, 450_000)
def comments_in_quantifiers(n: int) -> str:
    return query("A ;" + "#\n" * n + "+")


@TEXTS.add(1_000, 900_000)
def spaces_in_quantifiers(n: int) -> str:
    return query("A ;" + " " * n + "+")


@TEXTS.add(1_000, 450_000)
def comments_that_end_in_no_quantifier(n: int) -> str:
    return query("A ;" + "#\n" * n + "B")


@TEXTS.add(60_000, 1_000_000)
def spaces(n: int) -> str:
    return " " * n + query("A")


@TEXTS.add(60_000, 1_000_000)
def line_ends(n: int) -> str:
    return query("A") + "\n" * n


@TEXTS.add(1_000, 900_000)
def spaces_after_from(n: int) -> str:
    return query("A", streams="FROM" + " " * n + "STREAM s <http://x/s>")


@TEXTS.add(1_000, 900_000)
def nothing_but_spaces(n: int) -> str:
    return " " * n


@TEXTS.add(1_000, 900_000)
def nothing_but_one_word(n: int) -> str:
    return "a" * n


@TEXTS.add(1_000, 900_000)
def nothing_but_signs(n: int) -> str:
    return "?" * n


@TEXTS.add(2_000_000, small=1_048_577)
def beyond_the_bound_of_all(n: int) -> str:
    return query("A") + " " * n


# ── slips ────────────────────────────────────────────────────────────────────────────────────────────────
@TEXTS.add(20_000, 900_000)
def long_word_for_a_keyword(n: int) -> str:
    return query("A", select=f"SELEC{'T' * n} *")


@TEXTS.add(20_000, 900_000)
def long_word_for_a_unit(n: int) -> str:
    return query("A", within=f"WITHIN 9 SECOND{'S' * n}")


@TEXTS.add(20_000, 900_000)
def long_word_in_seq(n: int) -> str:
    return query(f"A {'B' * n}")


@TEXTS.add(20_000, 900_000)
def long_word_after_not(n: int) -> str:
    return query(f"NOT {'B' * n}")


@TEXTS.add(20_000, 450_000)
def long_word_of_dots(n: int) -> str:
    return pattern(f"?s ex:p ?o FILTER({'a.' * n}a > 1)")


@TEXTS.add(20_000, 450_000)
def long_word_before_a_slip(n: int) -> str:
    return query(f"{'A' * n} ; ; B")


@TEXTS.add(20_000, 900_000)
def spaces_before_a_slip(n: int) -> str:
    return query("A ;" + " " * n + "; B")


@TEXTS.add(20_000, 450_000)
def spaces_before_a_window_slip(n: int) -> str:
    return query("A", within="WITHIN" + " " * n + "SECONDS") + "WITHIN" + " " * n


@TEXTS.add(1_000, 100_000)
def words_before_a_slip(n: int) -> str:
    return query("A", within="WITHIN 9 SECONDS " * min(n, 1) + "WITHIN " * n)


@TEXTS.add(1_000, 100_000)
def havings_before_a_slip(n: int) -> str:
    return query("A", end="#" + "HAVING " * n + "\nHAVING (COUNT(*) > 1) )")


@TEXTS.add(1_000, 100_000)
def slip_behind_many_triples(n: int) -> str:
    return pattern(lines(min(n, 30_000), "?s ex:p# ?o .") + " ?s ex:p }")


@TEXTS.add(1_000, 60_000)
def slip_behind_many_gpms(n: int) -> str:
    return query("A", gpms(min(n, 18_000))) + ")"


@TEXTS.add(150, 100_000)
def slip_behind_many_brackets(n: int) -> str:
    return pattern(TRIPLE + "FILTER(" + "(" * n + "?o")


@TEXTS.add(150, 100_000)
def slip_behind_many_braces(n: int) -> str:
    return pattern("{" * n + TRIPLE + "]")


@TEXTS.add(150, 100_000)
def slip_behind_many_signs(n: int) -> str:
    return pattern(f"{TRIPLE} FILTER({'?o + ' * n})")


@TEXTS.add(150, 100_000)
def closing_brackets(n: int) -> str:
    return query("A" + ")" * n)


@TEXTS.add(500, 4_000, 18_000)
def unknown_gpm_among_many(n: int) -> str:
    return query("B7", gpms(n))


@TEXTS.add(50, 200, small=20)
def unknown_gpm_among_long_names(n: int) -> str:
    return query("B" * 4_000, "\n".join(f"DEFINE GPM {'AB' * 2_000}{i} ON s {{ ?s ex:p ?v }}" for i in range(n)))


@TEXTS.add(500, 10_000, small=200)
def unknown_stream_among_many(n: int) -> str:
    streams = "FROM STREAM s <http://x/s>\n" + lines(n, "FROM STREAM s# <http://x/s#>")
    return query("A", "DEFINE GPM A ON t7 { ?s ex:p ?a }", streams=streams)


@TEXTS.add(500, 10_000, small=200)
def undeclared_prefix_among_many(n: int) -> str:
    return lines(n, "PREFIX p#: <http://x/#/>") + "\n" + query("A", "DEFINE GPM A ON s { ?s q7:p ?a }")


@TEXTS.add(500, 4_000, 20_000, small=200)
def unbound_results(n: int) -> str:
    return query("A ; B", select=f"SELECT {chain(n, '?x#', ' ')}")


@TEXTS.add(100, 4_000, small=50)
def unbound_results_among_many_variables(n: int) -> str:
    wide = " ".join(f"?s ex:p{k} ?v{k} ." for k in range(120))
    return query("A", f"DEFINE GPM A ON s {{ {wide} }}", select=f"SELECT {chain(n, '?v1#x', ' ')}")


@TEXTS.add(500, 10_000, small=200)
def filters_that_never_hold(n: int) -> str:
    return query("A", f"DEFINE GPM A ON s {{ ?s ex:p ?a {lines(n, 'FILTER(?a > ?x#)')} }}")


@TEXTS.add(500, 20_000, small=200)
def comparisons_with_texts(n: int) -> str:
    return pattern(TRIPLE + "".join(f"FILTER(?o > '{i}')" for i in range(n)))


@TEXTS.add(1_000, 20_000, small=200)
def unknown_functions(n: int) -> str:
    return pattern(TRIPLE + " ".join(f"FILTER(CONTAIN{i}(?o))" for i in range(n)))


@TEXTS.add(1_000, 300_000, small=200)
def commas_between_results(n: int) -> str:
    return query("A", select=f"SELECT ?a{', ?a' * n}")
