"""Whether a classifier sees in samples the classes that were asked for."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.generative.resampling import Estimate, mean_interval
from gradatim.nn.training_modes import evaluation_mode


@takes_arrays
@torch.no_grad()
def class_agreement(
    classifier: nn.Module, samples: Tensor, labels: Tensor, *, batch_size: int = 1024
) -> Estimate:
    r"""Share of samples in which a classifier sees the class that was asked for.

    .. math:: \frac1N\sum_i \bigl[\arg\max_k f_k(g_i) = c_i\bigr]

    It can be no surer than the classifier: put the same figure of real rows beside it.

    Args:
        classifier: :math:`f`, from samples to logits ``(N, K)``.
        samples: :math:`g`, shape ``(N, ...)``.
        labels: :math:`c`, class codes, shape ``(N,)``.
        batch_size: Rows at once.

    Example:
        >>> class_agreement(nn.Identity(), torch.eye(3), torch.tensor([0, 1, 2])).value
        1.0
    """
    rule = "class_agreement: samples and labels must be equally many, at least one"
    require(len(samples) == len(labels) > 0, rule, f"{len(samples)} and {len(labels)}")
    with evaluation_mode(classifier):
        said = [classifier(rows).argmax(1) for rows in samples.split(batch_size)]
    return mean_interval(torch.cat(said) == labels)
