"""The gated recurrent unit with the update gate the other way round."""

from torch import Tensor

from gradatim.nn.cells.cell import Cell, State
from gradatim.nn.cells.gru_cho import reset_before
from gradatim.nn.mixing import interpolate


class ChungGRUCell(Cell):
    r"""The gated recurrent unit in the convention of Chung et al.

    .. math::
        r_t &= \sigma(W_r x_t + U_r h_{t-1} + b_r), \qquad z_t = \sigma(W_z x_t + U_z h_{t-1} + b_z), \\
        \tilde h_t &= \tanh(W_h x_t + U_h (r_t \odot h_{t-1}) + b_h), \qquad
        h_t = (1 - z_t) \odot h_{t-1} + z_t \odot \tilde h_t, \qquad y_t = h_t

    At :math:`z = 0` the state is kept, at :math:`z = 1` all is new: with :math:`W_z, U_z, b_z` negated
    it is :class:`ChoGRUCell`.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.

    Example:
        >>> import torch
        >>> cell = ChungGRUCell(1, 2)
        >>> _ = torch.nn.init.constant_(cell.input.bias[2:4].detach(), -100.0)  # z = 0
        >>> cell((torch.tensor([[0.5, -0.5]]),), torch.ones(1, 1))[1].tolist()
        [[0.5, -0.5]]

    Reference:
        Chung et al., Empirical Evaluation of Gated Recurrent Neural Networks on Sequence Modeling, 2014.
    """

    input_blocks, state_blocks = 3, 3

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        gates, candidate = self.recurrent.weight.split([2 * self.hidden_dim, self.hidden_dim])
        z, new = reset_before(state[0], projected, gates, candidate)
        h = interpolate(state[0], new, z)
        return (h,), h
