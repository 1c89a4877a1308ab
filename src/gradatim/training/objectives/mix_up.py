"""Train on mixtures of samples."""

from functools import partial

from torch import Tensor, nn

from gradatim.data.mixing import beta_shares, mixup
from gradatim.losses import Loss
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Objective


class MixUp(Objective):
    r"""Train on mixtures of samples and of their targets; validate on pure samples.

    Args:
        num_classes: Number of classes; ``None`` for regression.
        alpha: :math:`\alpha` of the mixing law :math:`\operatorname{Beta}(\alpha,\alpha)`.
        loss: Name or function, by default the trainer's; for classes it must accept probabilities, as
            ``cross_entropy`` does.

    Example:
        >>> import torch
        >>> from gradatim.training import Trainer
        >>> X, y = torch.randn(20, 4), torch.arange(20) % 3
        >>> history = Trainer(nn.Linear(4, 3), objective=MixUp(3), epochs=1).fit((X, y))
    """

    any_layout = True

    def __init__(
        self,
        num_classes: int | None = None,
        *,
        alpha: float = 0.2,
        loss: str | Loss | None = None,
    ) -> None:
        beta_shares(0, alpha)
        self.mixing = partial(mixup, alpha=alpha, num_classes=num_classes)
        self.use_loss(loss)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        x, y = batch
        if model.training:
            x, y = self.mixing(x, y)
        return self.error(model, (x, y))
