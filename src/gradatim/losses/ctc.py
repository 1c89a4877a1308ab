"""The loss that needs no alignment."""

import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose, require

REDUCTIONS = ("sequence", "label", "sum", "none")


@takes_arrays
def ctc_loss(
    log_probs: Tensor,
    lengths: Tensor | None,
    target: Tensor,
    target_lengths: Tensor,
    *,
    blank: int = 0,
    reduction: str = "sequence",
) -> Tensor:
    r"""Connectionist temporal classification: minus the log-probability of all alignments together.

    .. math:: E = -\frac1B\sum_{b=1}^B \log \sum_{\pi:\,\mathcal B(\pi) = y_b}\ \prod_{t} p(\pi_t \mid x_b)

    A path :math:`\pi` names a label or a blank in each frame; :math:`\mathcal B` merges repeated labels
    and drops blanks. PyTorch's forward-backward recursion computes the sum; here the batch comes first,
    every sequence counts the same, whatever its length, unless ``reduction`` says otherwise, and a target
    that cannot fit is refused.

    Args:
        log_probs: :math:`\log p`, shape ``(B, T, K)``.
        lengths: Real frames of each row, shape ``(B,)``; ``None`` for all.
        target: :math:`y`, labels other than the blank, padded with anything, shape ``(B, L)``.
        target_lengths: Labels of each row, shape ``(B,)``.
        blank: Place of the blank among the ``K``.
        reduction: ``"sequence"``, the mean over sequences, as above; ``"label"``, PyTorch's ``"mean"``, which
            first divides each by its number of labels; ``"sum"``; or ``"none"``, one loss per row.

    Example:
        >>> import torch
        >>> p = torch.tensor([[[0.6, 0.4], [0.6, 0.4]]])  # "1" by three of four paths: 0.64
        >>> ctc_loss(p.log(), None, torch.tensor([[1]]), torch.tensor([1])).neg().exp()
        tensor(0.6400)

    Reference:
        Graves et al., Connectionist Temporal Classification, 2006.
    """
    if lengths is None:
        lengths = target_lengths.new_full((len(log_probs),), log_probs.shape[1])
    choose("ctc_loss", "reduction", reduction, REDUCTIONS)
    K = log_probs.shape[-1]
    require(0 <= blank < K, f"ctc_loss: blank must be a place from 0 to {K - 1}", blank)
    _check_room(lengths, target, target_lengths)
    losses = F.ctc_loss(
        log_probs.transpose(0, 1), target, lengths, target_lengths, blank=blank, reduction="none"
    )
    if reduction == "label":
        losses = losses / target_lengths.clamp(min=1)
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.mean()


def _check_room(lengths: Tensor, target: Tensor, target_lengths: Tensor) -> None:
    """Every label needs a frame, and a repeated label a blank before it."""
    repeats = (target[:, 1:] == target[:, :-1]).cumsum(1)  # (B, L - 1)
    if target.shape[1] > 1:
        place = (target_lengths - 2).clamp(min=0)[:, None]
        repeats = repeats.gather(1, place).squeeze(1) * (target_lengths > 1)
    else:
        repeats = target_lengths.new_zeros(len(target))
    need = target_lengths + repeats
    if bool((need > lengths).any()):
        row = int((need > lengths).nonzero()[0])
        raise InvalidValue(
            "ctc_loss: lengths must leave a frame for each label and one between equal labels, "
            f"got {int(lengths[row])} frames for {int(need[row])} in row {row}. "
            "Use shorter targets or less subsampling."
        )
