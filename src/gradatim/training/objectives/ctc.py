"""Train a network on label strings that nobody aligned."""

from torch import Tensor, nn

from gradatim.losses import ctc_loss
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Objective


class CTCObjective(Objective):
    """Train a :class:`~gradatim.models.CTC` network, which maps ``(x, lengths)`` to log-probabilities.

    Batches are ``(x, lengths, target, target_lengths)``, as :func:`~gradatim.losses.ctc_loss` wants them.

    Example:
        >>> import torch
        >>> from gradatim.models import CTC
        >>> from gradatim.training import Trainer
        >>> x, target = torch.randn(20, 9, 3), torch.randint(1, 5, (20, 2))
        >>> lengths, sizes = torch.full((20,), 9), torch.full((20,), 2)
        >>> trainer = Trainer(CTC(3, 4, hidden_dim=8), objective=CTCObjective(), epochs=1)
        >>> "train_loss" in trainer.fit((x, lengths, target, sizes)).records[0]
        True
    """

    any_layout = True

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        x, lengths, target, target_lengths = batch
        blank = getattr(model, "blank", 0)
        return ctc_loss(model(x, lengths), lengths, target, target_lengths, blank=blank)
