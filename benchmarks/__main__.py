"""``make bench``: all benchmarks."""

from __future__ import annotations

from benchmarks import knowledge, memory, rows, v_shape

if __name__ == "__main__":
    v_shape.main()
    print()
    rows.main(100_000)
    print()
    knowledge.main()
    print()
    memory.main()
