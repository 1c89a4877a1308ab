r"""Distillation: a small network learns the odds that a large one gives.

A teacher's wrong classes carry knowledge (a 7 looks more like a 1 than like an 8). A temperature
:math:`T>1` brings it forward. As likelihood: the student is fitted by maximum likelihood to labels
drawn from the tempered teacher.
"""

import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.losses.class_rows import check_classes
from gradatim.losses.named import cross_entropy


def check_distillation(temperature: float, mix: float) -> None:
    """Raise unless temperature and mix can be used."""
    rule = "distillation: temperature must be more than 0"
    require(temperature > 0, rule, temperature, "Try 2.0.")
    require(0.0 <= mix <= 1.0, "distillation: mix must be in [0, 1]", mix, "Try 0.9.")


@takes_arrays
def tempered_cross_entropy(student: Tensor, teacher: Tensor, temperature: float = 2.0) -> Tensor:
    r"""Cross-entropy of the student's tempered odds under the teacher's.

    .. math::
        T^2 \cdot -\frac1B\sum_i\sum_k q_{ik}\,\log\operatorname{softmax}(g_i/T)_k, \qquad
        q_i = \operatorname{softmax}(f_i/T)

    Its gradient :math:`T(\operatorname{softmax}(g/T)-q)/B` hardly depends on :math:`T`, thanks to the
    factor :math:`T^2`, and for large :math:`T` is :math:`(g-f)/(BK)` of centred logits: least squares.

    Args:
        student: Logits :math:`g`, shape ``(B, K)``.
        teacher: Logits :math:`f`, shape ``(B, K)``; no gradient flows there.
        temperature: :math:`T`.

    Example:
        >>> import torch
        >>> z = torch.tensor([[1.0, 0.0]])
        >>> tempered_cross_entropy(z, z, temperature=1.0)  # the entropy of the odds e : 1
        tensor(0.5822)

    Reference:
        Hinton, Vinyals, Dean, Distilling the Knowledge in a Neural Network, 2015.
    """
    check_distillation(temperature, 0.0)
    check_classes("tempered_cross_entropy", student.shape[1])
    odds = (teacher.detach() / temperature).softmax(1)  # (B, K)
    return temperature**2 * F.cross_entropy(student / temperature, odds)


@takes_arrays
def distillation_loss(
    student: Tensor,
    teacher: Tensor,
    target: Tensor,
    *,
    temperature: float = 2.0,
    mix: float = 0.9,
) -> Tensor:
    r"""Mix what the teacher says with what the labels say.

    .. math:: \alpha\,E_T(g, f) + (1-\alpha)\,E(g, y)

    Args:
        student: Logits :math:`g`, shape ``(B, K)``.
        teacher: Logits :math:`f`, shape ``(B, K)``.
        target: Labels :math:`y`: class indices ``(B,)`` or probabilities ``(B, K)``.
        temperature: :math:`T` of :func:`tempered_cross_entropy`.
        mix: Share :math:`\alpha` of the teacher.

    Example:
        >>> import torch
        >>> g, f, y = torch.tensor([[1.0, 0.0]]), torch.tensor([[9.0, 0.0]]), torch.tensor([0])
        >>> hard = cross_entropy(g, y)
        >>> torch.equal(distillation_loss(g, f, y, mix=0.0), hard)
        True
    """
    check_distillation(temperature, mix)
    soft = tempered_cross_entropy(student, teacher, temperature)
    return mix * soft + (1.0 - mix) * cross_entropy(student, target)
