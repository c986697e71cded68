"""``--config FILE``: options of a command from a file of TOML, and more or others from the command line.

Keys are the long options without dashes, and ``query`` for the files of queries.  All of this is worked out from the
parameters that click knows, so that an option of a command is one of its files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
from click.core import ParameterSource

from spaseq.cli.config_file import ConfigError, ConfigFile
from spaseq.environment import expanded, masked, with_first
from spaseq.errors import OptionError
from spaseq.text import did_you_mean

NAME = "config"  # of the option
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://")
_PATH = re.compile(r"\b(PATH|FILE|DIR|FOLDER|TARGET)\b")  # what stands in place of a path in the help
_GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)


class ConfiguredCommand(click.Command):
    """A command that has the option ``--config``."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        option = click.Option(
            [f"--{NAME}"], metavar="FILE.toml", expose_value=False,
            help="Read options from this file of TOML; those of the command line count more.",
        )  # fmt: skip
        self.params.insert(sum(isinstance(one, click.Argument) for one in self.params), option)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """See ``click.Command``."""
        given, _, _ = self.make_parser(ctx).parse_args(args=[*args])
        path, asks = given.get(NAME), self.get_help_option(ctx)
        if not isinstance(path, str) or (asks and asks.name in given) or ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        config = Config(ConfigFile.read(path), self.params)
        ctx.default_map = config.defaults()
        try:
            found = super().parse_args(ctx, [*config.arguments(given), *args])
        except click.BadParameter as error:
            raise config.located(error, ctx) from None
        for name, values in config.others(given).items():
            ctx.params[name] = (*values, *ctx.params[name])
        return found


def is_given(ctx: click.Context, name: str) -> bool:
    """Whether a parameter is given, on the command line or in the file."""
    return ctx.get_parameter_source(name) in _GIVEN


def key_of(param: click.Parameter) -> str:
    """What a parameter is called in a file."""
    if isinstance(param, click.Argument):
        return (param.metavar or param.name or "").partition(".")[0].lower()
    return next(one for one in param.opts if one.startswith("--")).removeprefix("--")


