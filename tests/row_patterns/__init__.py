"""Row patterns below SQL: automata of positions and the evaluator, compared with the ways that a pattern has."""
