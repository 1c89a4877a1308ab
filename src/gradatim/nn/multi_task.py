"""Several tasks on one representation."""

from collections.abc import Mapping

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


class MultiTask(nn.Module):
    r"""A shared trunk with one head a task.

    .. math:: f_k(x) = g_k(h(x)), \qquad E = \sum_k \alpha_k E_k

    What all tasks need is learned from all their labels; what only one would like to memorize meets the
    others' resistance.

    Args:
        trunk: :math:`h`, maps inputs to features.
        heads: :math:`g_k` by task name.

    Example:
        >>> import torch
        >>> model = MultiTask(nn.Linear(4, 8), {"digit": nn.Linear(8, 10), "parity": nn.Linear(8, 1)})
        >>> {task: tuple(out.shape) for task, out in model(torch.ones(2, 4)).items()}
        {'digit': (2, 10), 'parity': (2, 1)}
    """

    def __init__(self, trunk: nn.Module, heads: Mapping[str, nn.Module]) -> None:
        super().__init__()
        if not heads:
            raise InvalidValue("MultiTask: heads must name at least one task, got none.")
        self.trunk, self.heads = trunk, nn.ModuleDict(heads)

    @takes_arrays
    def forward(self, x: Tensor) -> dict[str, Tensor]:
        features = self.trunk(x)
        return {task: head(features) for task, head in self.heads.items()}
