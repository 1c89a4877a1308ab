"""The loop that lets probes settle: masks, periods, and the checks of states."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.neurons.settling import as_states, settle, signs, visits


def count_minus(columns):
    return (columns < 0).sum(dim=0).double()


def test_each_probe_stops_on_its_own():
    def heal_one(columns, energy):  # the first -1 of each probe becomes +1
        after = columns.clone()
        for probe in range(columns.shape[1]):
            bad = (columns[:, probe] < 0).nonzero()
            if len(bad):
                after[bad[0], probe] = 1.0
        return after, count_minus(after)

    states = torch.tensor([[1.0, 1, 1], [-1, 1, -1], [1, -1, 1]])
    run = settle(states, count_minus, heal_one, max_sweeps=10)
    assert torch.equal(run.states, torch.ones(3, 3))
    assert run.sweeps.tolist() == [0, 2, 1]
    assert run.period.tolist() == [1, 1, 1]
    assert run.energies.tolist() == [[0, 2, 1], [0, 1, 0], [0, 0, 0], [0, 0, 0]]
    capped = settle(states, count_minus, heal_one, max_sweeps=1)
    assert capped.period.tolist() == [1, 0, 0]
    assert states.tolist() == [[1, 1, 1], [-1, 1, -1], [1, -1, 1]]  # probes are not changed


def test_alternation_is_told_from_rest():
    run = settle(torch.ones(2), count_minus, lambda c, e: (-c, count_minus(-c)), max_sweeps=50)
    assert int(run.period) == 2
    assert run.energies.tolist() == [0.0, 2.0, 0.0]


def test_sign_of_zero_is_plus_one():
    assert signs(torch.tensor([-2.0, -0.0, 0.0, 3.0])).tolist() == [-1.0, 1.0, 1.0, 1.0]


def test_visits():
    assert visits(4, None).tolist() == [0, 1, 2, 3]
    a, b = (visits(50, torch.Generator().manual_seed(1)) for _ in range(2))
    assert torch.equal(a, b)
    assert sorted(a.tolist()) == list(range(50)) != a.tolist()


def test_states_are_checked():
    assert as_states("Net", "states", torch.tensor([1, -1]), 2).dtype == torch.float32
    with pytest.raises(
        InvalidValue, match=r"Net: states must have shape \(3,\) or \(B, 3\), got \(2,\)"
    ):
        as_states("Net", "states", torch.ones(2), 3)
    with pytest.raises(InvalidValue, match="Net: states must hold -1 and 1 only"):
        as_states("Net", "states", torch.tensor([0.0, 1.0]), 2)
