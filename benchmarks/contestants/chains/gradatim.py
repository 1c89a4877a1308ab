"""Gradatim's sampler, as a user calls it: there is nothing to compile."""

from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from benchmarks.contestants.chains.task import PATH, STEP_SIZE, Task, effective_share
from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.bayes import Sampler, hmc, sample

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    rows = torch.from_numpy(task.X.T * task.y)  # (d, N)
    start, found = torch.from_numpy(task.start), list[Tensor]()
    sampler = Sampler(hmc.init, partial(hmc.step, num_steps=PATH), step_size=STEP_SIZE)

    def log_density(w: Tensor) -> Tensor:
        return logsigmoid(w @ rows).sum(1) - w.square().sum(1) / 2

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            trace = sample(log_density, start, sampler=sampler, draws=task.draws, warmup=0, progress=False)  # fmt: skip
            assert isinstance(trace.draws, Tensor)
            found[:] = [trace.draws]
            tick()

    return Contestant(train, lambda: effective_share(found[0].numpy()))
