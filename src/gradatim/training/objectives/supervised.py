"""The loss of outputs and targets."""

from torch import Tensor, nn

from gradatim.errors import InvalidType
from gradatim.losses import Loss
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Objective


class Supervised(Objective):
    r"""Say the target: :math:`E(f(x), y)`. What a trainer minimizes where no other objective is given.

    Args:
        loss: :math:`E`, by name or as a function ``(output, target) -> scalar``; by default the trainer's.

    Example:
        >>> import torch
        >>> Supervised("mse")(nn.Identity(), (torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0])))
        tensor(2.)
    """

    any_layout = True

    def __init__(self, loss: str | Loss | None = None) -> None:
        self.use_loss(loss)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        if not isinstance(batch, tuple) or len(batch) < 2:
            raise InvalidType(
                f"Trainer: a batch must be a tuple (inputs, target), got {type(batch).__name__}. "
                "Pass objective=, a function (model, batch) -> loss."
            )
        return self.error(model, batch)
