"""The time-delay neural network: a network on a window of the past, slid along the series."""

from collections.abc import Sequence

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.models import MLP


class TDNN(nn.Module):
    r"""A multi-layer perceptron on the last :math:`p` steps, the nonlinear autoregression.

    .. math:: \hat y_t=f([x_{t-p+1},\dots,x_t]),\qquad
        h_1=\phi(W_1[\cdot]+b_1),\quad h_\ell=\phi(W_\ell h_{\ell-1}+b_\ell),\quad f=W_Lh_{L-1}+b_L

    The same weights read every window, so the whole is a convolution over time, and all windows are
    computed at once. Waibel's network also has delays in its hidden layers; this one has them at the
    input only.

    Args:
        order: Steps :math:`p` of a window.
        input_dim: Variables of a step.
        output_dim: Values predicted from a window.
        hidden: Widths of the hidden layers; none gives a linear autoregression.
        activation: Name of :math:`\phi`.
        dropout: Probability to *drop* a hidden unit.

    Shape:
        Input ``(B, T, input_dim)`` with ``T >= order``; output ``(B, T - order + 1, output_dim)``, the
        first from steps ``0 … order - 1``. Windows of :func:`windows` give one output each.

    Example:
        >>> import torch
        >>> TDNN(5, input_dim=2, hidden=(16,))(torch.zeros(3, 20, 2)).shape
        torch.Size([3, 16, 1])

    Reference:
        Waibel et al., Phoneme recognition using time-delay neural networks, 1989.
    """

    def __init__(
        self,
        order: int,
        *,
        input_dim: int = 1,
        output_dim: int = 1,
        hidden: Sequence[int] = (32,),
        activation: str = "relu",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if order < 1 or input_dim < 1:
            raise InvalidValue(
                f"TDNN: order and input_dim must be at least 1, got {order} and {input_dim}."
            )
        self.order, self.input_dim, self.output_dim = order, input_dim, output_dim
        sizes = (order * input_dim, *hidden, output_dim)
        self.network = MLP(sizes, activation=activation, dropout=dropout)

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        if x.ndim != 3 or x.shape[2] != self.input_dim or x.shape[1] < self.order:
            raise InvalidValue(
                f"TDNN: x must have shape (B, T, {self.input_dim}) with at least {self.order} steps T, "
                f"got {tuple(x.shape)}."
            )
        past = x.unfold(1, self.order, 1).mT  # (B, N, order, input_dim)
        outputs = self.network(past.flatten(0, 1))  # (B·N, output_dim)
        return outputs.unflatten(0, past.shape[:2])
