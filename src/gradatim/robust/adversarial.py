"""Train on the worst inputs that an attack finds."""

from torch import Tensor, nn

from gradatim.errors import InvalidType, require
from gradatim.robust.measuring import Attack
from gradatim.training import Objective, Supervised, TruncatedBPTT
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Figures, ObjectiveFunction, as_objective


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
        self.inner: Objective = Supervised() if objective is None else as_objective(objective)
        self.loss = self.inner.loss
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
