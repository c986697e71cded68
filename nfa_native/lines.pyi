"""A quick look at N-Quads: which blocks are so plain that nobody needs to check them again."""

from collections.abc import Collection

def plain_runs(block: bytes) -> list[tuple[bytes, int, bytes]] | None:
    """The runs of a block of N-Quads lines as ``(graph, statements, lines)``, or None if it needs a closer look.

    In a plain block every line is certainly valid (blank lines and comments count as such), except that its bytes may
    be no UTF-8.  ``graph`` is the name as written, empty for the default graph; ``lines`` are the run's bytes.
    """

def stage_lines(
    runs: list[bytes], wanted: Collection[bytes] | None, graph: str, labels: list[bytes]
) -> tuple[bytes, bool]:
    """The plain lines of many graphs as one text, in which graph n is called ``<{graph}{n}>``.

    Only predicates in ``wanted`` (a set of bytes with angle brackets; None: all) are kept.  ``labels[n]`` goes before the
    blank node labels of graph n.  Returns the text and whether it has blank nodes.
    """
