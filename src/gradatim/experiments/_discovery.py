"""Find experiments by their files, one folder a chapter, without importing them."""

import ast
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from gradatim.errors import InvalidValue, nearest_first

# Chapters in the order of the curriculum; a folder not named here comes after them.
ORDER = (
    "neurons",
    "linear",
    "approximation",
    "learning",
    "generalization",
    "evaluation",
    "convolution",
    "timeseries",
    "sequences",
    "attention",
    "sets",
    "graphs",
    "theory",
    "bayes",
    "generative",
    "robustness",
    "clustering",
    "reinforcement",
)


class Entry(NamedTuple):
    """What is known of an experiment before it is imported.

    Attributes:
        name: As ``gradatim run`` takes it.
        chapter: The folder it stands in.
        title: The chapter's title.
        summary: First line of the experiment's docstring.
        quick: The settings that ``--quick`` changes, with their values.
        covers: Numbers of the ideas of the curriculum that it shows: ``COVERS`` of its file.
        keywords: Other words by which people look for it: ``KEYWORDS`` of its file.
    """

    name: str
    chapter: str
    title: str
    summary: str
    quick: dict[str, object]
    covers: tuple[str, ...]
    keywords: str


def _chapters() -> list[Path]:
    """Folders of all chapters, in the order of the curriculum."""
    package = import_module("gradatim.experiments")
    inits = [file for folder in package.__path__ for file in Path(folder).glob("[!_]*/__init__.py")]
    place = {chapter: number for number, chapter in enumerate(ORDER)}
    folders = [file.parent for file in inits]
    return sorted(folders, key=lambda folder: (place.get(folder.name, len(ORDER)), folder.name))


def _files() -> dict[str, Path]:
    """The file of each experiment; those whose names begin with an underscore only help."""
    files = [file for folder in _chapters() for file in sorted(folder.glob("[!_]*.py"))]
    return {file.stem.replace("_", "-"): file for file in files}


def names() -> list[str]:
    """Names of all experiments, in alphabetical order.

    Example:
        >>> all("_" not in name for name in names())
        True
    """
    return sorted(_files())


def entries(search: str = "") -> list[Entry]:
    """All experiments, or those that a search finds, by chapter and name, read from their text.

    Args:
        search: Words that must all occur in the name, the summary, the chapter or the keywords, in any case.

    Example:
        >>> [entry.name for entry in entries("Novikoff's theorem")]
        ['perceptron-novikoff']
    """
    titles = {folder: _title(folder) for folder in _chapters()}
    found = [_read(name, file, titles[file.parent]) for name, file in _files().items()]
    chosen = [entry for entry in found if _matches(entry, search)]
    if search.strip() and not chosen:
        known = sorted({word for entry in found for word in re.findall(r"[\w-]{3,}", _text(entry))})
        remedy = f"Try {nearest_first(search, known)[0]!r}, or see" if known else "See"
        raise InvalidValue(
            "experiments: search must be words of an experiment's name, summary, chapter or keywords, "
            f"got {search!r}. {remedy} them all with 'gradatim list'."
        )
    return chosen


def _title(folder: Path) -> str:
    return _first_line(_parse(folder / "__init__.py")).removesuffix(".")


def _read(name: str, file: Path, title: str) -> Entry:
    module = _parse(file)
    covers, keywords = _constant(module, "COVERS", ()), _constant(module, "KEYWORDS", "")
    return Entry(name, file.parent.name, title, _first_line(module), _quick(module), covers, keywords)  # fmt: skip


def _parse(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _first_line(module: ast.Module) -> str:
    return (ast.get_docstring(module) or "").partition("\n")[0]


def _quick(module: ast.Module) -> dict[str, object]:
    """The arguments of ``QUICK = Settings(...)``."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name("QUICK")], value=ast.Call(keywords=changes)):
                return {str(change.arg): ast.literal_eval(change.value) for change in changes}
    return {}


def _constant(module: ast.Module, name: str, default: Any) -> Any:
    """What a name stands for at the top of a module."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id)], value=value) if id == name:
                return ast.literal_eval(value)
    return default


def _text(entry: Entry) -> str:
    return " ".join((*entry[:4], entry.keywords)).casefold()


def _matches(entry: Entry, search: str) -> bool:
    text = _text(entry)
    return all(word in text for word in search.casefold().split())


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
    """First line of an experiment's docstring, read from its text.

    Args:
        name: Of an experiment, such as ``"xor"``.
    """
    return _first_line(_parse(_file(name)))


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
    file = _file(name)
    return import_module(f"gradatim.experiments.{file.parent.name}.{file.stem}")
