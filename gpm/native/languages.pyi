"""Which language tags are well-formed (BCP 47)."""

def valid_language(tag: bytes) -> bool:
    """Whether subtags of letters and digits, separated by single hyphens, are a well-formed tag."""
