"""Dense layers that are told a time and a class: the network of diffusion and flows on points and rows of tables."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require
from gradatim.models.condition import Condition
from gradatim.models.sizes import check_counts


class TimeBlock(nn.Module):
    r"""A change of the hidden row that depends on the condition :math:`c`.

    .. math:: h' = h + W_2 \operatorname{drop}\operatorname{silu}(W_1 \operatorname{LN}(h) + W_c c)
    """

    def __init__(self, dim: int, condition_dim: int, dropout: float) -> None:
        super().__init__()
        self.norm, self.first = nn.LayerNorm(dim), nn.Linear(dim, dim)
        self.condition = nn.Linear(condition_dim, dim)
        self.drop, self.second = nn.Dropout(dropout), nn.Linear(dim, dim)
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)

    def forward(self, h: Tensor, c: Tensor) -> Tensor:
        change = nn.functional.silu(self.first(self.norm(h)) + self.condition(c))  # (B, dim)
        return h + self.second(self.drop(change))


class TimeMLP(nn.Module):
    r"""From a row, a time and perhaps a class to a row as long.

    .. math:: h_0 = W_0 x + b_0, \qquad h_\ell = h_{\ell-1} + f_\ell(h_{\ell-1}, c(t, k)), \qquad y = W_L \operatorname{LN}(h_{L-1})

    It begins as zero. Rows should have mean 0 and deviation about 1 per column.

    Args:
        dim: Numbers of a row.
        num_classes: Classes that may be asked for; ``None`` for none.
        hidden_dim: Width of the hidden rows.
        num_layers: Residual blocks :math:`f_\ell` of two dense layers.
        condition_dim: Width of what is known of time and class, even.
        dropout: Probability to *drop* a hidden unit of a block.

    Attributes:
        sample_shape: Shape of what it makes: ``(dim,)``.

    Example:
        >>> import torch
        >>> TimeMLP(2, num_classes=3)(torch.zeros(5, 2), torch.rand(5), torch.tensor([0, 1, 2, 3, 3])).shape
        torch.Size([5, 2])
    """

    def __init__(
        self,
        dim: int,
        num_classes: int | None = None,
        *,
        hidden_dim: int = 256,
        num_layers: int = 3,
        condition_dim: int = 64,
        dropout: float = 0.0,
    ) -> None:
        check_counts("TimeMLP", dim=dim, hidden_dim=hidden_dim, num_layers=num_layers)
        require(0 <= dropout < 1, "TimeMLP: dropout must be in [0, 1)", dropout)
        super().__init__()
        self.dim, self.num_classes, self.hidden_dim = dim, num_classes, hidden_dim
        self.num_layers, self.condition_dim, self.dropout = num_layers, condition_dim, dropout
        self.sample_shape = (dim,)
        self.condition = Condition("TimeMLP", condition_dim, num_classes)
        self.first = nn.Linear(dim, hidden_dim)
        self.blocks = nn.ModuleList(
            TimeBlock(hidden_dim, condition_dim, dropout) for _ in range(num_layers)
        )
        self.norm, self.readout = nn.LayerNorm(hidden_dim), nn.Linear(hidden_dim, dim)
        nn.init.zeros_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)

    @takes_arrays
    def forward(self, x: Tensor, time: Tensor, label: Tensor | None = None) -> Tensor:
        """Answer for rows ``x``, shape ``(B, dim)``, at times from 0 to 1, with classes of which the one after the last is none."""
        if x.ndim != 2 or x.shape[1] != self.dim:
            raise InvalidValue(
                f"TimeMLP: x must have shape (B, {self.dim}), got {tuple(x.shape)}. Build the model for the rows."
            )
        c = self.condition(time, label)  # (B, condition_dim)
        h = self.first(x)  # (B, hidden_dim)
        for block in self.blocks:
            h = block(h, c)
        return self.readout(self.norm(h))  # (B, dim)
