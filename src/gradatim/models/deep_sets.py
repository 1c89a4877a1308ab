"""Networks on sets: the order of the elements plays no part."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require_whole
from gradatim.nn.attention_pooling import AttentionPooling
from gradatim.nn.set_pooling import POOLINGS, pool_sets

ATTENTION = "attention"


class SetPooling(nn.Module):
    """One row per set: a fixed pooling, or one by attention.

    Args:
        dim: Width of an element.
        pooling: ``"sum"``, ``"mean"``, ``"max"``, ``"min"`` or ``"attention"``.

    Example:
        >>> SetPooling(4, "attention")(torch.randn(2, 5, 4)).shape
        torch.Size([2, 4])
    """

    def __init__(self, dim: int, pooling: str) -> None:
        super().__init__()
        self.pooling = choose("SetPooling", "pooling", pooling, (*POOLINGS, ATTENTION))
        self.attention = AttentionPooling(dim) if pooling == ATTENTION else None

    @takes_arrays
    def forward(self, x: Tensor, is_real: Tensor | None = None) -> Tensor:
        if self.attention is None:
            return pool_sets(x, is_real, pooling=self.pooling)
        return self.attention(x, is_real)[0]


class DeepSets(nn.Module):
    r"""A function of a set: :math:`f(X) = f(PX)` for every order of its elements.

    .. math:: f(x_1, \dots, x_M) = \rho\Bigl(\bigoplus_{m=1}^M \phi(x_m)\Bigr)

    Args:
        input_dim: Width of an element.
        hidden_dim: Width of :math:`\phi`'s and :math:`\rho`'s hidden layers.
        output_dim: Width of the output.
        pooling: ``"sum"``, ``"mean"``, ``"max"``, ``"min"`` or ``"attention"``.
        latent_dim: Width of the pooled row, ``hidden_dim`` by default. To be exact on sets of :math:`M` numbers, a sum of
            continuous features may need as many.

    Example:
        >>> DeepSets(3, 16, 2)(torch.randn(4, 7, 3)).shape
        torch.Size([4, 2])

    Reference:
        Zaheer et al., Deep Sets, 2017. Wagstaff et al., On the Limitations of Representing Functions on Sets, 2019.
    """

    def __init__(
        self, input_dim: int, hidden_dim: int, output_dim: int, *, pooling: str = "sum", latent_dim: int | None = None
    ) -> None:  # fmt: skip
        super().__init__()
        latent_dim = hidden_dim if latent_dim is None else latent_dim
        require_whole("DeepSets", input_dim=input_dim, hidden_dim=hidden_dim, output_dim=output_dim, latent_dim=latent_dim)  # fmt: skip
        self.input_dim, self.hidden_dim, self.output_dim, self.pooling = input_dim, hidden_dim, output_dim, pooling  # fmt: skip
        self.latent_dim = latent_dim
        self.element = _two_layers(input_dim, hidden_dim, latent_dim)
        self.pool = SetPooling(latent_dim, pooling)
        self.readout = _two_layers(latent_dim, hidden_dim, output_dim)

    @takes_arrays
    def forward(self, x: Tensor, is_real: Tensor | None = None) -> Tensor:
        """Answer for every set.

        Args:
            x: Elements, shape ``(B, M, input_dim)``.
            is_real: False at padding, shape ``(B, M)``; ``None`` where there is none.
        """
        return self.readout(self.pool(self.element(x), is_real))


class EquivariantDeepSets(nn.Module):
    r"""A function of every element among the others: :math:`f(PX) = P f(X)`.

    .. math:: y_m = \rho\Bigl(x_m, \bigoplus_{n=1}^M \phi(x_n)\Bigr)

    Args:
        input_dim: Width of an element.
        hidden_dim: Width of hidden layers, and of the pooled row.
        output_dim: Width of the output of an element.
        pooling: ``"sum"``, ``"mean"``, ``"max"``, ``"min"`` or ``"attention"``.

    Example:
        >>> EquivariantDeepSets(3, 16, 2)(torch.randn(4, 7, 3)).shape
        torch.Size([4, 7, 2])

    Reference:
        Zaheer et al., Deep Sets, 2017.
    """

    def __init__(
        self, input_dim: int, hidden_dim: int, output_dim: int, *, pooling: str = "sum"
    ) -> None:
        super().__init__()
        require_whole(
            "EquivariantDeepSets", input_dim=input_dim, hidden_dim=hidden_dim, output_dim=output_dim
        )
        self.input_dim, self.hidden_dim, self.output_dim, self.pooling = input_dim, hidden_dim, output_dim, pooling  # fmt: skip
        self.element = _two_layers(input_dim, hidden_dim, hidden_dim)
        self.pool = SetPooling(hidden_dim, pooling)
        self.readout = _two_layers(input_dim + hidden_dim, hidden_dim, output_dim)

    @takes_arrays
    def forward(self, x: Tensor, is_real: Tensor | None = None) -> Tensor:
        """Answer for every element; what stands at padding means nothing.

        Args:
            x: Elements, shape ``(B, M, input_dim)``.
            is_real: False at padding, shape ``(B, M)``; ``None`` where there is none.
        """
        whole = self.pool(self.element(x), is_real)[:, None].expand(-1, x.shape[1], -1)
        return self.readout(torch.cat([x, whole], -1))  # (B, M, output_dim)


def _two_layers(input_dim: int, hidden_dim: int, output_dim: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(input_dim, hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, output_dim)
    )
