"""Streams of RDF in files as a data source of Spark."""
