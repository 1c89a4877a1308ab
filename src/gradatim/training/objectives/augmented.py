"""Train on distorted batches; validate on clean ones."""

from collections.abc import Callable, Sequence

from torch import Tensor, nn

from gradatim.losses import Loss
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Objective

Mixing = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]  # inputs and targets of a batch


class Augmented(Objective):
    r"""Train on :math:`(\tau(x), y)` with a fresh random :math:`\tau` every time.

    Args:
        augment: :math:`\tau`, one function of the inputs or several in order, such as
            ``random_flip`` and ``random_crop``; they draw from the trainer's randomness.
        loss: Name or function; by default the trainer's.
        mixing: What is done to distorted inputs and targets together, such as
            ``partial(mixup, num_classes=10)``.

    Example:
        >>> from gradatim.data import add_noise, random_flip
        >>> objective = Augmented([random_flip, add_noise])
    """

    any_layout = True

    def __init__(
        self,
        augment: Callable[[Tensor], Tensor] | Sequence[Callable[[Tensor], Tensor]],
        loss: str | Loss | None = None,
        *,
        mixing: Mixing | None = None,
    ) -> None:
        self.augment = (augment,) if callable(augment) else tuple(augment)
        self.mixing = mixing
        self.use_loss(loss)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        x, y = batch
        if model.training:
            x, y = distort(x, y, self.augment, self.mixing)
        return self.error(model, (x, y))


def distort(
    x: Tensor, y: Tensor, augment: Sequence[Callable[[Tensor], Tensor]], mixing: Mixing | None
) -> tuple[Tensor, Tensor]:
    """Distort inputs by all of ``augment`` in order, then mix them and their targets."""
    for stage in augment:
        x = stage(x)
    return (x, y) if mixing is None else mixing(x, y)
