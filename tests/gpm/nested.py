"""Texts with triple terms that are nested deep, and what might hide that."""

from __future__ import annotations

OPEN, CLOSE = "<<( <urn:s> <urn:p> ", " )>>"


def deep(levels: int) -> str:
    """A triple term of so many levels."""
    return OPEN * levels + "<urn:o>" + CLOSE * levels


def tricks(levels: int) -> dict[str, str]:
    """Texts with such a term, each with something before or around it that a scan may take for something else."""
    term = deep(levels)
    return {
        "none": f"<urn:s> <urn:p> {term} .",
        "an escape in an IRI": f"<urn:\\u0061#x> <urn:p> {term} .",
        "an escaped hash in a name": f"@prefix p: <urn:> . p:a\\#b p:c {term} .",
        "an escaped quote in a name": f"@prefix p: <urn:> . p:a\\'b p:c {term} , 'x' .",
        "an escaped quote in a string": f'<urn:s> <urn:p> "\\"" , {term} , "\\"" .',
        "a backslash at the end of a string": f'<urn:s> <urn:p> "\\\\" , {term} , "\\\\" .',
        "a hash in a string": f'<urn:s> <urn:p> "#" , {term} .',
        "a hash in an IRI": f"<urn:s#a> <urn:p> {term} .",
        "single quotes": f"""<urn:s> <urn:p> '"' , {term} , '"' .""",
        "a long string with a quote": f'<urn:s> <urn:p> """"x""" , {term} , """ """ .',
        "a long string with two": f"<urn:s> <urn:p> '''''x''' , {term} , ''' ''' .",
        "a long string with an escaped quote": f'<urn:s> <urn:p> """\\"""" , {term} , """x""" .',
        "an empty long string": f"<urn:s> <urn:p> '''''' , {term} , '''''' .",
        "an empty string": f"<urn:s> <urn:p> '' , {term} , '' .",
        "a comment that a carriage return ends": f"# '\r<urn:s> <urn:p> {term} . # '",
        "a quote in a comment": f'# """ \' <\n<urn:s> <urn:p> {term} . # """ \' >',
        "no blanks": f"<urn:s><urn:p>{term.replace(' ', '')}.",
        "lines": f"<urn:s> <urn:p> {term} .".replace(" ", "\r\n"),
        "comments between": f"<urn:s> <urn:p> {term} .".replace(" ", ' # " <<\n'),
        "a string without its end, elsewhere": f'<urn:s> <urn:p> "x .\n<urn:s> <urn:p> {term} .',
        "an IRI without its end, elsewhere": f"<urn:s> <urn:p> <x .\n<urn:s> <urn:p> {term} .",
        "a string without its end, before": f'<urn:s> <urn:p> " {term} .',
        "a long string without its end": f'<urn:s> <urn:p> ("""x" {term}) .',
        "no UTF-8": f"<urn:s> <urn:p> 'ä' , {term} .".replace("ä", "\udce4"),
        "a byte order mark": f"\ufeff<urn:s> <urn:p> {term} .",
    }
