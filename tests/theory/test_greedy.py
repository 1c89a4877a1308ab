import numpy as np
import pytest
import torch

from gradatim.theory import choose_greedily


def test_each_step_takes_the_unit_that_leaves_the_smallest_error():
    """Against least squares with every candidate in turn."""
    rng = np.random.default_rng(0)
    dictionary, target = rng.normal(size=(30, 12)), rng.normal(size=30)
    fit = choose_greedily(torch.tensor(target), torch.tensor(dictionary), 6)
    chosen = []
    for index, error in zip(fit.indices.tolist(), fit.squared_errors.tolist(), strict=True):
        errors = {}
        for candidate in set(range(12)) - set(chosen):
            A = np.column_stack((np.ones(30), dictionary[:, [*chosen, candidate]]))
            residual = target - A @ np.linalg.lstsq(A, target, rcond=None)[0]
            errors[candidate] = np.mean(residual**2)
        assert index == min(errors, key=errors.get)
        assert error == pytest.approx(errors[index])
        chosen.append(index)


def test_recovers_a_sparse_combination():
    dictionary = torch.randn(100, 50, generator=torch.Generator().manual_seed(0)).double()
    target = 3.0 * dictionary[:, 7] - 2.0 * dictionary[:, 31] + 5.0
    fit = choose_greedily(target, dictionary, 2)
    assert sorted(fit.indices.tolist()) == [7, 31]
    assert fit.squared_errors[-1] < 1e-20


def test_errors_never_rise_and_copies_are_not_taken_twice():
    column = torch.arange(10.0)[:, None]
    dictionary = torch.cat((column, column, 2 * column + 1, torch.ones(10, 1)), dim=1)
    fit = choose_greedily(torch.sin(column[:, 0]), dictionary, 4)
    assert len(fit.indices) == 1
    longer = choose_greedily(torch.sin(column[:, 0]), torch.randn(10, 8), 8)
    assert (longer.squared_errors.diff() <= 1e-12).all()


def test_refuses():
    with pytest.raises(ValueError, match=r"choose_greedily: target must have shape \(5,\), got"):
        choose_greedily(torch.zeros(4), torch.zeros(5, 3), 1)
    with pytest.raises(ValueError, match="choose_greedily: num_terms must be positive, at most"):
        choose_greedily(torch.zeros(5), torch.zeros(5, 3), 4)
