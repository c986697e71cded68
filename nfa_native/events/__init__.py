"""The evaluator of plain tuples: events come as symbols, the sets of atoms that they match."""
