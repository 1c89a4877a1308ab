"""Wherever a tensor is taken, an array, a list, no row, one row, no steps or other numbers give a result or one sentence.

The calls are those of the documented examples: each runs as it stands, is overheard, and is repeated with its tensors
exchanged. What raises anything but an error of Gradatim's own fails.
"""

import contextlib
import copy
import doctest
import inspect
import io
import sys

import pytest
import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import GradatimError
from gradatim.randomness import seeded

from .conftest import public_values
from .test_draws import equal, numbers

FORMS = {
    "tensor": lambda t, rows: kept(t),
    "array": lambda t, rows: t.detach().numpy(),
    "list": lambda t, rows: t.tolist(),
    "no row": lambda t, rows: t[:0] if rows else t,
    "one row": lambda t, rows: t[:1] if rows else t,
    "a row alone": lambda t, rows: t[0] if rows else t,
    "no steps": lambda t, rows: t[:, :0] if t.ndim > 1 else t,
    "whole numbers": lambda t, rows: t.detach().round().long() if t.is_floating_point() else t,
    "double": lambda t, rows: t if t.is_complex() else t.double(),
}
FAITHFUL = ("array", "list")  # the same numbers, so the same result
# Whose methods are parts of a forward pass, hot, and insist on tensors, as PyTorch's layers do.
PARTS = {"KeyValueCache": "filled by attention itself", "TruncatedBPTT": "fed by the training loop", "Trace": "filled by sample"}  # fmt: skip
PARTS |= dict.fromkeys(("Environment", "Bandit", "CartPole", "Gym"), "moved by step")
PARTS |= dict.fromkeys(("Exploration", "EpsilonGreedy", "UCB"), "asked in every step of learning")
# What the examples do not show, said after them.
MORE = {
    "neurons.Hopfield": "for f in (memory.energy, memory.field, memory.is_stable): f(torch.ones(2, 6))\nHopfield(2, bias=torch.ones(2))",
    "neurons.ModernHopfield": "for f in (memory.energy, memory.step): f(torch.ones(3, 2))",
    "neurons.ThresholdUnit": "ThresholdUnit(torch.ones(2), 0.5).net_input(torch.ones(3, 2))",
    "models.Forecaster": "Forecaster(2, 3, strategy='recursive').simulate(torch.randn(2, 5, 2), num_paths=2)",
    "instruments.occlusion_map": "occlusion_map(nn.Sequential(nn.Flatten(), nn.Linear(64, 2)), torch.rand(2, 1, 8, 8), torch.tensor([0, 1]))",
    "timeseries.AR": "import numpy as np\nmodel = AR.fit(torch.sin(torch.arange(30.0)), 2)\nmodel.forecast(torch.ones(9), 2)\nmodel.residuals(torch.ones(9))",
}


def border_calls(value):
    """Functions and methods of ``value`` that take tensors, by name; the class itself for its constructor."""
    if inspect.isfunction(value):
        return {value.__name__: value} if takes_tensors(value) else {}
    if not inspect.isclass(value) or value.__name__ in PARTS:
        return {}
    is_part = issubclass(value, nn.Module) and value.__module__.split(".")[1] in ("nn", "models")
    found = {}
    for name, method in vars(value).items():
        function = getattr(method, "__func__", method)
        is_public = not name.startswith("_") or name == "__init__"
        if not inspect.isfunction(function) or not is_public or name == "forward":
            continue
        is_hot = is_part and name != "__init__" and not is_bordered(function)
        if takes_tensors(function) and not is_hot:
            found[name] = function
    return found


def is_bordered(function):
    return function.__code__ is takes_arrays(lambda: None).__code__


def takes_tensors(function):
    annotations = [str(p.annotation) for p in inspect.signature(function).parameters.values()]
    return any("Tensor" in text and "Callable" not in text for text in annotations)


LABELS = {label: value for label, value in public_values() if border_calls(value)}


def kept(value):
    """A copy that later calls cannot change."""
    if isinstance(value, Tensor):
        is_leaf = value.grad_fn is None
        return value.detach().clone().requires_grad_(value.requires_grad) if is_leaf else value
    if isinstance(value, nn.Module | torch.Generator | list | dict):
        with contextlib.suppress(Exception):
            return copy.deepcopy(value)
    return value


def overhear(label, value):
    """The first call of each function in the example of ``value``, with its arguments."""
    calls, globs = {}, dict(vars(sys.modules[value.__module__]))

    def listen(name, function):
        def listener(*args, **kwargs):
            given = [*args, *kwargs.values()]
            if name not in calls and any(isinstance(part, Tensor) for part in given):
                first = args[:1] if name == "__init__" else ()  # not built yet
                parts = first + tuple(kept(part) for part in args[len(first) :])
                calls[name] = (function, parts, {k: kept(part) for k, part in kwargs.items()})
            return function(*args, **kwargs)

        return listener

    examples = doctest.DocTestParser().get_examples(inspect.getdoc(value))
    source = "".join(example.source for example in examples) + MORE.get(label, "")
    with pytest.MonkeyPatch.context() as patch:
        for name, function in border_calls(value).items():
            if inspect.isfunction(value):
                globs[name] = listen(name, function)
            elif isinstance(vars(value)[name], classmethod | staticmethod):
                patch.setattr(value, name, staticmethod(listen(name, getattr(value, name))))
            else:
                patch.setattr(value, name, listen(name, function))
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.suppress(GradatimError),
            seeded(0),
        ):
            exec(compile(source, value.__name__, "exec"), globs)
    return calls


def exchange(args, kwargs, form):
    """The arguments, each tensor in another form; those with as many rows as the first have rows."""
    given = [part for part in [*args, *kwargs.values()] if isinstance(part, Tensor) and part.ndim]
    rows = len(given[0]) if given else None

    def new(part):
        if not isinstance(part, Tensor):
            return kept(part)
        return FORMS[form](part, part.ndim > 0 and len(part) == rows)

    return tuple(map(new, args)), {key: new(part) for key, part in kwargs.items()}


def run(name, function, args, kwargs):
    with seeded(0), contextlib.redirect_stdout(io.StringIO()):
        if name == "__init__":
            return type(args[0])(*args[1:], **kwargs)
        return function(*args, **kwargs)


@pytest.mark.parametrize("label", list(LABELS))
def test_any_form_gives_a_result_or_a_sentence(label):
    for name, (function, args, kwargs) in overhear(label, LABELS[label]).items():
        expected = run(name, function, *exchange(args, kwargs, "tensor"))
        for form in FORMS:
            try:
                result = run(name, function, *exchange(args, kwargs, form))
            except GradatimError:
                continue
            except Exception as error:
                pytest.fail(f"{label}.{name}, {form}: {type(error).__name__}: {error}")
            if form in FAITHFUL and numbers(expected):
                assert equal(result, expected), f"{label}.{name}, {form}"


def test_the_examples_show_most_functions():
    rooms = ("nn.", "losses.", "neurons.")
    shown = [
        label
        for label, value in LABELS.items()
        if label.startswith(rooms) and overhear(label, value)
    ]
    assert len(shown) >= 45
