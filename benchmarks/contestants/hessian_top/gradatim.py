"""Gradatim: Lanczos' method, which knows when it is done."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.hessian_top.task import RESIDUAL, Task
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.theory import hessian_eigenvalues

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    (function, point), values = task.objective, [0.0]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            values[0] = hessian_eigenvalues(function, point, tol=RESIDUAL).item()
            tick()

    return Contestant(train, lambda: values[0])
