"""SPAseq beside other engines for complex events: the same queries on the same events, matches compared."""
