"""The temporal convolutional network: causal convolutions whose reach doubles from block to block."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require, require_whole
from gradatim.nn import initialize, normalize_weights, real_steps


class CausalBlock(nn.Module):
    r"""Two causal convolutions beside a shortcut.

    .. math::
        F(x) = D\,\phi(b_2 + w_2 *_d D\,\phi(b_1 + w_1 *_d x)), \qquad y = \phi(F(x) + Vx), \qquad
        (w *_d x)_t = \sum_{i=0}^{k-1} w_i\,x_{t-di}

    :math:`\phi` is the rectifier, :math:`D` dropout, :math:`x_t = 0` before the first step, and :math:`V` the identity
    where the widths agree.

    Args:
        input_dim: Width of :math:`x_t`.
        output_dim: Width of :math:`y_t`.
        dilation: Steps between neighbouring taps, :math:`d`.
        kernel_size: Taps, :math:`k`.
        dropout: Probability to drop an entry behind either convolution.
    """

    def __init__(
        self, input_dim: int, output_dim: int, *, dilation: int, kernel_size: int, dropout: float
    ) -> None:
        super().__init__()
        self.past = (kernel_size - 1) * dilation  # steps before the present that a tap reaches
        self.first = nn.Conv1d(input_dim, output_dim, kernel_size, dilation=dilation)
        self.second = nn.Conv1d(output_dim, output_dim, kernel_size, dilation=dilation)
        self.shortcut = (
            nn.Identity() if input_dim == output_dim else nn.Conv1d(input_dim, output_dim, 1)
        )
        self.drop = nn.Dropout(dropout)
        initialize(self, "he")

    def forward(self, x: Tensor) -> Tensor:
        """Return :math:`y`, shape ``(B, output_dim, T)``, of ``x``, shape ``(B, input_dim, T)``."""
        change = self.drop(torch.relu(self.first(functional.pad(x, (self.past, 0)))))
        change = self.drop(torch.relu(self.second(functional.pad(change, (self.past, 0)))))
        return torch.relu(change + self.shortcut(x))


class TCN(nn.Module):
    r"""Read a sequence with causal dilated convolutions: an output sees the present and the past, never the future.

    .. math:: y^{(0)} = x, \qquad y^{(\ell)} = \mathrm{block}_{d=2^{\ell-1}}(y^{(\ell-1)}), \qquad \ell = 1,\dots,L

    Blocks are residual, of two convolutions with :math:`k` taps each, so an output sees

    .. math:: r = 1 + 2(k-1)\sum_{\ell=1}^{L} 2^{\ell-1} = 1 + 2(k-1)(2^L-1)

    steps, :attr:`receptive_field`. All steps are computed at once. Padding never changes a result: a sequence gives
    the same outputs alone and in a padded batch, and outputs at padding are zero.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of every :math:`y^{(\ell)}_t`.
        num_layers: Blocks, :math:`L`.
        kernel_size: Taps, :math:`k`, two or more.
        dropout: Probability to drop an entry behind a convolution.
        is_weight_normalized: Whether length and direction of the weights learn apart, as in the paper.

    Example:
        >>> tcn = TCN(3, 16, num_layers=4)
        >>> tcn.receptive_field, tcn(torch.randn(2, 50, 3), torch.tensor([50, 20])).shape
        (61, torch.Size([2, 50, 16]))

    Reference:
        Bai, Kolter and Koltun, An Empirical Evaluation of Generic Convolutional and Recurrent Networks for Sequence
        Modeling, 2018. There whole channels are dropped and weights start at 0.01; here single entries are, and
        weights start as He et al. say.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        num_layers: int = 4,
        kernel_size: int = 3,
        dropout: float = 0.0,
        is_weight_normalized: bool = False,
    ) -> None:
        super().__init__()
        require_whole("TCN", input_dim=input_dim, hidden_dim=hidden_dim, num_layers=num_layers)
        require(kernel_size >= 2, "TCN: kernel_size must be 2 or more", kernel_size)
        require(0.0 <= dropout < 1.0, "TCN: dropout must be from 0 to below 1", dropout)
        self.input_dim, self.hidden_dim, self.num_layers = input_dim, hidden_dim, num_layers
        self.kernel_size, self.dropout = kernel_size, dropout
        self.is_weight_normalized, self.output_dim = is_weight_normalized, hidden_dim
        widths = [input_dim] + [hidden_dim] * (num_layers - 1)
        self.blocks = nn.Sequential(
            *(
                CausalBlock(
                    width, hidden_dim, dilation=2**k, kernel_size=kernel_size, dropout=dropout
                )
                for k, width in enumerate(widths)
            )
        )
        if is_weight_normalized:
            normalize_weights(self)

    @property
    def receptive_field(self) -> int:
        """Steps that an output sees, itself included."""
        return 1 + 2 * (self.kernel_size - 1) * (2**self.num_layers - 1)

    @takes_arrays
    def forward(self, x: Tensor, lengths: object | None = None) -> Tensor:
        """Run over a padded batch.

        Args:
            x: Vectors ``(B, T, input_dim)``.
            lengths: Real steps of each sequence, from 0 to ``T``; all ``T`` by default.

        Returns:
            Outputs ``(B, T, hidden_dim)``, zero at padding.
        """
        if x.ndim != 3 or x.shape[-1] != self.input_dim or not x.is_floating_point():
            raise InvalidValue(
                f"TCN: x must be real numbers of shape (batch, time, {self.input_dim}), got "
                f"{x.dtype} of shape {tuple(x.shape)}."
            )
        is_real = real_steps("TCN", x, lengths)
        if is_real is not None:
            x = x.masked_fill(~is_real[..., None], 0.0)  # padding may hold anything, NaN included
        outputs = self.blocks(x.mT).mT if x.shape[1] else x.new_zeros(len(x), 0, self.hidden_dim)
        return outputs if is_real is None else outputs.masked_fill(~is_real[..., None], 0.0)
