"""The jobs on Gaussian processes, small: everybody finds the same evidence and slopes, and seconds have a limit."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from benchmarks.contestants.contestant import find_contestant, missing_packages
from benchmarks.harness import Result, Row
from benchmarks.jobs import all_jobs
from benchmarks.verdicts import judge

from benchmarks import worker

JOBS = ["gp-exact", "gp-sparse"]


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # by linear_operator
@pytest.mark.parametrize("name", JOBS)
def test_everybody_who_is_installed_finds_the_same(name):
    job, found, before = all_jobs()[name], {}, torch.get_num_threads()
    task = job.load(True)
    for contestant in job.contestants:
        module = find_contestant(job.family, contestant)
        if missing_packages(module):
            continue
        built = module.build(task, module.VARIANTS[-1])
        assert len(worker.time_epochs(built, 2)) == 2
        found[contestant] = built.check()
    torch.set_num_threads(before)
    assert {"gradatim", "autograd"} <= set(found)
    assert list(found.values()) == pytest.approx([found["gradatim"]] * len(found), rel=1e-6)


def test_the_figure_of_a_task_of_two_rows_by_hand():
    task = replace(all_jobs()["gp-exact"].load(True), X=np.zeros((1, 8)), y=np.array([2.0]))
    _, _, variance, noise = [0, 0, *np.exp(task.place(0)[-2:])]
    total = variance + noise  # lengths say nothing of one row
    value = -2.0 / total - math.log(2 * math.pi * total) / 2
    slopes = (4.0 / total - 1) / 2  # by the logarithms of both, together
    built = find_contestant("processes", "gradatim").build(task, "1 thread")
    assert built.check() == pytest.approx(value + slopes)


@pytest.mark.parametrize(("seconds", "holds"), [(3.5, True), (3.7, False)])
def test_fifty_evaluations_have_three_minutes(seconds, holds):
    job = all_jobs()["gp-sparse"]
    row = Row("gradatim", "Gradatim")
    row.samples["1 thread"] = [seconds]
    autograd = Row("autograd", "PyTorch, plain autograd")
    autograd.samples["1 thread"] = [9.0]
    verdict = judge(Result(job, "", 1.0, [row, autograd]))[-1]
    assert verdict.holds is holds
    assert str(verdict).endswith(f"gp-sparse: Gradatim takes at most 3.6 s per evaluation: measured {seconds:.2f} s")  # fmt: skip
