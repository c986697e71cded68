"""Formulas of complex event logic over tuples, what CEQL compiles to: queries, and what they ask of events."""
