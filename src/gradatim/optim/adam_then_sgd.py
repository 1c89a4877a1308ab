"""Adam for the way down, SGD with momentum for the end."""

from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.optim.adam import adam_update, check_moments
from gradatim.optim.foreach_optimizer import ForeachOptimizer, Group, require
from gradatim.optim.heavy_ball import heavy_ball_update


class AdamThenSGD(ForeachOptimizer):
    """Adam until :meth:`switch` is called, heavy-ball SGD from then on.

    Adam comes down fast, SGD with momentum often ends in a place that generalizes better. The rate of
    SGD is a multiple of ``lr``, so schedules and per-group rates act on both. Adam's moments are dropped at the
    switch, and the ball starts at rest. :class:`~gradatim.training.SwitchOptimizer` calls :meth:`switch`
    at an epoch or on a plateau.

    Args:
        params: Parameters or parameter groups.
        lr: Rate of Adam.
        sgd_factor: Rate of SGD as a multiple of ``lr``.
        betas: Memories of Adam's moments, in [0, 1).
        eps: Outside the root.
        momentum: Of SGD, in [0, 1).
        weight_decay: Coupled, in both phases.

    Example:
        >>> import torch
        >>> w = torch.zeros(1, requires_grad=True)
        >>> optimizer = AdamThenSGD([w], lr=0.01, sgd_factor=10)
        >>> w.grad = torch.full((1,), 5.0)
        >>> optimizer.step()
        >>> optimizer.switch()
        >>> optimizer.step()
        >>> w.detach()  # −0.01 by Adam, −0.1 · 5 by SGD
        tensor([-0.5100])
    """

    def __init__(
        self,
        params: ParamsT,
        *,
        lr: float = 1e-3,
        sgd_factor: float = 10.0,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
    ) -> None:
        require("AdamThenSGD", "sgd_factor", sgd_factor, sgd_factor > 0, "more than 0", 10)
        require("AdamThenSGD", "momentum", momentum, 0 <= momentum < 1, "in [0, 1)", 0.9)
        check_moments("AdamThenSGD", betas, eps)
        settings: Group = {"lr": lr, "sgd_factor": sgd_factor, "betas": betas, "eps": eps}
        settings |= {"momentum": momentum, "weight_decay": weight_decay, "phase": "adam"}
        super().__init__(params, settings)

    @property
    def phase(self) -> str:
        """``"adam"`` or ``"sgd"``."""
        return str(self.param_groups[0]["phase"])

    def switch(self) -> None:
        """Go over to SGD; a second call changes nothing."""
        if self.phase == "adam":
            self.state.clear()
            for group in self.param_groups:
                group["phase"] = "sgd"

    def update(self, group: Group, parameters: list[Tensor], gradients: list[Tensor]) -> None:
        if group["phase"] == "adam":
            means, squares = self.buffers(parameters, "mean"), self.buffers(parameters, "square")
            steps = self.count(parameters)
            moments = {"betas": group["betas"], "eps": group["eps"], "eps_inside": False}
            adam_update(parameters, gradients, means, squares, steps, lr=group["lr"], **moments)
        else:
            velocities = self.buffers(parameters, "velocity")
            lr = group["lr"] * group["sgd_factor"]
            heavy_ball_update(parameters, gradients, velocities, lr=lr, momentum=group["momentum"])
