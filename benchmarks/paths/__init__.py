"""Benchmarks of path queries."""
