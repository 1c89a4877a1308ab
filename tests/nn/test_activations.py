"""Activations: worked values, their defining formulas in plain Python, and the facts of the table."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.nn import ACTIVATIONS, Sign, Step, activation, value_and_derivative
from gradatim.nn.activations import activation_table

LAMBDA, ALPHA = 1.0507009873554805, 1.6732632423543772


def sigma(z: float) -> float:
    return 1 / (1 + math.exp(-z))


def normal_cdf(z: float) -> float:
    return (1 + math.erf(z / math.sqrt(2))) / 2


def normal_pdf(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


FORMULAS = {  # value and derivative, written out
    "identity": (lambda z: z, lambda z: 1.0),
    "step": (lambda z: float(z > 0), lambda z: 0.0),
    "sign": (lambda z: float(z > 0) - float(z < 0), lambda z: 0.0),
    "sigmoid": (sigma, lambda z: sigma(z) - sigma(z) ** 2),
    "erf": (math.erf, lambda z: 2 * math.exp(-z * z) / math.sqrt(math.pi)),
    "tanh": (math.tanh, lambda z: 1 - math.tanh(z) ** 2),
    "relu": (lambda z: max(0.0, z), lambda z: float(z > 0)),
    "leaky_relu": (lambda z: z if z > 0 else 0.01 * z, lambda z: 1.0 if z > 0 else 0.01),
    "prelu": (lambda z: z if z > 0 else 0.25 * z, lambda z: 1.0 if z > 0 else 0.25),
    "elu": (lambda z: z if z > 0 else math.expm1(z), lambda z: 1.0 if z > 0 else math.exp(z)),
    "selu": (
        lambda z: LAMBDA * (z if z > 0 else ALPHA * math.expm1(z)),
        lambda z: LAMBDA * (1.0 if z > 0 else ALPHA * math.exp(z)),
    ),
    "gelu": (lambda z: z * normal_cdf(z), lambda z: normal_cdf(z) + z * normal_pdf(z)),
    "silu": (lambda z: z * sigma(z), lambda z: sigma(z) + z * sigma(z) * (1 - sigma(z))),
    "softplus": (lambda z: math.log1p(math.exp(z)), sigma),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_values_and_derivatives_follow_the_formula(name):
    points = [-6.3, -2.0, -0.75, -0.1, 0.2, 1.0, 3.5, 8.0]
    [row] = activation_table(points, names=[name])
    value, derivative = FORMULAS[name]
    assert row.values == pytest.approx([value(z) for z in points], rel=1e-7, abs=1e-12)
    assert row.derivatives == pytest.approx([derivative(z) for z in points], rel=1e-7, abs=1e-12)


def facts(name, *points):
    [row] = activation_table(points, names=[name])
    return row


def test_sigmoid_worked_numbers():
    row = facts("sigmoid", 0.0, 3.0, 5.0)
    assert row.values[0] == 0.5
    assert row.derivatives[0] == 0.25
    assert row.derivatives[1] == pytest.approx(0.0452, abs=5e-5)
    assert row.values[2] == pytest.approx(0.99331, abs=5e-6)
    assert row.derivatives[2] == pytest.approx(0.00665, abs=5e-6)


def test_saturation_table():
    for name, low, middle, slope in (("sigmoid", 0.0, 0.5, 0.25), ("tanh", -1.0, 0.0, 1.0)):
        row = facts(name, -30.0, 0.0, 30.0)
        assert row.values == pytest.approx([low, middle, 1.0], abs=1e-12)
        assert row.derivatives == pytest.approx([0.0, slope, 0.0], abs=1e-12)


def test_ten_sigmoid_layers_pass_at_most_a_millionth():
    assert facts("sigmoid", 0.0).derivatives[0] ** 10 == pytest.approx(9.54e-7, rel=1e-3)


def test_relu_family_worked_numbers():
    assert facts("elu", -1.0).values[0] == pytest.approx(-0.63212, abs=5e-6)
    assert facts("selu", -1.0).values[0] == pytest.approx(-1.11135, abs=5e-5)  # λ, α to 4 digits
    assert facts("selu", 1.0).derivatives[0] == pytest.approx(1.0507, abs=5e-5)
    assert facts("selu", -1e-9).derivatives[0] == pytest.approx(1.7581, abs=5e-5)  # the jump at 0
    assert facts("selu", -50.0).values[0] == pytest.approx(-1.75814, abs=5e-5)
    assert facts("relu", 0.0).derivatives[0] == 0.0
    assert facts("leaky_relu", -2.0).derivatives[0] == pytest.approx(0.01)


def test_prelu_derivative_by_its_slope_is_the_input():
    module = activation("prelu").double()
    module(torch.tensor([-3.0, 2.0, -0.5], dtype=torch.float64)).sum().backward()
    assert module.weight.grad.item() == pytest.approx(-3.5)  # z where z ≤ 0, else 0


@settings(max_examples=50, deadline=None)
@given(st.floats(-40, 40))
def test_tanh_is_a_scaled_sigmoid(z):
    z = torch.tensor(z, dtype=torch.float64)
    torch.testing.assert_close(torch.tanh(z), 2 * torch.sigmoid(2 * z) - 1, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    "row", activation_table(np.linspace(-60, 60, 240_001)), ids=lambda row: row.name
)
def test_facts_of_the_table_hold_on_a_fine_grid(row):
    values, derivatives = np.array(row.values), np.array(row.derivatives)
    low, high = row.range
    assert values.min() == pytest.approx(low, abs=1e-6) if np.isfinite(low) else values.min() < -0.5
    assert values.max() == pytest.approx(high, abs=1e-6) if np.isfinite(high) else values.max() > 59
    assert row.is_zero_centred == np.allclose(values, -values[::-1], atol=1e-12)
    flat = {(True, True): "both", (True, False): "left", (False, False): "none"}
    assert row.saturates == flat[abs(derivatives[0]) < 1e-12, abs(derivatives[-1]) < 1e-12]


def test_step_at_zero_is_a_choice():
    zero = torch.zeros(1)
    assert Step()(zero).item() == 0.0
    assert Step(at_zero=1.0)(zero).item() == 1.0
    assert Step(at_zero=0.5)(torch.tensor([-1e-30, 0.0, 1e-30])).tolist() == [0.0, 0.5, 1.0]
    assert repr(Step(at_zero=1.0)) == "Step(at_zero=1.0)"


@pytest.mark.parametrize("module", [Step(), Sign()])
def test_thresholds_stop_the_gradient_without_an_error(module):
    x = torch.tensor([-1.0, 0.0, 2.0, torch.inf], requires_grad=True)
    module(x).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0, 0.0]


def test_value_and_derivative_takes_in_place_modules_and_keeps_the_input():
    z = torch.tensor([-1.0, 2.0])
    value, derivative = value_and_derivative(nn.ReLU(inplace=True), z)
    assert (value.tolist(), derivative.tolist(), z.tolist()) == ([0, 2], [0, 1], [-1, 2])


def test_table_becomes_a_data_frame():
    frame = pd.DataFrame(activation_table()).set_index("name")
    assert set(frame.index) == set(ACTIVATIONS)
    assert frame.loc["tanh", "range"] == (-1.0, 1.0)


def test_unknown_activation():
    with pytest.raises(InvalidValue, match=r"activation: name must be one of tanh.*got 'tahn'"):
        activation("tahn")
