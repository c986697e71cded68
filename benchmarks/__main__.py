"""``make bench``: all benchmarks."""

from __future__ import annotations

from benchmarks import memory, rows, v_shape

if __name__ == "__main__":
    v_shape.main()
    print()
    rows.main(100_000)
    print()
    memory.main()
