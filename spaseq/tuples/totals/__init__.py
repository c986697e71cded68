"""Aggregates by totals of partial matches: the lane ``counts``."""
