"""Counts of arithmetic follow the passes of each mode."""

import pytest

from gradatim.backprop import jacobian_cost
from gradatim.errors import InvalidValue


@pytest.fixture(scope="module")
def rows():
    return {
        (r.inputs, r.outputs, r.mode): r for r in jacobian_cost([1, 8, 32], [1, 8], repeats=1).rows
    }


def test_every_pair_and_mode_is_measured(rows):
    assert len(rows) == 3 * 2 * 2
    assert all(row.seconds > 0 for row in rows.values())


def test_passes_are_inputs_forward_and_outputs_in_reverse(rows):
    for (n, m, mode), row in rows.items():
        assert row.passes == (n if mode == "forward" else m)


def test_reverse_costs_one_evaluation_per_output_whatever_the_inputs(rows):
    # Forward pass n·h + h·m, each co-state the same products transposed: m+1 evaluations.
    for (_, m, mode), row in rows.items():
        if mode == "reverse":
            assert row.evaluations == m + 1


def test_forward_costs_one_evaluation_per_input_whatever_the_outputs(rows):
    for m in (1, 8):
        costs = [rows[n, m, "forward"].evaluations for n in (1, 8, 32)]
        assert costs[1] - costs[0] == 7
        assert costs[2] - costs[1] == 24


def test_table_and_figure():
    cost = jacobian_cost([1, 4], [2], hidden_dim=3, repeats=1)
    assert list(cost.table().columns) == [
        "inputs",
        "outputs",
        "mode",
        "passes",
        "evaluations",
        "seconds",
    ]
    assert cost.figure().axes[0].get_title() == "Inputs grow, 2 outputs"


@pytest.mark.parametrize(
    "change", [{"inputs": []}, {"outputs": [0]}, {"hidden_dim": 0}, {"repeats": 0}]
)
def test_errors(change):
    with pytest.raises(
        InvalidValue, match="inputs, outputs, hidden_dim and repeats must be positive, got"
    ):
        jacobian_cost(**({"inputs": [1], "outputs": [1]} | change))
