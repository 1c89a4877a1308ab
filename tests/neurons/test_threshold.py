"""Threshold units and networks, by the numbers of worked gates."""

from itertools import product

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.neurons import ThresholdNetwork, ThresholdUnit, binary_inputs, gate

CORNERS = binary_inputs(2)


@pytest.mark.parametrize(
    ("weights", "bias", "activations", "outputs"),
    [
        ((1, 1), -0.5, (-0.5, 0.5, 0.5, 1.5), (0, 1, 1, 1)),  # OR
        ((1, 1), -1.5, (-1.5, -0.5, -0.5, 0.5), (0, 0, 0, 1)),  # AND
        ((1.5, 1.5), -2.0, (-2.0, -0.5, -0.5, 1.0), (0, 0, 0, 1)),  # AND, other weights
    ],
)
def test_worked_gates(weights, bias, activations, outputs):
    unit = ThresholdUnit(weights, threshold=-bias)
    assert unit.net_input(CORNERS).tolist() == list(activations)
    assert unit(CORNERS).tolist() == list(outputs)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("or", any),
        ("and", all),
        ("nor", lambda bits: not any(bits)),
        ("nand", lambda bits: not all(bits)),
    ],
)
def test_gates_of_any_width(name, rule, n):
    expected = [float(rule(bits)) for bits in product([0, 1], repeat=n)]
    assert gate(name, n)(binary_inputs(n)).tolist() == expected


def test_not_and_its_single_input():
    assert gate("not")(torch.tensor([[0], [1]])).tolist() == [1.0, 0.0]


def test_unit_fires_at_the_threshold_itself():
    assert ThresholdUnit([1.0], 1.0)(torch.tensor([[1.0], [0.999]])).tolist() == [1.0, 0.0]


def test_or_gate_is_the_unit_of_the_book():
    assert gate("or").extra_repr() == "weights=[1.0, 1.0], threshold=0.5"


def test_inputs_count_in_binary():
    assert binary_inputs(3).tolist() == [
        list(map(float, bits)) for bits in product([0, 1], repeat=3)
    ]


def test_xor_as_and_of_or_and_nand():
    network = ThresholdNetwork.from_units([[gate("or"), gate("nand")], [gate("and")]])
    assert network(CORNERS).flatten().tolist() == [0, 1, 1, 0]
    assert [layer.tolist() for layer in network.activity(torch.tensor([0, 1]))] == [
        [0, 1],
        [1, 1],
        [1],
    ]
    assert network(CORNERS.bool().view(2, 2, 2)).shape == (2, 2, 1)


def test_network_survives_saving():
    network = ThresholdNetwork.from_units([[gate("or"), gate("nand")], [gate("and")]])
    other = ThresholdNetwork(
        [(torch.zeros(2, 2), torch.zeros(2)), (torch.zeros(1, 2), torch.zeros(1))]
    )
    other.load_state_dict(network.state_dict())
    assert torch.equal(other(CORNERS), network(CORNERS))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ThresholdUnit([[1.0]], 0.0),
            r"ThresholdUnit: weights must have shape \(n,\), got \(1, 1\)",
        ),
        (lambda: gate("xor"), "gate: name must be one of or, .*got 'xor'"),
        (lambda: gate("or", 0), "gate: num_inputs must be at least 1, got 0"),
        (lambda: binary_inputs(25), "binary_inputs: n must be from 1 to 24, got 25"),
        (lambda: ThresholdNetwork([]), "ThresholdNetwork: layers must be pairs"),
        (
            lambda: ThresholdNetwork([(torch.ones(2, 2), torch.ones(3))]),
            r"ThresholdNetwork: layers must be pairs of shapes \(m, n\) and \(m,\)",
        ),
        (
            lambda: ThresholdNetwork(
                [(torch.ones(2, 2), torch.ones(2)), (torch.ones(1, 3), torch.ones(1))]
            ),
            "ThresholdNetwork: layers must fit, got 2 units before a layer that reads 3",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
