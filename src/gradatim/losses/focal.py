"""Cross-entropy that looks away from what is already right."""

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.losses.class_rows import class_rows

IGNORED = -100  # the label that cross-entropy leaves out


@takes_arrays
def focal(output: Tensor, target: Tensor, gamma: float = 2.0) -> Tensor:
    r"""Weigh the cross-entropy of a row by how wrong it still is.

    .. math:: -\frac1B\sum_i (1 - p_i)^\gamma \log p_i, \qquad p_i = \operatorname{softmax}(z_i)_{y_i}

    With :math:`\gamma = 0` it is cross-entropy. A row that is right with :math:`p = 0.9` counts a hundredth at
    :math:`\gamma = 2`, so the many easy rows of a common class do not drown the few of a rare one. Its minimum is not at the
    true probabilities: those of a network trained so are too timid. For another :math:`\gamma` pass
    ``partial(focal, gamma=1.0)`` to a trainer.

    Args:
        output: Logits :math:`z`: of classes ``(B, K)``, of places ``(B, T, K)`` or ``(B, K, T)``; or one logit a row, ``(B,)`` or
            ``(B, 1)``, of the second of two classes.
        target: Class numbers :math:`y`, of which -100 is left out; zeros and ones for one logit a row.
        gamma: :math:`\gamma`, 0 or more.

    Example:
        >>> focal(torch.zeros(1, 2), torch.tensor([1]))  # (1/2)² log 2
        tensor(0.1733)
        >>> focal(torch.zeros(1), torch.tensor([1.0]), gamma=0.0)
        tensor(0.6931)

    Reference:
        Lin et al., Focal Loss for Dense Object Detection, 2017.
    """
    require(gamma >= 0, "focal: gamma must be 0 or more", gamma, "Try 2.0.")
    if output.ndim == 1 or (output.ndim == 2 and output.shape[1] == 1):
        logit = output.flatten()
        output = torch.stack([torch.zeros_like(logit), logit], 1)
        target = target.flatten()
    rows, labels = class_rows("focal", output, target.long())
    error = F.cross_entropy(rows, labels, ignore_index=IGNORED, reduction="none")  # -log p
    miss = (-torch.expm1(-error)).clamp(min=torch.finfo(error.dtype).tiny)  # 1 - p
    return (miss**gamma * error).sum() / (labels != IGNORED).sum().clamp(min=1)
