"""Queries that aggregate over matches, by totals as long as these can tell, else by enumeration."""
