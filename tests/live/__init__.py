"""What needs servers of others, on loopback: ``make check-live``."""
