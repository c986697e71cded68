"""Columns of tuples: their types, numbers with NULLs, and predicates on whole batches of them."""
