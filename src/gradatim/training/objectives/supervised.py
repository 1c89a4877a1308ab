"""The loss of outputs and targets."""

from torch import Tensor, nn

from gradatim.errors import InvalidType, require
from gradatim.losses import Loss, build_loss
from gradatim.losses.counting import Counts, counts_of
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Objective, ObjectiveFunction, as_objective


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

    def counts(self, batch: Batch) -> Counts:
        is_pair = isinstance(batch, tuple) and isinstance(batch[-1], Tensor)
        return counts_of(self.loss, batch[-1]) if is_pair else "rows"


def agree(loss: str | Loss | None, objective: ObjectiveFunction | None) -> tuple[Loss, Objective]:
    """Return the loss of a trainer, cross-entropy by default, and its objective, which has adopted it if it can.

    Args:
        loss: Name or function; refused beside an objective that does not use it.
        objective: What to minimize; by default the loss alone.

    Example:
        >>> loss, objective = agree("mse", None)
        >>> loss.__name__, type(objective).__name__
        ('mse', 'Supervised')
    """
    built = build_loss("cross_entropy" if loss is None else loss)
    whole = Supervised() if objective is None else as_objective(objective)
    is_used = whole.adopt(built) or whole.loss is built
    rule = "Trainer: loss must be left out beside an objective that does not use it"
    require(loss is None or is_used, rule, repr(loss), "Give it to the objective.")
    return built, whole
