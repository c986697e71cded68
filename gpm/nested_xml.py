"""What RDF/XML may not be nested in for pyoxigraph: elements cost time by the square, triple terms overflow its stack.

expat reads the text first.  Where it stops because the text is not well-formed, every ``parseType`` behind that place
counts as one more triple term; a bracket of the document's type declaration counts as an element.  So the bounds hold
if pyoxigraph reads such text differently.
"""

from __future__ import annotations

from xml.parsers import expat

DEEPEST_ELEMENTS = 1000
DEEPEST_TERMS = 100
TOO_DEEP_ELEMENTS = f"elements are nested more than {DEEPEST_ELEMENTS:,} deep"
TOO_DEEP_TERMS = f"triple terms are nested more than {DEEPEST_TERMS} deep"
TOO_LARGE = "entities stand for too much text"
_AMPLIFIED = "limit on input amplification factor"


def check_xml(text: bytes) -> None:
    """SyntaxError: elements, triple terms or entities in each other that are too many for pyoxigraph."""
    if b"<!ENTITY" in text or text.count(b"<") > DEEPEST_TERMS:
        _Depth(text).check()


class _Depth:
    """Reads a document and knows how deep it is."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._start_type
        self._parser.EndDoctypeDeclHandler = self._end_type
        self._open: list[bool] = []  # elements; whether a triple term is in each
        self._terms = 0  # of these
        self._declared = 0  # where the type declaration begins, then the brackets in it

    def check(self) -> None:
        try:
            self._parser.Parse(self._text, True)
        except expat.ExpatError as error:
            if _AMPLIFIED in str(error):
                raise SyntaxError(TOO_LARGE) from None
            self._check(0, self._text.count(b"parseType", max(0, self._parser.ErrorByteIndex)))

    def _start(self, _name: str, attributes: dict[str, str]) -> None:
        is_term = any(name.endswith("parseType") and "Triple" in value for name, value in attributes.items())
        self._open.append(is_term)
        self._terms += is_term
        self._check(self._declared, 0)

    def _end(self, _name: str) -> None:
        self._terms -= self._open.pop()

    def _start_type(self, *_parts: object) -> None:
        self._declared = self._parser.CurrentByteIndex

    def _end_type(self) -> None:
        self._declared = self._text.count(b"<", self._declared, self._parser.CurrentByteIndex)

    def _check(self, more_elements: int, more_terms: int) -> None:
        if self._terms + more_terms > DEEPEST_TERMS:
            raise SyntaxError(TOO_DEEP_TERMS)
        if len(self._open) + more_elements > DEEPEST_ELEMENTS:
            raise SyntaxError(TOO_DEEP_ELEMENTS)
