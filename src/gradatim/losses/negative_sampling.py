"""Tell true pairs from drawn ones: the loss of word vectors."""

from torch import Tensor
from torch.nn import functional as F

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


@takes_arrays
def negative_sampling(output: Tensor, target: Tensor) -> Tensor:
    r"""Logistic loss of a true pair against :math:`K` drawn ones, summed over them and averaged over the batch.

    .. math:: E = -\frac1B\sum_b \Bigl[\log\sigma(s_{b0}) + \sum_{k=1}^{K} \log\sigma(-s_{bk})\Bigr]

    Args:
        output: Scores :math:`s`, shape ``(B, 1 + K)``.
        target: 1 where the pair is true, 0 where it was drawn, shape of ``output``.

    Example:
        >>> import torch
        >>> negative_sampling(torch.zeros(2, 3), torch.tensor([[1, 0, 0], [1, 0, 0]])) / torch.tensor(2.0).log()
        tensor(3.)

    Reference:
        Mikolov et al., Distributed Representations of Words and Phrases and their Compositionality, 2013, eq. 4.
    """
    if output.shape != target.shape or output.ndim != 2:
        raise InvalidValue(
            f"negative_sampling: output must be scores (B, 1 + K) of the target's shape, got {tuple(output.shape)} and "
            f"{tuple(target.shape)}."
        )
    truth = target.to(output.dtype)
    return F.binary_cross_entropy_with_logits(output, truth, reduction="sum") / len(output)
