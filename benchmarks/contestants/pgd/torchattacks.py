"""torchattacks. None of its attacks needs the torchvision it asks for: install it with ``pip install --no-deps``."""

from torch import Tensor

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.pgd.task import Task, build_victim, loss_after
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "torchattacks"
REQUIRES = ("torchattacks", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    from torchattacks import PGD

    network, images, labels = build_victim(task)
    search = PGD(network, eps=task.eps, alpha=task.eps / 10, steps=task.steps, random_start=False)
    found: list[Tensor] = [images]

    def attack(rounds: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(rounds):
            found[0] = search(images, labels)
            tick()

    return Contestant(attack, lambda: loss_after(network, found[0], labels))
