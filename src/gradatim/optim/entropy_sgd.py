"""Entropy-SGD: walk to where the valley is wide, not merely deep."""

import math

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.optim.foreach_optimizer import Closure, ForeachOptimizer, Group, require


class EntropySGD(ForeachOptimizer):
    r"""Descend the local entropy, estimated by a short Langevin walk that is tied to the present point.

    .. math::
        F(x) = -\log\int e^{-h(x')-\frac\gamma2\lVert x-x'\rVert^2}\,dx', \qquad
        \nabla F(x) = \gamma\,(x-\langle x'\rangle)

    One step walks ``inner_steps`` times from :math:`x'=\mu=x`,

    .. math::
        x' \leftarrow x' - \eta\,\bigl(\nabla h(x') + \gamma(x'-x)\bigr) + \sqrt\eta\,\epsilon\,\xi, \qquad
        \mu \leftarrow (1-\alpha)\,\mu + \alpha x'

    and ends with :math:`x\leftarrow x-\kappa\,(x-\mu)`. The paper writes :math:`\eta'` for the rate of the
    walk, which is ``lr`` here, and :math:`\eta\gamma` for :math:`\kappa`. :math:`\gamma` grows by a factor
    ``1 + scoping`` at every step, so that the search narrows.

    ``step`` takes a closure, which it calls ``inner_steps`` times, and returns the loss of :math:`x`. The
    paper draws a new batch for every call; a closure may do so, and that of
    :class:`~gradatim.training.Trainer` stays with the batch. Compare runs by gradients, not by epochs.

    Args:
        params: Parameters or parameter groups.
        lr: :math:`\eta`, rate of the walk.
        inner_steps: Length of the walk.
        gamma: :math:`\gamma`, pull back to :math:`x`; a small one looks farther.
        scoping: Growth of :math:`\gamma` a step.
        noise: :math:`\epsilon`.
        averaging: :math:`\alpha` in (0, 1].
        pull: :math:`\kappa` in (0, 1], how far to go to the mean of the walk.
        weight_decay: Coefficient of the decay, whose gradient is part of :math:`\nabla h`.
        generator: Source of the noise, kept in ``state_dict``; by default PyTorch's global one.

    Example:
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = EntropySGD([w], lr=0.1, inner_steps=20)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = w.square().sum()
        ...     loss.backward()
        ...     return loss
        >>> bool(optimizer.step(closure) == 1), bool(w.abs() < 0.1)
        (True, True)

    Reference:
        Chaudhari et al., Entropy-SGD: Biasing Gradient Descent Into Wide Valleys, 2017, algorithm 1.
    """

    needs_closure = True

    def __init__(
        self,
        params: ParamsT,
        *,
        lr: float = 1e-1,
        inner_steps: int = 5,
        gamma: float = 1e-4,
        scoping: float = 0.0,
        noise: float = 1e-4,
        averaging: float = 0.75,
        pull: float = 1.0,
        weight_decay: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> None:
        whole = inner_steps >= 1 and inner_steps == int(inner_steps)
        require("EntropySGD", "inner_steps", inner_steps, whole, "a whole number from 1", 5)
        for name, value in (("gamma", gamma), ("scoping", scoping), ("noise", noise)):
            require("EntropySGD", name, value, value >= 0, "at least 0", 1e-4)
        for name, value in (("averaging", averaging), ("pull", pull)):
            require("EntropySGD", name, value, 0 < value <= 1, "in (0, 1]", 0.75)
        settings: Group = {"lr": lr, "gamma": gamma, "scoping": scoping, "noise": noise}
        settings |= {"averaging": averaging, "pull": pull, "weight_decay": weight_decay}
        # the walk is one for all groups, so its length is a setting of the first
        super().__init__(params, settings | {"inner_steps": int(inner_steps)}, generator)

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> Tensor:  # type: ignore[override]
        """Walk around the present point, then go towards the mean of the walk."""
        starts = {p: p.clone() for group in self.param_groups for p in group["params"]}
        means = {p: p.clone() for p in starts}
        losses = []
        for _ in range(self.param_groups[0]["inner_steps"]):
            losses.append(self.evaluate(closure))
            for group in self.param_groups:
                self._walk(group, starts, means)
        for group in self.param_groups:
            group["gamma"] *= 1 + group["scoping"]
            for parameter in group["params"]:
                start = starts[parameter]
                parameter.copy_(start.lerp_(means[parameter], group["pull"]))
        return losses[0]

    def _walk(
        self, group: Group, starts: dict[Tensor, Tensor], means: dict[Tensor, Tensor]
    ) -> None:
        parameters, gradients = self.gradients(group)
        if not parameters:
            return
        lr, gamma = group["lr"], group["gamma"]
        offsets = torch._foreach_sub(parameters, [starts[p] for p in parameters])
        torch._foreach_add_(parameters, gradients, alpha=-lr)
        torch._foreach_add_(parameters, offsets, alpha=-lr * gamma)
        if group["noise"]:
            self.add_noise(parameters, math.sqrt(lr) * group["noise"])
        torch._foreach_lerp_([means[p] for p in parameters], parameters, group["averaging"])
