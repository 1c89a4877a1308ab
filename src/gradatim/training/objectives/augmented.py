"""Train on distorted or mixed batches; validate on clean ones."""

from collections.abc import Callable, Sequence
from functools import partial

from torch import Tensor, nn

from gradatim.data.mixing import beta_shares, mixup
from gradatim.losses import Loss, build_loss
from gradatim.training.batches import Batch
from gradatim.training.engines.general import StepFunction

Mixing = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]  # inputs and targets of a batch


def augmented_step(
    augment: Callable[[Tensor], Tensor] | Sequence[Callable[[Tensor], Tensor]],
    loss: str | Loss = "cross_entropy",
    *,
    mixing: Mixing | None = None,
) -> StepFunction:
    r"""Make a step that trains on :math:`(\tau(x), y)` with a fresh random :math:`\tau` every time.

    Args:
        augment: :math:`\tau`, one function of the inputs or several in order, such as
            ``random_flip`` and ``random_crop``; they draw from the trainer's randomness.
        loss: Name or function.
        mixing: What is done to distorted inputs and targets together, such as
            ``partial(mixup, num_classes=10)``.

    Example:
        >>> from gradatim.data import add_noise, random_flip
        >>> step = augmented_step([random_flip, add_noise])
    """
    stages = [augment] if callable(augment) else list(augment)
    built = build_loss(loss)

    def step(model: nn.Module, batch: Batch) -> Tensor:
        x, y = batch
        if model.training:
            for stage in stages:
                x = stage(x)
            if mixing is not None:
                x, y = mixing(x, y)
        return built(model(x), y)

    return step


def mixup_step(
    num_classes: int | None = None, *, alpha: float = 0.2, loss: str | Loss = "cross_entropy"
) -> StepFunction:
    r"""Make a step that trains on mixtures of samples and of their targets.

    Args:
        num_classes: Number of classes; ``None`` for regression.
        alpha: :math:`\alpha` of the mixing law :math:`\operatorname{Beta}(\alpha,\alpha)`.
        loss: Name or function; for classes it must accept probabilities, as ``cross_entropy`` does.

    Example:
        >>> import torch
        >>> from gradatim.training import Trainer
        >>> X, y = torch.randn(20, 4), torch.arange(20) % 3
        >>> history = Trainer(nn.Linear(4, 3), step=mixup_step(3), epochs=1).fit((X, y))
    """
    beta_shares(0, alpha)
    return augmented_step((), loss, mixing=partial(mixup, alpha=alpha, num_classes=num_classes))
