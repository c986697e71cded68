"""Queries that select events: the evaluator ``events``, and its results as record batches."""
