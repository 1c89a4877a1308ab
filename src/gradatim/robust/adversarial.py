"""Train on the worst inputs that an attack finds."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.errors import InvalidType, require
from gradatim.losses import Loss
from gradatim.robust.measuring import Attack
from gradatim.training import Objective, Supervised, TruncatedBPTT
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Figures, ObjectiveFunction, Phase, as_objective


class Adversarial(Objective):
    r"""Adversarial training.

    .. math:: \min_\theta \mathbb E \max_{\lVert\delta\rVert\le\epsilon} E(f_\theta(x+\delta), y)

    The attack worsens every training batch, a pair ``(x, y)``, once. Validation stays clean.

    Args:
        attack: Function ``(model, x, y) -> x'``, such as ``functools.partial(pgd, eps=0.1, steps=7)``.
        objective: What is minimized on attacked batches; by default the trainer's loss.

    Example:
        >>> from functools import partial
        >>> import torch
        >>> from gradatim.robust import fgsm
        >>> from gradatim.training import Trainer
        >>> X = torch.randn(20, 4)
        >>> objective = Adversarial(partial(fgsm, eps=0.1))
        >>> history = Trainer(nn.Linear(4, 2), objective=objective, epochs=1).fit((X, (X[:, 0] > 0).long()))

    Reference:
        Madry et al., Towards Deep Learning Models Resistant to Adversarial Attacks, 2018.
    """

    any_layout = True

    def __init__(self, attack: Attack, objective: ObjectiveFunction | None = None) -> None:
        self.attack = attack
        self.inner = Supervised() if objective is None else as_objective(objective)
        rule = "Adversarial: objective must see whole batches"
        got = "TruncatedBPTT, which cuts them in time"
        require(not isinstance(self.inner, TruncatedBPTT), rule, got)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor | Figures:
        return self.inner(model, batch)

    def prepare(self, model: nn.Module, batch: Batch) -> Batch:
        if not isinstance(batch, tuple) or len(batch) != 2:
            size = f" of {len(batch)}" if isinstance(batch, tuple) else ""
            raise InvalidType(
                f"Adversarial: a batch must be a pair (x, y) to be attacked, got {type(batch).__name__}{size}. "
                "Attack inside objective= instead."
            )
        x, y = batch
        return self.inner.prepare(model, (self.attack(model, x, y), y))

    def output(self, model: nn.Module, *inputs: Tensor) -> Any:
        return self.inner.output(model, *inputs)

    def start(self, phase: Phase, epoch: int) -> None:
        self.inner.start(phase, epoch)

    @property
    def loss(self) -> Loss | None:  # type: ignore[override]
        return self.inner.loss

    def adopt(self, loss: Loss) -> None:
        self.inner.adopt(loss)

    @property
    def optimizers(self) -> Mapping[str, Optimizer]:
        return self.inner.optimizers

    def state_dict(self) -> dict[str, Any]:
        return self.inner.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.inner.load_state_dict(state)
