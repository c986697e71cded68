"""Graph patterns over RDF events: SPARQL 1.1 patterns in, rows of words out."""
