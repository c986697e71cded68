"""Which character strings are absolute IRIs (RFC 3987)."""

def valid_iri(text: bytes) -> bool:
    """Whether UTF-8 text is an absolute IRI, percent signs and IP addresses in brackets included."""
