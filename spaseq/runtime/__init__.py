"""What streams, whatever the data are: events in order of time, promises, results, and runs over whole streams."""

from spaseq.runtime.engine import Engine

__all__ = ["Engine"]
