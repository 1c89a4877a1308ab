"""Cross-entropy of where an answer starts and where it ends."""

import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


@takes_arrays
def span_cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    r"""Mean of the cross-entropies of both ends of a stretch of tokens.

    .. math:: E = -\frac{1}{2B}\sum_b \log p_b(\text{start}=i_b) + \log p_b(\text{end}=j_b)

    Args:
        output: Logits of starts and ends, shape ``(B, T, 2)``.
        target: First and last place :math:`(i, j)`, shape ``(B, 2)``.

    Example:
        >>> import torch
        >>> span_cross_entropy(torch.zeros(1, 4, 2), torch.tensor([[1, 2]])).exp()
        tensor(4.)

    Reference:
        Devlin et al., BERT, 2019, section 4.2.
    """
    if output.ndim != 3 or output.shape[2] != 2 or target.shape != (len(output), 2):
        raise InvalidValue(
            "span_cross_entropy: output must have shape (B, T, 2) and target (B, 2), "
            f"got {tuple(output.shape)} and {tuple(target.shape)}."
        )
    return F.cross_entropy(output, target)
