"""The language of row patterns."""
