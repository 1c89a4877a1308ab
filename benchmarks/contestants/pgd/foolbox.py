"""Foolbox: its attack alone, without the measurements that calling it adds."""

from torch import Tensor

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.pgd.task import Task, build_victim, loss_after
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "Foolbox"
REQUIRES = ("foolbox", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    from foolbox import PyTorchModel
    from foolbox.attacks import LinfPGD

    network, images, labels = build_victim(task)
    # it differentiates the parameters too, unless they are frozen
    model = PyTorchModel(network.requires_grad_(False), bounds=(0, 1))
    search = LinfPGD(steps=task.steps, abs_stepsize=task.eps / 10, random_start=False)
    found: list[Tensor] = [images]

    def attack(rounds: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(rounds):
            found[0] = search.run(model, images, labels, epsilon=task.eps)
            tick()

    return Contestant(attack, lambda: loss_after(network, found[0], labels))
