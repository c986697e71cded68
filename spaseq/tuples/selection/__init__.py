"""Queries that select events: the lane ``events``, and its results as record batches."""
