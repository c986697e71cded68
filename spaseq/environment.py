"""Secrets: variables of the environment in texts (``${NAME}``), put in at the door where a text is used, and files.

What is kept, shown and told is the text as it was written: so nobody sees there what a variable has.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from spaseq.errors import OptionError

_REFERENCE = re.compile(r"\$\$\{|\$\{([^{}]*)(\}?)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHORT = 4  # characters; a shorter value is found in a text only as a word of its own
_LONGEST = 1 << 16  # bytes of a secret in a file


def expanded(text: str, written: Callable[[str], str] = str) -> str:
    """The text with variables put in, each as ``written`` has it; ``$${`` is ``${``.

    OptionError: there is no such variable, or none is named.
    """
    return _REFERENCE.sub(lambda found: "${" if found[0] == "$${" else written(_value(found)), text)


def with_first(text: str) -> str:
    """The text, where it begins with a variable with that put in: a whole URL may be in one.  OptionError."""
    found = _REFERENCE.match(text)
    if found is None or found[0] == "$${":
        return text
    return _value(found).replace("${", "$${") + text[found.end() :]


def is_variable(text: str) -> bool:
    """Whether a text is a variable, and nothing else."""
    found = _REFERENCE.fullmatch(text)
    return found is not None and bool(found[2])


def variables_in(text: str) -> dict[str, str]:
    """What the variables have that a text names, by how they are written there."""
    names = (found[1] for found in _REFERENCE.finditer(text) if found[0] != "$${")
    return {f"${{{name}}}": os.environ[name] for name in names if name in os.environ}


def variable(name: str) -> str:
    """What a variable has.  OptionError: there is none of this name."""
    if name not in os.environ:
        raise OptionError(f"there is no variable {name} in the environment")
    return os.environ[name]


def secret_in(path: Path) -> str:
    """What a file has, without the line end behind it.  OptionError: it cannot be read, or has no text."""
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST + 1)
    except OSError as error:
        raise OptionError(f"cannot read {path}: {error.strerror}") from None
    if len(data) > _LONGEST:
        raise OptionError(f"{path} has more than {_LONGEST:,} bytes, which is no secret")
    try:
        return data.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise OptionError(f"{path} is no text in UTF-8") from None


def masked(text: str, secrets: Iterable[tuple[str, str]]) -> str:
    """A text in which nothing secret stands, but what it is called; ``secrets`` are names and values."""
    for name, value in sorted(secrets, key=lambda one: -len(one[1])):
        if len(value) >= _SHORT:
            text = text.replace(value, name)
        elif value:
            text = name.join(re.split(rf"(?<!\w){re.escape(value)}(?!\w)", text))
    return text


def _value(found: re.Match[str]) -> str:
    """What the variable has.  OptionError: there is none."""
    if not (found[2] and _NAME.fullmatch(found[1])):
        raise OptionError(f"{found[0]} names no variable: write ${{NAME}}, or $${{ for these two characters themselves")
    return variable(found[1])
