"""Aggregates by totals of partial matches: the evaluator ``events``, by a semiring."""
