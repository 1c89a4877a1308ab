"""No row, one row, a row alone and no steps give a result or one sentence in every public module; lengths of any kind."""

import pytest
import torch
from torch import Tensor

from gradatim.errors import GradatimError
from gradatim.randomness import seeded

from .recurrences import RECURRENCES
from .test_modules import CASES, ragged, run, same

EVERY = CASES | RECURRENCES
FORMS = {
    "no row": lambda t: t[:0],
    "one row": lambda t: t[:1],
    "a row alone": lambda t: t[0],
    "no steps": lambda t: t[:, :0] if t.ndim > 1 else torch.zeros_like(t),
}
every = pytest.mark.parametrize("name", list(EVERY))


def make(name):
    with seeded(0):
        module = EVERY[name].build().eval()
    with seeded(100):
        return module, EVERY[name].inputs()


def exchange(value, form):
    if isinstance(value, tuple):
        return tuple(exchange(item, form) for item in value)
    return FORMS[form](value)


@every
def test_any_number_of_rows_and_steps(name):
    module, inputs = make(name)
    for form in FORMS:
        try:
            outputs = run(module, exchange(inputs, form))
        except GradatimError:
            continue
        assert outputs
        if form in ("no row", "one row"):
            rows = 0 if form == "no row" else 1
            assert all(rows in part.shape for part in outputs)


with_lengths = [
    name
    for name, case in EVERY.items()
    if any(torch.is_tensor(part) and torch.equal(part, ragged()[0]) for part in case.inputs())
]


@pytest.mark.parametrize("name", with_lengths)
def test_lengths_may_be_a_list_or_an_array(name):
    module, inputs = make(name)
    expected = run(module, inputs)
    for form in (Tensor.tolist, Tensor.numpy, lambda t: tuple(t.tolist()), Tensor.int):
        given = tuple(form(part) if part.shape == (3,) else part for part in inputs)
        assert same(run(module, given), expected)
