"""Train a model with several heads on the weighted sum of their losses."""

from collections.abc import Mapping

from torch import nn

from gradatim.errors import InvalidValue, choose
from gradatim.losses import Loss, build_loss
from gradatim.training.batches import Batch, prepare_target
from gradatim.training.objectives.objective import Figures, Objective


class MultiTaskObjective(Objective):
    r"""The weighted sum of the losses of a :class:`~gradatim.nn.MultiTask`.

    .. math:: E=\sum_k\alpha_kE_k(f_k(x),y_k)

    Batches are ``(x, y_1, …, y_K)``, targets in the order of ``losses``. Each task's loss is recorded too.

    Args:
        losses: Loss of every task, by name or as a function.
        weights: :math:`\alpha_k`, 1 by default.

    Example:
        >>> import torch
        >>> from gradatim.nn import MultiTask
        >>> from gradatim.training import Trainer
        >>> model = MultiTask(nn.Linear(4, 8), {"kind": nn.Linear(8, 3), "size": nn.Linear(8, 1)})
        >>> X, size, kind = torch.randn(9, 4), torch.randn(9), torch.arange(9) % 3
        >>> objective = MultiTaskObjective({"size": "mse", "kind": "cross_entropy"}, {"size": 0.5})
        >>> history = Trainer(model, objective=objective, epochs=1).fit((X, size, kind))
        >>> sorted(history.records[0])[3:]
        ['train_kind', 'train_loss', 'train_size']
    """

    any_layout = True

    def __init__(
        self, losses: Mapping[str, str | Loss], weights: Mapping[str, float] | None = None
    ) -> None:
        self.losses = {task: build_loss(loss) for task, loss in losses.items()}
        self.weights = dict.fromkeys(self.losses, 1.0) | dict(weights or {})
        for task in self.weights:
            choose("MultiTaskObjective", "weights", task, self.losses)

    def __call__(self, model: nn.Module, batch: Batch) -> Figures:
        x, *targets = batch
        if len(targets) != len(self.losses):
            raise InvalidValue(
                f"MultiTaskObjective: a batch must hold one target a task, {len(self.losses)}, "
                f"got {len(targets)}. Fit on (X, {', '.join(self.losses)})."
            )
        outputs = model(x)
        parts = {
            task: loss(outputs[task], prepare_target(target, loss, outputs[task].dtype))
            for (task, loss), target in zip(self.losses.items(), targets, strict=True)
        }
        total = sum(self.weights[task] * part for task, part in parts.items())
        return {"loss": total, **parts}