def is_path(param: click.Parameter) -> bool:
    """Whether a parameter is a path, or has one behind its name."""
    is_file = isinstance(param.type, click.Path) or isinstance(param, click.Argument)
    return is_file or _PATH.search((param.metavar or "").rpartition("=")[2]) is not None


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of a parameter: as click has it, as it is written, and the keys that lead to it.

    ``name``: of an option that is written NAME=VALUE.
    """

    text: Any
    written: str
    keys: tuple[str, ...]
    name: str = ""


class Config:
    """What a file says of the parameters of a command.  ConfigError: it says what there is not, or is wrong."""

    def __init__(self, file: ConfigFile, params: Iterable[click.Parameter]) -> None:
        self._file = file
        self._folder = os.path.dirname(file.path)  # noqa: PTH120  (Path has no trailing slashes)
        known = {key_of(one): one for one in params if one.name != NAME}
        self._params = {param.name or "": param for param in known.values()}
        self._entries: dict[str, list[Entry]] = {}
        for key, value in file.values.items():
            if key not in known:
                raise ConfigError(f"there is no option {key}", file.key(key), hint=did_you_mean(key, known))
            self._entries[known[key].name or ""] = list(self._read(known[key], value, (key,)))

    def defaults(self) -> dict[str, Any]:
        """Values for click, by the names of options."""
        found = dict[str, Any]()
        for name, entries in self._entries.items():
            param = self._params[name]
            if isinstance(param, click.Option) and entries:
                found[name] = [one.text for one in entries] if param.multiple else entries[0].text
        return found

    def arguments(self, given: Mapping[str, Any]) -> list[str]:
        """The arguments, unless some are given."""
        names = (name for name in self._entries if isinstance(self._params[name], click.Argument))
        return [one.text for name in names if not _is_some(given.get(name)) for one in self._entries[name]]

    def others(self, given: Mapping[str, Any]) -> dict[str, list[Any]]:
        """By parameter: what has another NAME than all that are given."""
        found = {}
        for name in self._entries.keys() & given.keys():
            said = given[name] if isinstance(given[name], Sequence) else ()
            named = (one for one in self._entries[name] if one.name)
            found[name] = [one.text for one in named if not any(text.startswith(f"{one.name}=") for text in said)]
        return {name: values for name, values in found.items() if values}

    def located(self, error: click.BadParameter, ctx: click.Context) -> Exception:
        """An error of click, in its place if it is about the file."""
        name = (error.param.name if error.param else None) or ""
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT_MAP:
            return error
        entries = self._entries[name]
        entry = next((one for one in entries if str(one.text) in error.message), entries[0])
        message = masked(error.message, [(entry.written, str(entry.text))])
        return ConfigError(f"{entry.keys[0]}: {message}", self._file.value(*entry.keys, written=entry.written))

    # ── values ───────────────────────────────────────────────────────────────────────────────────────────────
    def _read(self, param: click.Parameter, value: Any, keys: tuple[str, ...]) -> Iterator[Entry]:
        """The values of a parameter."""
        if isinstance(param, click.Option) and param.is_flag:
            if not isinstance(value, bool):
                raise self._wrong(value, keys, "true or false")
            if value:
                yield Entry(param.flag_value is not False, "true", keys)
        elif isinstance(value, dict) and has_names(param):
            yield from self._named(param, value, keys)
        elif isinstance(value, list) and is_repeated(param) and not needs_names(param):
            for one in value:
                yield self._one(param, one, keys)
        else:
            yield self._one(param, value, keys)

    def _named(self, param: click.Parameter, table: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Entry]:
        """Those of NAME=VALUE.  Of a key with dots TOML makes tables in tables: they are one name."""
        for key, value in table.items():
            inner = (*keys, key)
            if isinstance(value, dict):
                yield from self._named(param, value, inner)
                continue
            for one in value if isinstance(value, list) else [value]:
                if not isinstance(one, str if is_path(param) else str | int | float):
                    raise self._wrong(one, inner, "a string", *["a number"] * (not is_path(param)))
                text = one if isinstance(one, str) else str(one).lower()
                name = ".".join(inner[1:])
                yield Entry(f"{name}={self._put_in(param, text, inner)}", f"{name}={text}", inner, name)

    def _one(self, param: click.Parameter, value: Any, keys: tuple[str, ...]) -> Entry:
        """A single value."""
        if needs_names(param):
            name = (param.metavar or "").partition("=")[0]
            raise self._wrong(value, keys, f'a table: [{keys[0]}], then {name} = "…" in each line')
        if isinstance(value, str):
            return Entry(self._put_in(param, value, keys), value, keys)
        number = number_of(param)
        if number is not None and isinstance(value, int | number) and not isinstance(value, bool):
            return Entry(value, str(value), keys)
        kinds = ["a string"] if number is None else ["a whole number" if number is int else "a number"]
        kinds += ["an array of strings"] * is_repeated(param)
        raise self._wrong(value, keys, *kinds, *["a table"] * has_names(param))

    def _put_in(self, param: click.Parameter, text: str, keys: tuple[str, ...]) -> str:
        """A text with variables, which URLs have put in where they are opened; paths are those of the file's folder."""
        if "\0" in text:
            raise ConfigError(f"{'.'.join(keys)} has a null character", self._file.key(*keys))
        if not text and is_path(param):
            raise ConfigError(f"{'.'.join(keys)} is empty", self._file.value(*keys), ("a path",))
        try:
            if is_path(param) and _SCHEME.match(with_first(text)):
                return self._url(text, keys)
            found = expanded(text)
        except ConfigError:
            raise
        except OptionError as error:
            raise ConfigError(str(error), self._file.value(*keys, written=text)) from None
        return self._in_folder(found) if is_path(param) else found

    def _url(self, text: str, keys: tuple[str, ...]) -> str:
        from spaseq.sources.transports.addresses import check_open, in_folder

        try:
            check_open(text)
        except OptionError as error:
            raise ConfigError(str(error), self._file.key(*keys)) from None
        expanded(text)  # says what is not there
        return in_folder(text, self._folder)

    def _in_folder(self, path: str) -> str:
        if path == "-":
            return path
        return os.path.join(self._folder or "." * path.startswith("-"), path)  # noqa: PTH118  (a slash at the end stays)

    def _wrong(self, value: Any, keys: tuple[str, ...], *expected: str) -> ConfigError:
        place = self._file.value(*keys)
        return ConfigError(f"{'.'.join(keys)} is {_kind(value)}", place, expected)


def number_of(param: click.Parameter) -> type[int] | type[float] | None:
    """What numbers a parameter has; None: it is none."""
    kinds = {click.types.IntParamType: int, click.types.FloatParamType: float}
    return next((found for kind, found in kinds.items() if isinstance(param.type, kind)), None)


def is_repeated(param: click.Parameter) -> bool:
    """Whether a parameter may be given several times."""
    return param.nargs == -1 or (isinstance(param, click.Option) and param.multiple)


def has_names(param: click.Parameter) -> bool:
    """Whether a parameter is written NAME=VALUE, or may be."""
    return is_repeated(param) and "=" in (param.metavar or "")


def needs_names(param: click.Parameter) -> bool:
    """Whether it is always written so."""
    return has_names(param) and "[" not in (param.metavar or "")


def _is_some(value: Any) -> bool:
    """Whether arguments are given, as versions of click have it."""
    return isinstance(value, Sequence) and len(value) > 0


def _kind(value: Any) -> str:
    """What a value of TOML is called."""
    kinds = {
        bool: "a truth value",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "an array",
        dict: "a table",
    }
    return next((kind for type_, kind in kinds.items() if isinstance(value, type_)), "a time")
