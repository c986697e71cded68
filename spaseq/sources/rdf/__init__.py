"""Streams of RDF graphs: their formats, and events as columns of encoded terms."""
