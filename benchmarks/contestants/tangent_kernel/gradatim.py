"""Gradatim as it comes: layer by layer, in blocks that fit its memory."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.tangent_kernel.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.theory import empirical_ntk

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    model, sizes = task.model(), [0.0]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            kernel = empirical_ntk(model, task.x)
            tick()
            sizes[0] = float(kernel.square().mean().sqrt())

    return Contestant(train, lambda: sizes[0])
