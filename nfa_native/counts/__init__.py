"""The lanes that count and add up matches without making them."""
