"""SPARQL 1.1 Query Results XML, written as a stream."""

from __future__ import annotations

import re
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from spaseq.errors import SpaseqError
from spaseq.results.formats.writer import Layout
from spaseq.results.table import MatchTable
from spaseq.results.terms import Value

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REFERENCED = re.compile("[\x7f-\x9f]")
_DIRECTION = ' xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0" its:dir='
_KEEP = {"\r": "&#13;"}  # a parser would read a bare carriage return as a line feed


class XmlWriter:
    """``application/sparql-results+xml``.  SpaseqError for control characters, which XML 1.0 cannot carry."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        output.write('<?xml version="1.0"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">\n<head>')
        output.writelines(f"<variable name={quoteattr(name)}/>" for name in layout.columns)
        output.write("</head>\n<results>\n")

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        for index in range(len(table)):
            bindings = (
                f"<binding name={quoteattr(name)}>{_term(value)}</binding>"
                for name, value in table.row(index)
                if value is not None
            )
            self._output.write(f"<result>{_referenced(''.join(bindings))}</result>\n")

    def close(self) -> None:
        """End the document."""
        self._output.write("</results>\n</sparql>\n")


def _referenced(text: str) -> str:
    """Markup in which DEL and C1, which XML has, are given by their numbers."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _REFERENCED.sub(lambda found: f"&#x{ord(found[0]):X};", text)


def _term(value: Value) -> str:
    found = _NOT_IN_XML.search(value.text)
    if found:
        raise SpaseqError(f"XML cannot carry the character U+{ord(found[0]):04X} of a result; use another format")
    if value.kind == "triple":
        return "<triple>" + "".join(f"<{n}>{_term(part)}</{n}>" for n, part in value.parts().items()) + "</triple>"
    return f"<{value.kind}{_attributes(value)}>{escape(value.text, _KEEP)}</{value.kind}>"


def _attributes(value: Value) -> str:
    if value.language:
        tag, _, direction = value.language.partition("--")
        return f" xml:lang={quoteattr(tag)}" + (_DIRECTION + quoteattr(direction) if direction else "")
    return f" datatype={quoteattr(value.datatype)}" if value.datatype else ""
