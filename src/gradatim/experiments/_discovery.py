"""Find experiments by their files, without importing them."""

import ast
from importlib import import_module
from pathlib import Path
from types import ModuleType

from gradatim.errors import InvalidValue, nearest_first


def _files() -> dict[str, Path]:
    package = import_module("gradatim.experiments")
    files = [file for folder in package.__path__ for file in Path(folder).glob("[!_]*.py")]
    return {file.stem.replace("_", "-"): file for file in sorted(files)}


def names() -> list[str]:
    """Names of all experiments, in alphabetical order.

    Example:
        >>> all("_" not in name for name in names())
        True
    """
    return sorted(_files())


def _file(name: str) -> Path:
    files = _files()
    key = name.replace("_", "-")
    if key in files:
        return files[key]
    known = nearest_first(key, files)
    if not known:
        raise InvalidValue(
            f"experiments: name must be an experiment, got {name!r}; there are none."
        )
    listed = ", ".join(known[:5]) + (f" ({len(known)} in all)" if len(known) > 5 else "")
    raise InvalidValue(
        f"experiments: name must be one of {listed}, got {name!r}. Try {known[0]!r}, "
        "or see them with 'gradatim list'."
    )


def summary(name: str) -> str:
    """First line of an experiment's docstring, read from its text."""
    docstring = ast.get_docstring(ast.parse(_file(name).read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]


def load(name: str) -> ModuleType:
    """Import an experiment: a module with ``Settings``, ``QUICK`` and ``run(settings)``.

    Args:
        name: Such as ``"xor"``; dashes and underscores are the same.

    Example:
        >>> load("no-such-experiment")
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: experiments: name must be ...
    """
    return import_module(f"gradatim.experiments.{_file(name).stem}")
