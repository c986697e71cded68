"""Measurements, run by ``make bench``: every figure beside a baseline of the same run, never a test."""
