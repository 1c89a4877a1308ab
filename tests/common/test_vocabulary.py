"""One word for one thing: the table of CONTRIBUTING.md, read and held against every public signature."""

import dataclasses
import inspect
import re
import typing
from fnmatch import fnmatch
from pathlib import Path

import pytest

from .conftest import public_calls, public_values

ROOT = Path(__file__).parents[2]
CALLS = list(public_calls())

# A word that is not ours in these places, and why it stays.
ALLOWED: dict[tuple[str, str], str] = (
    {
        (f"{room}.{name}", "random_state"): "scikit-learn's spelling, beside our own"
        for room in ("", "estimators")
        for name in ("NeuralClassifier", "NeuralRegressor")
    }
    | {
        (
            "theory.kernel_regression",
            "k",
        ): "the kernel k(x) beside the matrix K, as everybody writes them",
        (
            "bayes.leapfrog",
            "num_steps",
        ): "steps of a path, of which a sampler takes one at each of its own steps",
        ("bayes.hmc.step", "num_steps"): "the same",
    }
    | {
        (
            f"generative.{name}",
            "num_steps",
        ): "levels of noise, the T of the papers; a sampler takes its own steps"
        for name in ("Diffusion", "NoiseSchedule", "cosine_betas", "linear_betas")
    }
)
# Methods called ``fit`` that do not return their object.
FIT_RETURNS: dict[str, str] = {
    "Trainer.fit": "the model is the user's own; what the trainer has to tell is its History",
    "AR.fit": "a class method, which makes the object",
    "Kind.fit": "it fits the data of a kind, not itself",
}
# Methods called ``figure`` that do not draw.
FIGURE_RETURNS: dict[str, str] = {
    "Report.figure": "keeps a figure that somebody has drawn, as table() keeps a table",
}
# Public dataclasses that may change.
CHANGING: dict[str, str] = {
    "Report": "an experiment fills it, claim by claim",
    **dict.fromkeys(
        (
            *("Adaline", "Madaline", "NeuralClassifier", "NeuralRegressor", "Perceptron"),
            *(
                "GaussianProcessClassifier",
                "GaussianProcessRegressor",
                "SparseGaussianProcessRegressor",
                "TemperatureScaling",
            ),
        ),
        "an estimator as scikit-learn's, not a record: fit adds what it learned",
    ),
}


def words():
    """Pairs of a word that is not used and the one that is, from the table of CONTRIBUTING.md."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page.split("## One word for one thing", 1)[1].split("\n## ", 1)[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and "`" in cells[0]:
            ours = ", ".join(re.findall(r"`([^`]+)`", cells[0]))
            for other in re.findall(r"`([^`]+)`", cells[2]):
                yield other, ours


WORDS = list(words())


def right_word(argument):
    """Our word in the place of ``argument``, or ``None`` where it is one of ours."""
    return next((ours for other, ours in WORDS if fnmatch(argument, other)), None)


def is_record(value):
    """Whether a class is plain data, whose fields are its arguments."""
    return inspect.isclass(value) and (
        dataclasses.is_dataclass(value) or (issubclass(value, tuple) and hasattr(value, "_fields"))
    )


def test_the_table_is_read():
    assert len(WORDS) > 30
    assert right_word("learning_rate") == "lr"
    assert right_word("n_layers") == "num_…"
    assert right_word("lr") is None


def test_no_word_is_both_ours_and_not():
    ours = {word for _, group in WORDS for word in group.split(", ")}
    assert {word for word in ours if right_word(word)} == set()


@pytest.mark.parametrize(("label", "function"), CALLS, ids=[label for label, _ in CALLS])
def test_arguments_have_the_words_of_the_house(label, function):
    found = {name: right_word(name) for name in inspect.signature(function).parameters}
    wrong = {n: w for n, w in found.items() if w is not None and (label, n) not in ALLOWED}
    assert wrong == {}, "; ".join(f"say {word}, not {name}" for name, word in wrong.items())


@pytest.mark.parametrize(("label", "function"), CALLS, ids=[label for label, _ in CALLS])
def test_booleans_are_said_by_name(label, function):
    if is_record(function):
        return
    positional = [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        and (isinstance(p.default, bool) or p.annotation in (bool, "bool"))
    ]
    assert positional == [], "put them behind *"


def returned(function):
    """What a method says it returns; names of classes that are imported for types only stay strings."""
    return inspect.signature(function).return_annotation


def methods(name):
    return {
        label.split(".", 1)[1]: function
        for label, function in CALLS
        if label.count(".") > 1 and label.endswith(f".{name}")
    }


def test_fit_returns_its_object():
    others = {label for label, f in methods("fit").items() if not returns_self(label, f)}
    assert others == set(FIT_RETURNS)


def returns_self(label, function):
    owner = label.partition(".")[0]
    is_method = next(iter(inspect.signature(function).parameters)) == "self"
    return is_method and returned(function) in (typing.Self, owner)


def test_figure_draws_and_nothing_else_does():
    drawn = methods("figure")
    others = {label for label, f in drawn.items() if "Figure" not in str(returned(f))}
    assert others == set(FIGURE_RETURNS)
    assert set(methods("plot")) | set(methods("visualize")) == set(), "call it figure"


def test_records_do_not_change():
    changing = {
        label.split(".", 1)[1]
        for label, value in public_values()
        if inspect.isclass(value)
        and dataclasses.is_dataclass(value)
        and not value.__dataclass_params__.frozen
    }
    assert changing == set(CHANGING)


def test_exceptions_are_needed():
    known = {(label, n) for label, f in CALLS for n in inspect.signature(f).parameters}
    assert set(ALLOWED) <= known
    assert all(right_word(argument) for _, argument in ALLOWED)
