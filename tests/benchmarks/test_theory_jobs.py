"""The jobs on tangent kernels and Hessians, small; products are counted, which needs no idle machine."""

import math

import pytest
import torch
from benchmarks.contestants.contestant import find_contestant
from benchmarks.contestants.hessian_top.task import RESIDUAL, TOL, power_iteration
from benchmarks.jobs import all_jobs

from benchmarks import worker
from gradatim.instruments import hessian_product
from gradatim.instruments.lanczos import extreme_eigenpair


@pytest.fixture(scope="module")
def tasks():
    return {name: all_jobs()[name].load(True) for name in ("ntk-lenet", "hessian-top")}


@pytest.mark.parametrize(("name", "tol"), [("ntk-lenet", 1e-4), ("hessian-top", 2 * TOL)])
def test_everybody_finds_the_same(name, tol, tasks):
    job, before, found = all_jobs()[name], torch.get_num_threads(), []
    for contestant in job.contestants:
        built = find_contestant(job.family, contestant).build(tasks[name], "1 thread")
        assert len(worker.time_epochs(built, 1)) == 1
        found.append(built.check())
    torch.set_num_threads(before)
    assert found[0] == pytest.approx(found[1], rel=tol)
    assert math.isfinite(found[0])
    assert found[0] > 0


def test_lanczos_needs_at_most_half_the_products_of_power_iteration(tasks):
    """From three directions, though power iteration is told the answer and Lanczos' method is not."""
    task = tasks["hessian-top"]
    product = hessian_product(*task.objective)
    ours, theirs = 0, 0
    for seed in range(3):
        start = torch.randn(len(task.objective[1]), generator=torch.Generator().manual_seed(seed))
        found = extreme_eigenpair(product, start, torch.clone, max_steps=100, tol=RESIDUAL)
        assert found.value == pytest.approx(task.answer, rel=TOL)
        value, steps = power_iteration(product, start, task.answer)
        assert value == pytest.approx(task.answer, rel=TOL)
        ours, theirs = ours + found.steps, theirs + steps
    assert ours <= theirs / 2
