r"""Many dense layers for the price of little more than one: shared weights, and vectors of each member's own."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require, require_whole

STARTS = ("signs", "ones")


class BatchEnsembleLinear(nn.Module):
    r"""K dense layers whose weights differ by a matrix of rank one.

    .. math:: y_k = s_k \odot \bigl(W\,(r_k \odot x_k)\bigr) + b_k, \qquad k = 1 \dots K

    so member :math:`k` has the weights :math:`W \odot s_k r_k^\top`. All members go through one product of matrices.

    Args:
        input_dim: Width of :math:`x_k`.
        output_dim: Width of :math:`y_k`.
        num_members: :math:`K`.
        start: ``"signs"`` draws :math:`r_k` from ±1, which makes members differ from the beginning, as the first layer
            needs; ``"ones"`` begins with equal members. :math:`s_k` begins with ones.

    Example:
        >>> layer = BatchEnsembleLinear(3, 2, num_members=4)
        >>> layer(torch.ones(5, 3)).shape, layer(torch.ones(5, 4, 3)).shape  # one input for all members, or one each
        (torch.Size([5, 4, 2]), torch.Size([5, 4, 2]))

    Reference:
        Wen et al., BatchEnsemble, 2020, eq. 3. Gorishniy et al., TabM, 2025, section 3.
    """

    def __init__(
        self, input_dim: int, output_dim: int, *, num_members: int = 16, start: str = "signs"
    ) -> None:
        super().__init__()
        require_whole("BatchEnsembleLinear", input_dim=input_dim, output_dim=output_dim, num_members=num_members)  # fmt: skip
        choose("BatchEnsembleLinear", "start", start, STARTS)
        self.input_dim, self.output_dim, self.num_members, self.start = input_dim, output_dim, num_members, start  # fmt: skip
        bound = input_dim**-0.5
        self.weight = nn.Parameter(torch.empty(output_dim, input_dim).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(num_members, output_dim).uniform_(-bound, bound))
        signs = torch.randint(0, 2, (num_members, input_dim)) * 2.0 - 1.0
        self.r = nn.Parameter(signs if start == "signs" else torch.ones(num_members, input_dim))
        self.s = nn.Parameter(torch.ones(num_members, output_dim))

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        rule = f"BatchEnsembleLinear: x must have shape (N, {self.input_dim}) or (N, {self.num_members}, {self.input_dim})"
        require(x.shape[1:] in ((self.input_dim,), (self.num_members, self.input_dim)), rule, tuple(x.shape))  # fmt: skip
        x = x.unsqueeze(1) if x.ndim == 2 else x  # (N, 1 or K, in)
        return (x * self.r) @ self.weight.T * self.s + self.bias  # (N, K, out)
