"""Figures as they are printed: costs of an event, and ratios with the bounds that they have to keep."""

from __future__ import annotations


class Figures:
    """Prints figures, and remembers which bounds do not hold."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def title(self, text: str) -> None:
        """A new table."""
        print(f"\n{text}", flush=True)

    def cost(self, name: str, seconds: float) -> None:
        """What one thing costs, of those that a title names."""
        print(f"  {name:<64}{seconds * 1e6:9.2f} µs", flush=True)

    def number(self, name: str, value: float, unit: str) -> None:
        """Any other figure."""
        print(f"  {name:<64}{value:12,.2f} {unit}", flush=True)

    def at_most(self, name: str, value: float, bound: float, unit: str = "times") -> None:
        """A figure that has an upper bound."""
        self._bounded(name, value, unit, f"at most {bound:g}", value <= bound)

    def at_least(self, name: str, value: float, bound: float, unit: str = "times") -> None:
        """A figure that has a lower bound."""
        self._bounded(name, value, unit, f"at least {bound:g}", value >= bound)

    def _bounded(self, name: str, value: float, unit: str, bound: str, holds: bool) -> None:
        if not holds:
            self.missed.append(f"{name}: {value:,.2f} {unit}, {bound}")
        print(f"  {name:<64}{value:12,.2f} {unit}, {bound}{'' if holds else '  MISSED'}", flush=True)
