"""What an expert writes in eager PyTorch: gradients of the images only, in-place steps, one clamp."""

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.pgd.task import Task, build_victim, loss_after
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "PyTorch, hand-written loop"
REQUIRES = ("torch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    network, images, labels = build_victim(task)
    network.requires_grad_(False)
    found: list[Tensor] = [images]

    def search() -> Tensor:
        low, high = (images - task.eps).clamp_(0, 1), (images + task.eps).clamp_(0, 1)
        z = images.clone()
        for _ in range(task.steps):
            z.requires_grad_()
            (gradient,) = torch.autograd.grad(F.cross_entropy(network(z), labels), z)
            z = torch.clamp(z.detach().add_(gradient.sign_(), alpha=task.eps / 10), low, high)
        return z

    def attack(rounds: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(rounds):
            found[0] = search()
            tick()

    return Contestant(attack, lambda: loss_after(network, found[0], labels))
