"""PyTorch by hand: power iteration on products with the Hessian, stopped by one who knows the answer."""

import torch

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.hessian_top.task import Task, power_iteration
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.instruments import hessian_product

TITLE = "PyTorch, power iteration"
REQUIRES = ("torch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    (function, point), answer, values = task.objective, task.answer, [0.0]
    start = torch.randn(point.shape, generator=torch.Generator().manual_seed(0))

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            values[0], _ = power_iteration(hessian_product(function, point), start, answer)
            tick()

    return Contestant(train, lambda: values[0])
