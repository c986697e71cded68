"""Characters of RDF's line formats: classes of bytes, code points in UTF-8, escapes, and what a label may consist of."""

def unescaped(text: bytes) -> bytes:
    """Text whose escapes are valid without them."""
