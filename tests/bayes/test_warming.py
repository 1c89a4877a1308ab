"""Step size, covariance and windows of the warm-up."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.bayes import Sampler, hmc
from gradatim.bayes.covariance import add_rows, covariance, start_welford
from gradatim.bayes.density import init
from gradatim.bayes.step_size import average, guess_step_size, start_averaging
from gradatim.bayes.warming import start_tuning, tune, windows
from gradatim.errors import InvalidValue


def test_three_steps_of_dual_averaging_by_hand():
    state = start_averaging(0.5)
    assert state.center == pytest.approx(math.log(5))
    error, log_average = 0.0, math.log(0.5)
    for t, acceptance in enumerate((0.9, 0.2, 0.65), 1):
        error = (1 - 1 / (t + 10)) * error + (0.8 - acceptance) / (t + 10)
        log_step = math.log(5) - math.sqrt(t) / 0.05 * error
        log_average = t**-0.75 * log_step + (1 - t**-0.75) * log_average
        state = average(state, acceptance, 0.8)
        assert state.log_step == pytest.approx(log_step, rel=1e-12)
        assert state.log_average == pytest.approx(log_average, rel=1e-12)


def test_dual_averaging_finds_the_step_that_is_accepted_as_often_as_asked():
    """Acceptance e^{−ε²} is 0.7 at √(−log 0.7)."""
    state, rng = start_averaging(0.01), np.random.default_rng(0)
    for _ in range(2000):
        step = math.exp(state.log_step)
        state = average(state, math.exp(-(step**2)) * rng.uniform(0.8, 1.2), 0.7)
    assert math.exp(state.log_average) == pytest.approx(math.sqrt(-math.log(0.7)), rel=0.05)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("guess", [1e-4, 1.0, 1e4])
def test_the_first_guess_has_the_scale_of_the_density(scale, guess):
    def log_density(x):
        return -(x / scale).square().sum(1) / 2

    state = init(log_density, scale * torch.randn(20, 10).double())
    found = guess_step_size(log_density, state, guess, None, torch.Generator().manual_seed(0))
    assert 0.4 * scale < found < 3 * scale


@given(st.lists(st.integers(1, 7), min_size=1, max_size=6), st.integers(0, 100))
def test_a_covariance_in_pieces_is_that_of_the_whole(sizes, seed):
    rng = np.random.default_rng(seed)
    pieces = [torch.from_numpy(100 + rng.normal(size=(size, 3))) for size in sizes]
    whole = np.concatenate(pieces)
    for mass in ("diagonal", "dense"):
        seen = start_welford(mass, pieces[0])
        for piece in pieces:
            seen = add_rows(seen, piece)
        expected = (len(whole) * np.cov(whole.T, ddof=0)).reshape(3, 3)
        np.testing.assert_allclose(seen.scatter, expected if mass == "dense" else expected.diagonal(), atol=1e-8)  # fmt: skip
        np.testing.assert_allclose(seen.mean, whole.mean(0))
        assert seen.size == len(whole)


def test_a_covariance_is_drawn_towards_little():
    rows = torch.tensor([[0.0, 0.0], [2.0, 4.0]] * 5).double()
    seen = add_rows(start_welford("dense", rows), rows)
    expected = 10 / 15 * np.cov(rows.T) + 1e-3 * 5 / 15 * np.eye(2)
    np.testing.assert_allclose(covariance(seen), expected)
    torch.linalg.cholesky(covariance(seen))  # though the rows lie on a line


def test_too_few_rows_for_a_matrix_give_its_diagonal():
    rows = torch.randn(7, 4)
    assert covariance(add_rows(start_welford("dense", rows), rows)).shape == (4,)
    more = torch.randn(8, 4)
    assert covariance(add_rows(start_welford("dense", more), more)).shape == (4, 4)


def test_a_mass_of_another_kind_is_refused():
    with pytest.raises(InvalidValue, match=r"Sampler: mass must be one of dense, diagonal, unit, got 'dens'\. Try 'dense'\."):  # fmt: skip
        start_welford("dens", torch.zeros(1, 2))


def test_the_windows_of_stan():
    """75 draws, windows of 25, 50, 100, 200 and the rest, 50 draws."""
    assert windows(1000) == [75, 100, 150, 250, 450, 950]


@given(st.integers(0, 5000))
def test_windows_grow_and_fit(warmup):
    ends = windows(warmup)
    widths = np.diff(ends)
    assert ends == sorted(ends)
    assert ends[-1] <= warmup
    assert (widths[1:] >= 2 * widths[:-1]).all()
    if warmup >= 20:
        assert len(ends) > 1
        assert warmup - ends[-1] >= min(50, warmup // 5)


def test_a_chain_that_stands_still_halts_them_all():
    """The mean of three fast chains and a stuck one is above the target, so that the mean alone would lengthen the step."""

    def log_density(x):
        return -x.square().sum(1) / 2

    g, sampler = torch.Generator().manual_seed(0), Sampler(hmc.init, hmc.step, target_acceptance=0.5)  # fmt: skip
    state = init(log_density, torch.zeros(4, 2))
    tuning = start_tuning(log_density, sampler, state, g)
    first, stuck, steps = tuning.step.log_step, torch.tensor([1.0, 1.0, 1.0, 0.0]), []
    for _ in range(8):
        tuning = tune(log_density, sampler, tuning, state, stuck, 1, [100], g)
        steps.append(tuning.step.log_step)
    assert steps[3] > first  # it may be chance
    assert steps[7] < first  # it is not
    assert tuning.idle.tolist() == [0, 0, 0, 8]
    tuning = tune(log_density, sampler, tuning, state, torch.ones(4), 1, [100], g)
    assert tuning.step.log_step > steps[7]
    assert not tuning.idle.any()
