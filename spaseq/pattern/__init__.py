"""The pattern algebra: what languages compile to, and all that the planner sees.  No text positions here.

``sequences`` are those of graph patterns (SPAseq), ``formulas`` those of complex event logic (CEQL), ``paths`` those of
regular path queries.
"""
