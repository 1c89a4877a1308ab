"""Cross-entropy over the steps of padded sequences."""

import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.losses.class_rows import check_classes


@takes_arrays
def token_cross_entropy(output: Tensor, target: Tensor, padding: int = -100) -> Tensor:
    r"""Cross-entropy averaged over all real tokens of a batch.

    .. math:: E = -\frac{1}{N}\sum_{b,t:\,y_{bt}\ne\text{padding}} \log\operatorname{softmax}(z_{bt})_{y_{bt}}

    :math:`N` counts the tokens that are no padding; a batch of nothing but padding costs 0. :math:`E/\log 2` is the number of bits per token,
    :math:`e^E` the perplexity. For another padding pass ``partial(token_cross_entropy, padding=0)`` to
    a trainer.

    Args:
        output: Logits :math:`z`, shape ``(B, T, K)``.
        target: Tokens :math:`y`, shape ``(B, T)``.
        padding: Value of the target where there is none.

    Example:
        >>> import torch
        >>> token_cross_entropy(torch.zeros(2, 3, 4), torch.tensor([[3, 1, 2], [0, -100, -100]])).exp()
        tensor(4.)
    """
    if output.shape[:-1] != target.shape:
        wanted = ", ".join(map(str, target.shape))
        raise InvalidValue(
            f"token_cross_entropy: output must have shape ({wanted}, K), a row of logits for each "
            f"token of the target, got {tuple(output.shape)}."
        )
    check_classes("token_cross_entropy", output.shape[-1])
    count = (target != padding).sum().clamp(min=1)
    total = F.cross_entropy(
        output.flatten(0, -2), target.flatten(), ignore_index=padding, reduction="sum"
    )
    return total / count
