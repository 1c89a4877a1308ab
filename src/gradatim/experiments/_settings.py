"""Fill an experiment's settings from words on the command line, by the types of its fields."""

import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from gradatim.errors import GradatimError, InvalidType, InvalidValue, choose, require
from gradatim.wording import shorten

SettingsT = TypeVar("SettingsT")
SHARES = ("_fraction", "_share")
MOST = 1_000_000_000  # of anything that is counted
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def override(owner: str, settings: SettingsT, overrides: Mapping[str, str]) -> SettingsT:
    """Return ``settings`` with some fields replaced by values parsed from text.

    Args:
        owner: Who asks, for messages.
        settings: A dataclass with fields of type int, float, str, bool, tuple, ``Literal``, or one of
            these or ``None``.
        overrides: Text by field name: ``{"lr": "0.1", "sizes": "64,32", "norm": "none"}``.

    Example:
        >>> @dataclasses.dataclass(frozen=True)
        ... class Settings:
        ...     seed: int = 0
        ...     sizes: tuple[int, ...] = (2, 1)
        >>> override("xor", Settings(), {"sizes": "2,4,1"})
        Settings(seed=0, sizes=(2, 4, 1))
    """
    fields = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}  # type: ignore[arg-type]
    hints = get_type_hints(type(settings))
    values = {}
    for key, text in overrides.items():
        name = choose(owner, "setting", key.replace("-", "_"), fields)
        try:
            values[name] = _parse(hints[name], text.strip(), fields[name])
        except _Refused as refused:
            raise InvalidValue(
                f"{owner}: {name} must be {refused}, got {text!r}. "
                f"Try {name}={_text(fields[name])}."
            ) from None
    return dataclasses.replace(settings, **values)  # type: ignore[type-var]


def check_changes(owner: str, settings: Any, changed: Any) -> None:
    """Refuse changed settings that no experiment can mean: counts below 1, numbers that are not finite.

    Args:
        owner: Who asks, for messages.
        settings: The settings before; a count is a whole number from 1 there.
        changed: The settings after.
    """
    for field in dataclasses.fields(settings):
        before, after = getattr(settings, field.name), getattr(changed, field.name)
        if before == after or field.name == "seed":
            continue
        rule = f"{owner}: {field.name} must be "
        for value, usual in _pairs(after, before):
            if isinstance(value, float):
                require(math.isfinite(value), f"{rule}finite", value)
                is_share = field.name.endswith(SHARES)
                require(not is_share or 0.0 < value < 1.0, f"{rule}between 0 and 1", value)
            elif type(value) is int and type(usual) is int and usual >= 1:
                remedy = f"Try {field.name}={_text(before)}."
                require(1 <= value <= MOST, f"{rule}from 1 to {MOST:,}", value, remedy)


@contextmanager
def blame_changes(owner: str, settings: Any, changed: Any) -> Iterator[None]:
    """Say which changed numbers an experiment ended with, unless what it raises names one or has another cause.

    Settings of its author do not fail, whatever the seed, nor do the choices it offers in words; an error under them is one of
    the experiment, and passes as it is.

    Args:
        owner: The experiment, for messages.
        settings: The settings before.
        changed: The settings after.
    """
    try:
        yield
    except (ImportError, OSError):  # a missing library, file or data set
        raise
    except Exception as error:
        usual, new = dataclasses.asdict(settings), dataclasses.asdict(changed)
        names = [n for n in new if new[n] != usual[n] and n != "seed" and _is_number(new[n])]
        is_said = isinstance(error, GradatimError) and any(_is_word(name, error) for name in names)
        if is_said or not names:
            raise
        got, remedy = (
            " ".join(f"{name}={_text(values[name])}" for name in names) for values in (new, usual)
        )
        kind = "" if isinstance(error, GradatimError) else f"{type(error).__name__}: "
        reason = shorten(" ".join(f"{kind}{error}".split()), 200).removesuffix(".")
        raise InvalidValue(
            f"{owner}: settings must allow the experiment, got {got} ({reason}). Try {remedy}."
        ) from error


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | tuple) and not isinstance(value, bool)


def _is_word(name: str, error: Exception) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", str(error)) is not None


def _pairs(after: object, before: object) -> list[tuple[object, object]]:
    """Every value beside the least one that stood in its place."""
    if not isinstance(after, tuple):
        return [(after, before)]
    least = min(before) if isinstance(before, tuple) and before else None
    return [(value, least) for value in after]


class _Refused(Exception):
    """What the text should have been."""


def _parse(kind: Any, text: str, default: object) -> Any:
    origin = get_origin(kind)
    if kind is tuple or origin is tuple:
        return _parse_tuple(get_args(kind), text, default)
    if origin in (Union, UnionType):
        return _parse_union(get_args(kind), text, default)
    if origin is Literal:
        return _parse_literal(get_args(kind), text)
    if kind not in _PARSERS:
        raise InvalidType(f"settings: a field must be int, float, str, bool or tuple, got {kind}.")
    rule, parser = _PARSERS[kind]
    try:
        return parser(text)
    except (ValueError, KeyError):
        raise _Refused(rule) from None


_PARSERS: dict[Any, tuple[str, Callable[[str], Any]]] = {
    bool: ("true or false", lambda text: _TRUTHS[text.lower()]),
    int: ("an integer", int),
    float: ("a number", float),
    str: ("text", str),
}


def _parse_tuple(kinds: tuple[Any, ...], text: str, default: object) -> tuple[Any, ...]:
    parts = [part.strip() for part in text.strip("()[]").split(",") if part.strip()]
    if not kinds:
        kinds = (type(default[0]) if isinstance(default, tuple) and default else str, ...)
    if kinds[-1] is not ...:
        if len(parts) != len(kinds):
            raise _Refused(f"{len(kinds)} values separated by commas")
        return tuple(_parse(kind, part, None) for kind, part in zip(kinds, parts, strict=True))
    try:
        return tuple(_parse(kinds[0], part, None) for part in parts)
    except _Refused as refused:
        raise _Refused(f"values separated by commas, each {refused}") from None


def _parse_union(kinds: tuple[Any, ...], text: str, default: object) -> Any:
    if NoneType in kinds and text.lower() == "none":
        return None
    rules = []
    for kind in kinds:
        if kind is not NoneType:
            try:
                return _parse(kind, text, default)
            except _Refused as refused:
                rules.append(str(refused))
    raise _Refused(" or ".join([*rules, *(["none"] if NoneType in kinds else [])]))


def _parse_literal(choices: tuple[Any, ...], text: str) -> Any:
    for choice in choices:
        if str(choice) == text:
            return choice
    raise _Refused(f"one of {', '.join(map(str, choices))}")


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool | NoneType) else str(value)
