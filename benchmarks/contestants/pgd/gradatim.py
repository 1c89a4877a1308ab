"""Gradatim as it comes."""

from torch import Tensor

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.pgd.task import Task, build_victim, loss_after
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.robust import pgd

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    network, images, labels = build_victim(task)
    found: list[Tensor] = [images]

    def attack(rounds: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(rounds):
            found[0] = pgd(
                network, images, labels, eps=task.eps, steps=task.steps, bounds=(0.0, 1.0)
            )
            tick()

    return Contestant(attack, lambda: loss_after(network, found[0], labels))
