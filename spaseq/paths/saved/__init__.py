"""Graphs in files that are used where they lie: nothing of them is read before somebody looks at it."""
