"""Losses that learn from comparisons: this answer rather than that one."""

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


@takes_arrays
def comparison_loss(chosen: Tensor, rejected: Tensor) -> Tensor:
    r"""Bradley and Terry's likelihood that the chosen answer beats the rejected one.

    .. math:: -\frac1B\sum_i \log\sigma(r_i^+ - r_i^-)

    Args:
        chosen: Rewards :math:`r^+`, shape ``(B,)``.
        rejected: Rewards :math:`r^-`, shape ``(B,)``.

    Example:
        >>> comparison_loss(torch.tensor([0.0]), torch.tensor([0.0]))
        tensor(0.6931)

    Reference:
        Ouyang et al., Training Language Models to Follow Instructions with Human Feedback, 2022, eq. 1.
    """
    return -F.logsigmoid(chosen - rejected).mean()


@takes_arrays
def dpo_loss(
    chosen: Tensor,
    rejected: Tensor,
    chosen_reference: Tensor,
    rejected_reference: Tensor,
    *,
    beta: float = 0.1,
) -> Tensor:
    r"""Direct preference optimization: the comparison loss of the reward that a policy implies.

    .. math:: -\frac1B\sum_i\log\sigma\Big(\beta\log\frac{\pi(y_i^+)}{\pi_0(y_i^+)}
        - \beta\log\frac{\pi(y_i^-)}{\pi_0(y_i^-)}\Big)

    The policy that maximizes :math:`\mathbb E[r] - \beta\,\mathrm{KL}(\pi\|\pi_0)` has
    :math:`r = \beta\log(\pi/\pi_0)` up to a constant, so no reward model is needed.

    Args:
        chosen: :math:`\log\pi(y^+)`, summed over an answer's tokens, shape ``(B,)``.
        rejected: :math:`\log\pi(y^-)`, shape ``(B,)``.
        chosen_reference: :math:`\log\pi_0(y^+)`, shape ``(B,)``.
        rejected_reference: :math:`\log\pi_0(y^-)`, shape ``(B,)``.
        beta: :math:`\beta`: small lets the policy go far from the reference.

    Example:
        >>> same = torch.tensor([-3.0, -5.0])
        >>> dpo_loss(same, same, same, same)
        tensor(0.6931)

    Reference:
        Rafailov et al., Direct Preference Optimization, 2023, eq. 7.
    """
    require(beta > 0, "dpo_loss: beta must be more than 0", beta, "Try 0.1.")
    return comparison_loss(
        beta * (chosen - chosen_reference), beta * (rejected - rejected_reference)
    )


@takes_arrays
def policy_loss(
    log_probs: Tensor, old_log_probs: Tensor, advantages: Tensor, *, clip: float | None = None
) -> Tensor:
    r"""Make good answers likelier and bad ones less likely.

    .. math:: -\frac1{BT}\sum_{i,t}\min\big(\rho_{it}A_i,\;
        \operatorname{clamp}(\rho_{it},1-\epsilon,1+\epsilon)A_i\big), \qquad
        \rho_{it} = \frac{\pi(y_{it})}{\pi_{\text{old}}(y_{it})}

    At :math:`\pi=\pi_{\text{old}}` its gradient is REINFORCE's, :math:`-A_i\nabla\log\pi(y_{it})`, averaged.
    Clipping takes away the reason to go further from the policy that drew the answers, so that they serve
    several steps.

    Args:
        log_probs: :math:`\log\pi(y_{it})`, shape ``(B, T)``.
        old_log_probs: :math:`\log\pi_{\text{old}}(y_{it})`, shape ``(B, T)``.
        advantages: :math:`A_i`, how much better than usual an answer is, shape ``(B,)``.
        clip: :math:`\epsilon`; ``None`` clips nothing.

    Example:
        >>> zero = torch.zeros(1, 2)
        >>> policy_loss(zero, zero, torch.tensor([3.0]))
        tensor(-3.)

    Reference:
        Williams, Simple Statistical Gradient-Following Algorithms, 1992; Schulman et al., Proximal
        Policy Optimization Algorithms, 2017, eq. 7.
    """
    ratio = (log_probs - old_log_probs).exp()  # (B, T)
    gain = ratio * advantages.unsqueeze(1)
    if clip is not None:
        clipped = ratio.clamp(1 - clip, 1 + clip) * advantages.unsqueeze(1)
        gain = torch.minimum(gain, clipped)
    return -gain.mean()
