"""Train a model with several heads on the weighted sum of their losses."""

from collections.abc import Mapping

from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose
from gradatim.losses import Loss, build_loss
from gradatim.training.batches import Batch, prepare_target
from gradatim.training.engines.general import StepFunction


def multi_task_step(
    losses: Mapping[str, str | Loss], weights: Mapping[str, float] | None = None
) -> StepFunction:
    r"""Make a step for :class:`~gradatim.nn.MultiTask`.

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
        >>> step = multi_task_step({"size": "mse", "kind": "cross_entropy"}, {"size": 0.5})
        >>> history = Trainer(model, step=step, epochs=1).fit((X, size, kind))
        >>> sorted(history.records[0])[3:]
        ['train_kind', 'train_loss', 'train_size']
    """
    built = {task: build_loss(loss) for task, loss in losses.items()}
    shares = dict.fromkeys(built, 1.0) | dict(weights or {})
    for task in shares:
        choose("multi_task_step", "weights", task, built)

    def step(model: nn.Module, batch: Batch) -> dict[str, Tensor | float]:
        x, *targets = batch
        if len(targets) != len(built):
            raise InvalidValue(
                f"multi_task_step: a batch must hold one target a task, {len(built)}, "
                f"got {len(targets)}. Fit on (X, {', '.join(built)})."
            )
        outputs = model(x)
        parts = {
            task: loss(outputs[task], prepare_target(target, loss, outputs[task].dtype))
            for (task, loss), target in zip(built.items(), targets, strict=True)
        }
        total = sum(shares[task] * part for task, part in parts.items())
        return {"loss": total, **parts}

    return step
