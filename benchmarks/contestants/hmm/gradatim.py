"""Gradatim as it comes."""

import torch

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.hmm.task import FIT, Task
from gradatim.timeseries import HMM

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch", "numpy")
VARIANTS = ("as it comes",)


def build(task: Task, variant: str) -> Contestant:
    model = HMM.categorical(task.start, task.transition, task.emission)
    y, scores = torch.from_numpy(task.y), [0.0]

    def once() -> float:
        if task.goal == FIT:
            return model.learn(y, max_steps=task.iterations, tol=-1.0).log_likelihoods[-1]
        return model.viterbi(y).log_probability.sum().item()

    def train(epochs: int, tick: Tick) -> None:
        for _ in range(epochs):
            scores.append(once())
            tick()

    return Contestant(train, lambda: scores[-1] / task.y.size)
