"""Every public name imports, is documented, documents exactly the arguments it takes and refuses all others."""

import importlib.util
import inspect
import pkgutil
import re
from functools import cache
from pathlib import Path

import pytest
from torch import nn

import gradatim

SELF = {"self", "cls"}
CHECKED = {
    "course": "passes on what the course of its kind takes, which refuses others",
    "build": "its arguments are those of the model it builds, which refuses others",
    "fit": "its options are those of the kinds of data; one of another kind is refused, an unknown one with the nearest",
}
INHERITED = {
    "NeuralRegressor": "its arguments are those of NeuralClassifier, as its docstring says"
}
SECTIONS = "Returns|Raises|Example|Examples|Reference|References|Attributes|Note|Yields|Shape"


def documented_arguments(text):
    """Names listed under ``Args:``, at its first level of indentation."""
    match = re.search(
        rf"^ *Args:\n(.*?)(?=^\S|\Z|^\n? *(?:{SECTIONS}):)",
        text,
        re.M | re.S,
    )
    if match is None:
        return None
    lines = match.group(1).splitlines()
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    first = re.compile(" " * min(indents) + r"(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \(.*?\))?:")
    names = [m.group(1) for line in lines if (m := first.match(line))]
    return [name.strip("*") for group in names for name in group.split(", ")]


def test_a_public_name_is_documented(public):
    _, value = public
    if inspect.isfunction(value) or inspect.isclass(value):
        assert inspect.getdoc(value), "has no docstring"


def test_the_arguments_of_a_function_are_documented(public):
    label, value = public
    if inspect.isfunction(value) and label.rpartition(".")[2] not in CHECKED:
        is_documented = documented_arguments(inspect.getdoc(value)) is not None
        assert is_documented or not inspect.signature(value).parameters, "has no Args"


def test_documented_arguments_equal_the_signature(call):
    label, function = call
    arguments = documented_arguments(inspect.getdoc(function) or "")
    if arguments is None or label.rpartition(".")[2] in INHERITED:
        return
    taken = [p for p in inspect.signature(function).parameters if p not in SELF]
    assert arguments == taken, "the documented arguments differ from the signature"


def test_unknown_arguments_are_refused(call):
    """A ``**kwargs`` in a public signature would swallow misspellings, unless they are checked."""
    label, function = call
    is_protocol = getattr(function, "_is_protocol", False)
    if is_protocol or getattr(function, "__init__", None) is nn.Module.__init__:
        return  # takes none, though its signature does not say so
    kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds or label.rpartition(".")[2] in CHECKED


PAGES = [
    *sorted(Path(__file__).parents[2].glob("docs/*.md")),
    Path(__file__).parents[2] / "README.md",
]
OTHERS = ("torch", "nn", "scipy", "numpy", "sklearn", "matplotlib", "statsmodels", "time")


@cache
def promised(room):
    """The names that ``gradatim.room`` promises; a module without ``__all__`` promises all that it defines."""
    module = importlib.import_module(f"gradatim.{room}")
    return set(getattr(module, "__all__", vars(module)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_name_only_what_is_public(page):
    """``gradatim.room.name`` in a text or an import is a name that the room lists."""
    text = page.read_text()
    named = re.findall(r"\bgradatim\.(\w+)\.(\w+)", text)
    for room, names in re.findall(r"^from gradatim\.(\w+) import (\([^)]*\)|.*)$", text, re.M):
        named += [(room, name) for name in re.findall(r"\w+", re.sub(r"#.*| as \w+", "", names))]
    rooms = {room for room, _ in named if importlib.util.find_spec(f"gradatim.{room}")}
    known = {room: promised(room) for room in rooms}
    files = {"toml", "json", "css"}
    hidden = {
        f"{room}.{name}"
        for room, name in named
        if name not in known.get(room, ()) and name not in files
    }
    assert hidden == set(), "documented, but not exported"


def test_docstrings_refer_to_what_is_public(call):
    """Who reads about a public name is sent to public names only."""
    label, function = call
    every = {name for room in rooms_of_gradatim() for name in promised(room)} | set(
        gradatim.__all__
    )
    references = re.findall(r":(?:func|class):`~?([\w.]+)`", function.__doc__ or "")
    hidden = {
        reference
        for reference in references
        if reference.split(".")[0] not in OTHERS and reference.split(".")[-1] not in every
    }
    assert hidden == set(), f"{label} refers to names that are not exported"


@cache
def rooms_of_gradatim():
    rooms = [m.name for m in pkgutil.iter_modules(gradatim.__path__) if m.name != "__main__"]
    return [room for room in rooms if room != "cli"]
