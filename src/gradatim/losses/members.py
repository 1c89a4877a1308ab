"""The loss of an ensemble whose members learn each by itself."""

from torch import Tensor

from gradatim.errors import require
from gradatim.losses.named import Loss, build_loss


def over_members(loss: str | Loss) -> Loss:
    r"""The mean of the members' own losses, not the loss of their mean, which would let them lean on each other.

    .. math:: \ell(f, y) = \tfrac1K\sum_{k=1}^K \ell(f^k, y)

    Args:
        loss: A named loss or a function of outputs and targets, averaged over rows.

    Returns:
        A loss of outputs ``(N, K, ...)`` of :math:`K` members and of targets ``(N, ...)``.

    Example:
        >>> import torch
        >>> over_members("mse")(torch.tensor([[[1.0], [3.0]]]), torch.tensor([[2.0]]))
        tensor(1.)

    Reference:
        Gorishniy et al., TabM: Advancing Tabular Deep Learning with Parameter-Efficient Ensembling, 2025, section 3.
    """
    own = build_loss(loss)

    def of_members(output: Tensor, target: Tensor) -> Tensor:
        rule = "over_members: outputs must have shape (N, members, ...)"
        require(output.ndim > 2, rule, tuple(output.shape))
        repeated = target.repeat_interleave(output.shape[1], dim=0)
        return own(output.flatten(0, 1), repeated)

    return of_members
