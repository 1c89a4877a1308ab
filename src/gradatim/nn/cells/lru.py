"""The linear recurrent unit."""

from math import pi, sqrt

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.errors import InvalidValue
from gradatim.nn.cells.cell import Cell, State, last_real
from gradatim.nn.plain_path import at_least_single
from gradatim.nn.scan import linear_scan


def ring(
    count: int,
    r_min: float,
    r_max: float,
    max_phase: float,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    r"""Draw the moduli and phases of numbers spread evenly over a ring of the complex plane.

    .. math:: r = \sqrt{r_{min}^2 + u\,(r_{max}^2 - r_{min}^2)}, \qquad \phi = u'\,\phi_{max}, \qquad
        u, u' \sim U(0, 1)

    Args:
        count: How many.
        r_min: Inner radius.
        r_max: Outer radius.
        max_phase: :math:`\phi_{max}`; :math:`2\pi` for the whole ring.
        generator: Source of randomness.

    Returns:
        Moduli and phases, each ``(count,)``.

    Example:
        >>> r, phase = ring(1000, 0.9, 0.99, 0.1)
        >>> bool(((0.9 <= r) & (r <= 0.99)).all()), bool((phase <= 0.1).all())
        (True, True)
    """
    u = torch.rand(2, count, generator=generator)
    return torch.sqrt(r_min**2 + u[0] * (r_max**2 - r_min**2)), max_phase * u[1]


class LRUCell(Cell):
    r"""The linear recurrent unit: a diagonal linear recurrence over the complex numbers.

    .. math::
        h_t = \lambda \odot h_{t-1} + \gamma \odot (B x_t), \qquad
        y_t = \mathrm{Re}(C h_t) + d, \qquad \lambda = \exp(-e^{\nu} + i\phi)

    A real linear recurrence of width :math:`H` is this one in the basis of its eigenvectors. Their
    eigenvalues come in conjugate pairs, and one number :math:`h` of each pair says all, so the state
    is :math:`H/2` complex numbers. Whatever :math:`\nu` and :math:`\phi` are, :math:`|\lambda| < 1`:
    the state cannot explode. States are complex numbers of single precision or more, in half precision too. :math:`\gamma` starts at :math:`\sqrt{1-|\lambda|^2}`, where white noise
    in gives a state of the same variance for every :math:`\lambda`. :func:`gradatim.nn.linear_scan`
    runs it over all times at once.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width :math:`H` of :math:`y_t` and, counted in real numbers, of :math:`h_t`.
        r_min: Smallest initial :math:`|\lambda|`.
        r_max: Largest initial :math:`|\lambda|`; the memory reaches back some :math:`1/(1-|\lambda|)` steps.
        max_phase: Largest initial :math:`\phi`; small for long memories.

    Example:
        >>> cell = LRUCell(3, 8, r_min=0.9, r_max=0.999)
        >>> cell.eigenvalues().shape, bool((cell.eigenvalues().abs() < 1).all())
        (torch.Size([4]), True)

    Reference:
        Orvieto et al., Resurrecting Recurrent Neural Networks for Long Sequences, 2023. There
        :math:`\phi` is the exponential of a parameter, and :math:`D x_t` is added to :math:`y_t`,
        which :math:`CB x_t`, a part of :math:`C h_t`, can do as well.
    """

    is_complex = True

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        r_min: float = 0.0,
        r_max: float = 1.0,
        max_phase: float = 2 * pi,
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        if not 0.0 <= r_min < r_max <= 1.0:
            raise InvalidValue(
                f"LRUCell: r_min must be below r_max, both from 0 to 1, got {r_min} and {r_max}."
            )
        self.r_min, self.r_max, self.max_phase = r_min, r_max, max_phase
        self.state_dim = N = (hidden_dim + 1) // 2
        r, phase = ring(N, r_min, r_max, max_phase)
        r = r.clamp(1e-6, 1 - 1e-6)
        self.nu = nn.Parameter(torch.log(-torch.log(r)))
        self.phase = nn.Parameter(phase)
        self.log_gamma = nn.Parameter(0.5 * torch.log1p(-r * r))
        # Re B, Im B along the second axis and Re C, -Im C along the last: as real maps they need no copies
        self.B = nn.Parameter(torch.randn(N, 2, input_dim) / sqrt(2 * input_dim))
        self.C = nn.Parameter(torch.randn(hidden_dim, N, 2) / sqrt(N))
        self.d = nn.Parameter(torch.zeros(hidden_dim))

    def eigenvalues(self) -> Tensor:
        r"""Return :math:`\lambda`, one of each conjugate pair."""
        nu, phase = at_least_single(self.nu), at_least_single(self.phase)
        return torch.polar(torch.exp(-torch.exp(nu)), phase)

    def project(self, x: Tensor) -> Tensor:
        B = (self.B * self.log_gamma.exp()[:, None, None]).flatten(0, 1)  # (2N, D)
        parts = at_least_single(functional.linear(x, B)).unflatten(-1, (-1, 2))
        return torch.view_as_complex(parts)  # (..., N)

    def _read(self, h: Tensor) -> Tensor:
        parts = torch.view_as_real(h).flatten(-2).to(self.C.dtype)  # (..., 2N)
        return functional.linear(parts, self.C.flatten(1), self.d)

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        h = torch.addcmul(projected, self.eigenvalues(), state[0])
        return (h,), self._read(h)

    def unroll(
        self, x: Tensor, state: State, is_real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        h = linear_scan(self.eigenvalues(), self.project(x), state[0])  # (B, T, N)
        last = h[:, -1] if is_real is None else last_real(h, state[0], is_real)
        return self._read(h), (last,)
