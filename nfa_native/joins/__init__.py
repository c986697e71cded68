"""The evaluator of graph patterns: events come as rows of solution mappings, which a partial match is joined with."""
