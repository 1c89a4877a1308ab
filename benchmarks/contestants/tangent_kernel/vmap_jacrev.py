"""PyTorch by hand: the Jacobians of all images by ``vmap(jacrev)``, and their products, parameter by parameter."""

from typing import Any

import torch
from torch.func import functional_call, jacrev, vmap

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.tangent_kernel.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "PyTorch, vmap(jacrev)"
REQUIRES = ("torch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    model, sizes = task.model(), [0.0]
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def outputs(parameters: dict[str, Any], image: Any) -> Any:
        return functional_call(model, parameters, (image[None],))[0]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            jacobians = vmap(jacrev(outputs), (None, 0))(parameters, task.x)
            blocks = [block.flatten(2) for block in jacobians.values()]
            kernel = torch.zeros(())
            for block in blocks:
                kernel = kernel + torch.einsum("nkp,mlp->nmkl", block, block)
            tick()
            sizes[0] = float(kernel.square().mean().sqrt())

    return Contestant(train, lambda: sizes[0])
