"""Every public name imports, is documented, documents exactly the arguments it takes and refuses all others."""

import inspect
import re

from torch import nn

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
