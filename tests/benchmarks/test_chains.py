"""The job of many chains, small: everybody draws from the same posterior."""

import numpy as np
import pytest
import torch
from benchmarks.contestants.chains.task import CHAINS, effective_share
from benchmarks.contestants.contestant import find_contestant, missing_packages
from benchmarks.jobs import all_jobs

from benchmarks import worker


@pytest.fixture(scope="module")
def task():
    return all_jobs()["hmc-logistic"].load(True)


def test_the_task_is_standardized_and_starts_at_the_mode(task):
    assert task.X.shape == (569, 31)
    assert np.abs(task.X[:, :-1].mean(0)).max() < 1e-5
    assert set(task.y.tolist()) == {-1.0, 1.0}
    slopes = (task.X.T * task.y) @ (1 / (1 + np.exp(task.y * (task.X @ task.start.mean(0)))))
    assert np.abs(slopes - task.start.mean(0)).max() < 2.0  # of a posterior whose mode has none


@pytest.mark.parametrize("name", all_jobs()["hmc-logistic"].contestants)
def test_chains_move_and_mix(name, task):
    module, before = find_contestant("chains", name), torch.get_num_threads()
    if missing_packages(module):
        pytest.skip(f"{name} is not installed")
    built = module.build(task, module.VARIANTS[-1])
    assert len(worker.time_epochs(built, 1)) == 1
    torch.set_num_threads(before)
    assert 0.05 < built.check() < 1.5


def test_the_figure_of_independent_draws_is_one():
    draws = np.random.default_rng(0).normal(size=(CHAINS, 100, 2))
    assert effective_share(draws) == pytest.approx(1.0, abs=0.1)
