"""The gated recurrent unit as first published."""

import torch
from torch import Tensor

from gradatim.nn.cells.cell import Cell, State
from gradatim.nn.mixing import interpolate


def reset_before(
    h: Tensor, projected: Tensor, gates: Tensor, candidate: Tensor
) -> tuple[Tensor, Tensor]:
    r"""Return the update gate and the candidate of a unit that resets before it multiplies.

    .. math::
        r_t = \sigma(p_r + U_r h_{t-1}), \qquad z_t = \sigma(p_z + U_z h_{t-1}), \qquad
        \tilde h_t = \tanh(p_h + U_h (r_t \odot h_{t-1}))

    Args:
        h: :math:`h_{t-1}`, shape ``(B, H)``.
        projected: :math:`p_r, p_z, p_h` side by side, shape ``(B, 3H)``.
        gates: :math:`U_r` above :math:`U_z`, shape ``(2H, H)``.
        candidate: :math:`U_h`, shape ``(H, H)``.

    Returns:
        :math:`z_t` and :math:`\tilde h_t`, each ``(B, H)``.
    """
    H = h.shape[-1]
    r, z = torch.addmm(projected[:, : 2 * H], h, gates.T).sigmoid().chunk(2, -1)
    return z, torch.addmm(projected[:, 2 * H :], r * h, candidate.T).tanh()


class ChoGRUCell(Cell):
    r"""The gated recurrent unit in the convention of Cho et al.

    .. math::
        r_t &= \sigma(W_r x_t + U_r h_{t-1} + b_r), \qquad z_t = \sigma(W_z x_t + U_z h_{t-1} + b_z), \\
        \tilde h_t &= \tanh(W_h x_t + U_h (r_t \odot h_{t-1}) + b_h), \qquad
        h_t = z_t \odot h_{t-1} + (1 - z_t) \odot \tilde h_t, \qquad y_t = h_t

    At :math:`z = 1` the state is kept. :class:`GRUCell` resets after the multiplication,
    :class:`ChungGRUCell` turns :math:`z` round.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.

    Example:
        >>> cell = ChoGRUCell(1, 2)
        >>> _ = torch.nn.init.constant_(cell.input.bias[2:4].detach(), 100.0)  # z = 1
        >>> cell((torch.tensor([[0.5, -0.5]]),), torch.ones(1, 1))[1].tolist()
        [[0.5, -0.5]]

    Reference:
        Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014, eqs. 5 to 8.
    """

    input_blocks, state_blocks = 3, 3

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        gates, candidate = self.recurrent.weight.split([2 * self.hidden_dim, self.hidden_dim])
        z, new = reset_before(state[0], projected, gates, candidate)
        h = interpolate(new, state[0], z)
        return (h,), h
