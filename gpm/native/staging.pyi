"""Events that are still text as named graphs of one text."""

from collections.abc import Collection

def stage_lines(
    runs: list[bytes], wanted: Collection[bytes] | None, graph: str, labels: list[bytes]
) -> tuple[bytes, bool] | None:
    """The valid N-Quads lines of many events as one text, in which event n is the graph ``<{graph}{n}>``.

    Lines without graph do not count if some lines of their event have one.  Only predicates in ``wanted`` (a set of bytes
    with angle brackets; None: all) are kept.  ``labels[n]`` goes before the blank node labels of event n.  Gives the text
    and whether it has blank nodes; None if there is a triple term, which may hide blank nodes.
    """
