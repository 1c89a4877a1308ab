"""Functions and modules as scalar functions of named variables."""

import pytest
import torch
from torch import nn

from gradatim.backprop.scalar_function import scalar_function
from gradatim.errors import InvalidType, InvalidValue


def test_names_come_from_the_signature():
    assert list(scalar_function(lambda a, b: a @ b, [torch.ones(2), torch.ones(2)]).variables) == [
        "a",
        "b",
    ]
    assert list(scalar_function(lambda *a: a[0], [torch.ones(1)]).variables) == ["input[0]"]
    assert list(
        scalar_function(lambda a, b: a @ b, {"b": torch.ones(2), "a": torch.ones(2)}).variables
    ) == ["b", "a"]
    assert list(scalar_function(torch.add, [torch.ones(1), torch.ones(1)]).variables) == [
        "input[0]",
        "input[1]",
    ]


def test_module_has_inputs_and_parameters_in_float64_and_stays_as_it_was():
    module = nn.Linear(2, 1)
    module.bias.requires_grad_(False)
    function = scalar_function(module, torch.ones(3, 2))
    assert {name: v.dtype for name, v in function.variables.items()} == {
        "input[0]": torch.float64,
        "weight": torch.float64,
    }
    assert module.weight.dtype == torch.float32


def test_one_output_is_taken_as_it_is():
    function = scalar_function(lambda x: x.sum() * 3, torch.ones(2))
    assert function(function.variables).item() == 6
    assert function.gradients()["x"].tolist() == [3, 3]


def test_several_outputs_are_weighed_at_random_but_reproducibly():
    gradients = [
        scalar_function(lambda x: x, torch.ones(4), seed=seed).gradients()["x"]
        for seed in (0, 0, 1)
    ]
    assert torch.equal(gradients[0], gradients[1])
    assert not torch.equal(gradients[0], gradients[2])
    assert gradients[0].unique().numel() == 4


def test_evaluation_of_many_points():
    function = scalar_function(
        lambda x, y: (x * y).sum(), [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])]
    )
    points = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
    assert function.evaluate("x", points).tolist() == [0, 7]
    assert function.is_batched


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * float(x.sum()),  # needs a number, which a batch has not
        lambda x: x * x.detach().numpy().sum(),
    ],
)
def test_functions_that_cannot_be_batched_run_one_by_one(function):
    plain = scalar_function(function, torch.ones(1))
    assert plain.evaluate("x", torch.tensor([[2.0], [3.0]]).double()).tolist() == [4, 9]
    assert not plain.is_batched


def test_batched_result_that_differs_is_not_believed():
    calls = []

    def forgetful(x):
        calls.append(x)
        return x * len(calls)

    function = scalar_function(forgetful, torch.ones(1))
    function.evaluate("x", torch.ones(1, 1).double())
    assert not function.is_batched


def test_random_functions_repeat_themselves():
    state = torch.get_rng_state()
    function = scalar_function(nn.Dropout(0.5), torch.ones(64))
    x = function.variables["input[0]"]
    values = function.evaluate("input[0]", torch.stack([x, x]))
    assert values.tolist() == pytest.approx([function.value, function.value])
    assert torch.equal(torch.get_rng_state(), state)


def test_integers_pass_through():
    function = scalar_function(
        lambda x, index: x[index].sum(), [torch.arange(3.0), torch.tensor([0, 2])]
    )
    assert list(function.variables) == ["x"]
    assert function.gradients()["x"].tolist() == [1, 0, 1]


def test_output_that_ignores_a_variable_has_zero_gradient():
    function = scalar_function(lambda x, y: x.sum(), [torch.ones(2), torch.ones(2)])
    assert function.gradients()["y"].tolist() == [0, 0]
    assert scalar_function(lambda x: x.detach(), torch.ones(1)).gradients()["x"].tolist() == [0]


def test_errors():
    with pytest.raises(InvalidType, match="f must return a real floating tensor, got tuple"):
        scalar_function(lambda x: (x, x), torch.ones(1))
    with pytest.raises(
        InvalidType, match=r"f must return a real floating tensor, got torch\.int64"
    ):
        scalar_function(lambda x: x.long(), torch.ones(1))
    with pytest.raises(InvalidValue, match="f must be finite at the inputs, got nan or inf"):
        scalar_function(torch.sqrt, torch.tensor([1.0, -1.0]))
    with pytest.raises(InvalidType, match="inputs must be tensors, got float for x"):
        scalar_function(lambda x: x, [1.0])
    function = scalar_function(lambda x: x.sum(), torch.ones(2))
    with pytest.raises(InvalidValue, match="gradients must be named among x, got 'w'"):
        function.given({"w": torch.ones(2)})
    with pytest.raises(InvalidValue, match=r"gradients of x must have shape \(2,\), got \(3,\)"):
        function.given(torch.ones(3))
    with pytest.raises(
        InvalidValue, match="gradients must belong to a function with one output, got 2 outputs"
    ):
        scalar_function(lambda x: x, torch.ones(2)).given(torch.ones(2))
