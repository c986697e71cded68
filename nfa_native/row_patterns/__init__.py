"""The evaluator of row patterns: of each start the match that is preferred."""
