"""The evaluator of paths: walks over the edges of a graph, led by the automaton of an expression."""
