"""Every public name imports, is documented, and documents exactly the arguments it takes."""

import importlib
import inspect
import pkgutil
import re

import pytest
from torch import nn

import gradatim

ROOMS = ["gradatim"] + [
    f"gradatim.{module.name}"
    for module in pkgutil.iter_modules(gradatim.__path__)
    if module.ispkg and module.name != "cli"
]
SELF = {"self", "cls"}
INHERITED = {
    "NeuralRegressor": "its arguments are those of NeuralClassifier, as its docstring says"
}


def public_names():
    for room in ROOMS:
        for name in importlib.import_module(room).__all__:
            yield pytest.param(room, name, id=f"{room}.{name}")


def documented_arguments(text):
    """Names listed under ``Args:``, at its first level of indentation."""
    match = re.search(
        r"^ *Args:\n(.*?)(?=^\S|\Z|^\n? *(?:Returns|Raises|Example|Examples|Reference|References|Attributes|Note|Yields):)",
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


@pytest.mark.parametrize(("room", "name"), list(public_names()))
def test_public_name(room, name):
    value = getattr(importlib.import_module(room), name)
    if not (inspect.isfunction(value) or inspect.isclass(value)):
        return
    text = inspect.getdoc(value)
    assert text, "has no docstring"
    arguments = documented_arguments(text)
    if arguments is None or name in INHERITED:
        return
    taken = [p for p in inspect.signature(value).parameters if p not in SELF]
    assert arguments == taken, "the documented arguments differ from the signature"


def test_unknown_arguments_are_refused_everywhere():
    """A ``**kwargs`` in a public signature would swallow misspellings; ``build`` checks them itself."""
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) or inspect.isclass(value):
                is_protocol = getattr(value, "_is_protocol", False)
                if is_protocol or getattr(value, "__init__", None) is nn.Module.__init__:
                    continue  # takes none, though its signature does not say so
                kinds = {p.kind for p in inspect.signature(value).parameters.values()}
                assert inspect.Parameter.VAR_KEYWORD not in kinds or name == "build", (
                    f"{room}.{name}"
                )
