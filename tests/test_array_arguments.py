"""The border of functions of tensors."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, InvalidValue
from gradatim.linear import polynomial
from gradatim.neurons import Hopfield, gate
from gradatim.nn import attend, correlate, mc_predict


@takes_arrays
def add(x: Tensor, y: Tensor | None = None, *, also: Tensor | tuple[Tensor, ...] = ()) -> Tensor:
    parts = also if isinstance(also, tuple) else (also,)
    return sum(parts, x if y is None else x + y)


@takes_arrays
def run(model: nn.Module, x: Tensor) -> Tensor:
    return model(x)


@pytest.mark.parametrize(
    "x", [[1.0, 2.0], (1.0, 2.0), np.array([1.0, 2.0]), torch.tensor([1.0, 2.0])]
)
def test_arrays_lists_and_tensors_are_one(x):
    assert add(x, y=x).tolist() == [2.0, 4.0]
    assert add(x, also=np.ones(2)).tolist() == [2.0, 3.0]


def test_what_the_annotation_names_is_untouched():
    x = torch.ones(2, requires_grad=True)
    assert add(x) is x
    assert add(x, None) is x
    assert add(x, also=(x, x)).tolist() == [3.0, 3.0]
    assert add([torch.ones(2), np.zeros(2, np.float32)]).tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_numbers_take_the_precision_of_the_model_beside_them():
    model = nn.Linear(2, 1)
    assert run(model, np.ones((3, 2))).dtype == torch.float32
    assert run(model.double(), [[1.0, 2.0]]).dtype == torch.float64


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: add(torch.ones(2), torch.ones(3)), InvalidValue, r"^add: x and y must fit each other, got float32 of shape \(2,\) and float32 of shape \(3,\)\. The size"),
        (lambda: add("some words"), InvalidType, r"^add: x must be a tensor, an array or a list of numbers, got a str\."),
        (lambda: add([[1.0], [1.0, 2.0]]), InvalidType, r"^add: x must be a tensor.*got a list\."),
        (lambda: run(nn.Linear(2, 1), torch.ones(3, 2).long()), InvalidValue, r"^run: x must fit, got int64 of shape \(3, 2\)\."),
        (lambda: add(), TypeError, r"missing 1 required positional argument: 'x'"),
        (lambda: add([1.0], z=1), TypeError, r"unexpected keyword argument 'z'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_named_places():
    memory = Hopfield(2)
    memory.store(np.array([[1, -1]]))
    memory.store([1.0, -1.0])
    assert memory.recall([1, 1]).states.tolist() in ([1.0, -1.0], [-1.0, 1.0])
    assert gate("and")([[0, 1], [1, 1]]).tolist() == [0.0, 1.0]
    assert polynomial(np.array([2.0, 3.0]), 2).tolist() == [[2.0, 4.0], [3.0, 9.0]]
    network = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5))
    assert mc_predict(network, np.ones((3, 2)), num_samples=2).mean.shape == (3, 4)
    with pytest.raises(InvalidValue, match=r"correlate: .* must"):
        correlate(torch.zeros(0), torch.ones(3))
    x = torch.ones(2, 4, 5, 8)
    with pytest.raises(InvalidValue, match=r"attend: .*must"):
        attend(x, x, x, mask=torch.ones(2, 5).bool())
