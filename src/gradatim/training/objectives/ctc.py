"""Train a network on label strings that nobody aligned."""

from torch import Tensor, nn

from gradatim.losses import ctc_loss
from gradatim.training.batches import Batch


def ctc_step(model: nn.Module, batch: Batch) -> Tensor:
    """The training step of a :class:`~gradatim.models.CTC` network, for ``Trainer(step=ctc_step)``.

    Args:
        model: Maps ``(x, lengths)`` to log-probabilities ``(B, T, K)``, blank first.
        batch: ``(x, lengths, target, target_lengths)``, as :func:`~gradatim.losses.ctc_loss` wants them.

    Returns:
        The loss.

    Example:
        >>> import torch
        >>> from gradatim.models import CTC
        >>> from gradatim.training import Trainer
        >>> x, target = torch.randn(20, 9, 3), torch.randint(1, 5, (20, 2))
        >>> lengths, sizes = torch.full((20,), 9), torch.full((20,), 2)
        >>> trainer = Trainer(CTC(3, 4, hidden_dim=8), step=ctc_step, epochs=1)
        >>> "train_loss" in trainer.fit((x, lengths, target, sizes)).records[0]
        True
    """
    x, lengths, target, target_lengths = batch
    return ctc_loss(model(x, lengths), lengths, target, target_lengths)
