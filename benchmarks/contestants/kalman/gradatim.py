"""Gradatim as it comes, in double precision, with all threads and with one."""

import torch

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.kalman.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.timeseries import LinearDynamicalSystem

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    model = LinearDynamicalSystem(**task.system)
    y, scores = torch.from_numpy(task.y), [0.0]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        with torch.inference_mode():
            for _ in range(epochs):
                scores.append(model.filter(y).log_likelihood.sum().item())
                tick()

    return Contestant(train, lambda: scores[-1] / task.y.size)
