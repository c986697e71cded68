"""What ``spaseq spark`` is made of."""
