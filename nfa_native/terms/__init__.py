"""Terms as 64-bit words: interning, decoded values, literals, functions, expression programs."""
