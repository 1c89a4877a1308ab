"""Move networks down the gradient of a loss of their outputs, without autograd where layers are plain."""

from collections.abc import Callable, Sequence
from typing import cast

import torch
from torch import Tensor, nn

from gradatim.training.engines.flat import FlatOptimizer
from gradatim.training.engines.walk import Walk, is_walkable

Loss = Callable[..., Tensor]
Slopes = Callable[..., tuple[Tensor, ...]]
EPS = 1e-5  # of Adam: gradients of rare rewards are small


class Learner:
    """Networks of one input, and Adam in one fused step for all of them.

    Back through plain dense layers two loops go by hand (:class:`~gradatim.training.engines.walk.Walk`), from the loss's
    derivative by the outputs. Other networks are left to autograd and the loss itself; both give the same step.

    Args:
        networks: What moves; all see the same rows.
        lr: The step of learning.
        clip_norm: Largest norm of the whole gradient.
    """

    def __init__(self, networks: Sequence[nn.Module], *, lr: float, clip_norm: float | None = None) -> None:  # fmt: skip
        self.networks, self.lr, self.clip_norm = networks, lr, clip_norm
        parameters = [p for network in networks for p in network.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=lr, eps=EPS)
        self.flat = FlatOptimizer(self.optimizer)
        self.by_hand = all(is_walkable(network) for network in networks)
        self.walks, self.rows = list[Walk](), 0

    def step(self, x: Tensor, loss: Loss, slopes: Slopes, *, share: float = 1.0) -> None:
        """Take one step.

        Args:
            x: Inputs, shape ``(N, D)``.
            loss: From the outputs of the networks, in order, to one number.
            slopes: Its derivative by each of them, by hand; only plain dense layers ask for it.
            share: Of the learning rate that counts now.
        """
        if self.by_hand:
            self._walk(x, slopes)
        else:
            for gradient in self.flat.gradients:
                gradient.zero_()
            loss(*(network(x) for network in self.networks)).backward()
        if self.clip_norm is not None:
            self.flat.clip_norm(self.clip_norm)
        self.flat.groups[0].settings["lr"] = share * self.lr
        self.flat.step()

    @torch.no_grad()
    def _walk(self, x: Tensor, slopes: Slopes) -> None:
        if len(x) > self.rows:
            self.rows = len(x)
            self.walks = [Walk(cast(nn.Sequential, n), self.rows) for n in self.networks]
        outputs = [walk.forward(x) for walk in self.walks]
        for walk, delta in zip(self.walks, slopes(*outputs), strict=True):
            walk.backward(delta)
