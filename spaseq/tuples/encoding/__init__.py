"""What the kernel reads of tuples: times, symbols, partitions, and values for registers and conditions."""
