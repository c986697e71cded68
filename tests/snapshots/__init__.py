"""Snapshots as bytes: old versions of them, and forged ones."""
