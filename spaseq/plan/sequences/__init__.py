"""From a query over graph patterns to the automaton that a matcher runs."""

from spaseq.plan.sequences.plan import Plan, compile_atom, compile_plan

__all__ = ["Plan", "compile_atom", "compile_plan"]
