"""Networks for Boolean functions: every function of up to four inputs, random ones of twelve."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.neurons import binary_inputs, boolean_network


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_function_of_up_to_four_inputs(n):
    tables = binary_inputs(2**n)  # one row for each of the 2**2**n functions
    assert len(tables) == {1: 4, 2: 16, 3: 256, 4: 65_536}[n]
    assert torch.equal(boolean_network(tables)(binary_inputs(n)).T, tables)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_functions_one_by_one_use_few_units_and_weights_of_one(n):
    for table in binary_inputs(2**n):
        network = boolean_network(table)
        assert torch.equal(network(binary_inputs(n))[:, 0], table)
        (hidden, _), (output, _) = network.layers
        ones = int(table.sum())
        assert len(hidden) == max(1, min(ones, 2**n - ones))
        assert set(hidden.unique().tolist()) <= {-1.0, 1.0}
        assert set(output.unique().tolist()) <= {-1.0, 0.0, 1.0}


def test_random_functions_of_twelve_inputs():
    tables = torch.randint(0, 2, (3, 4096), generator=torch.Generator().manual_seed(0))
    assert torch.equal(boolean_network(tables)(binary_inputs(12)).T, tables.float())


def test_parity_of_six_inputs():
    parity = binary_inputs(6).sum(dim=1) % 2
    assert torch.equal(boolean_network(parity)(binary_inputs(6))[:, 0], parity)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            [0, 1, 1],
            r"truth_table must have a power of two of values, from 2 to 4096, got shape \(1, 3\)",
        ),
        ([0], "truth_table must have a power of two"),
        (torch.zeros(2**13), "truth_table must have a power of two"),
        (torch.zeros(2, 2, 2), "truth_table must have a power of two"),
        ([0, 2], r"truth_table must hold zeros and ones, got \[0, 2\]"),
    ],
)
def test_bad_tables_are_refused(table, message):
    with pytest.raises(InvalidValue, match="boolean_network: " + message):
        boolean_network(table)
