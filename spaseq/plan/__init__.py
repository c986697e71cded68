"""From a checked query to the automaton that a matcher runs."""

from spaseq.plan.plan import Plan, compile_atom, compile_plan

__all__ = ["Plan", "compile_atom", "compile_plan"]
