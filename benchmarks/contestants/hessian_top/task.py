"""The task that the contestants of this folder do: the largest eigenvalue of the Hessian of a trained LeNet, to 1e-3.

What the clock calls an epoch is one search from a random direction; products with the Hessian are nearly all of it. Power
iteration is told the answer and stops at the first estimate that is right, which nobody can do who does not know it;
Gradatim has to find out by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from gradatim.data import load
from gradatim.instruments import VectorObjective, network_objective
from gradatim.losses import cross_entropy
from gradatim.models import LeNet
from gradatim.randomness import seeded
from gradatim.theory import hessian_eigenvalues
from gradatim.training import Trainer

CONTESTANTS = ("gradatim", "power_iteration")
TOL = 1e-3
RESIDUAL = 1e-2  # at which Lanczos' estimate, whose error is of second order, is right to TOL


@dataclass(frozen=True)
class Task:
    """Digits, and a network that has seen them.

    Args:
        x: Images, shape ``(N, 1, 28, 28)``.
        y: Classes.
        source: What they are.
    """

    x: Tensor
    y: Tensor
    source: str

    @property
    def flops(self) -> int:
        """Multiplications and additions of ten products, each six passes through the layers."""
        layers = (28 * 28 * 6 * 25, 10 * 10 * 16 * 6 * 25, 400 * 120, 120 * 84, 84 * 10)
        return 10 * 6 * 2 * sum(layers) * len(self.x)

    @cached_property
    def objective(self) -> tuple[VectorObjective, Tensor]:
        with seeded(0):
            model = LeNet()
        Trainer(model, lr=3e-3, epochs=4, batch_size=25, seed=0, progress=False).fit((self.x, self.y))  # fmt: skip
        return network_objective(model.eval(), cross_entropy, self.x, self.y)

    @cached_property
    def answer(self) -> float:
        return hessian_eigenvalues(*self.objective, tol=1e-5).item()


def build_task(quick: bool) -> Task:
    """The small digits, in the middle of a larger image."""
    count, digits = 100 if quick else 500, load("digits")
    x = torch.nn.functional.pad(torch.as_tensor(digits.X[:count]).view(-1, 1, 8, 8), [10] * 4)
    return Task(x.float(), torch.as_tensor(digits.y)[:count], f"{count} digits of 8×8 on 28×28")


def power_iteration(product: Callable[[Tensor], Tensor], start: Tensor, answer: float) -> tuple[float, int]:  # fmt: skip
    """The largest eigenvalue and the products spent, stopped as soon as the estimate is right."""
    v, steps = start / start.norm(), 0
    while True:
        image, steps = product(v), steps + 1
        value = float(v @ image)
        if abs(value - answer) <= TOL * answer or steps == 1000:
            return value, steps
        v = image / image.norm()
