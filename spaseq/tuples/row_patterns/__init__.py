"""Queries for row patterns on tables: what is asked of rows, the matches, and what these tell."""
