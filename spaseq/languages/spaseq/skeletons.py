"""What is a constant in a text of SPAseq, for its skeleton."""

from __future__ import annotations

import re

from spaseq.languages import skeletons
from spaseq.languages.skeletons import Skeleton

# What is looked at from left to right: comments, strings (with a language or datatype), IRIs, variables, prefixed and
# other names, numbers.  All else stays as it is, also what may be an IRI, or ``<`` and ``>``.
_NAME = r"[A-Za-z_][\w-]*"
_PREFIXED = rf"(?:{_NAME})?:[\w:%-]+(?:\.+[\w:%-]+)*"
_IRI = r"<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|^`\\?&()!=]*>"
_LONG = r"""\"\"\"(?:"{0,2}(?:[^"\\]|\\.))*\"\"\"|'''(?:'{0,2}(?:[^'\\]|\\.))*'''"""
_SHORT = r"""\"(?:[^"\\\n\r]|\\.)*\"|'(?:[^'\\\n\r]|\\.)*'"""
_TOKEN = re.compile(
    rf"(?P<comment>\#[^\n]*)"
    rf"|(?P<string>(?:{_LONG}|{_SHORT})(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^(?:{_IRI}|{_PREFIXED}))?)"
    rf"|(?P<iri>{_IRI})"
    r"|(?P<other><[^\s<>\"{}|^`]*>|\\.)"
    rf"|(?P<variable>[?$]\w+)"
    rf"|(?P<prefixed>{_PREFIXED})"
    rf"|(?P<name>{_NAME})"
    rf"|(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)",
    re.DOTALL,
)
_CUT = {"string": '"', "iri": "<", "prefixed": "<", "number": "1"}  # what is cut out, and what marks its place


def cut(text: str) -> tuple[Skeleton, tuple[str, ...]]:
    """The skeleton of a text, and its constants: strings, IRIs, prefixed names and numbers."""
    return skeletons.cut(text, _TOKEN, _CUT)
