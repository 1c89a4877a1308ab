import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.nn import LRU


def test_equation():
    """One sequence, step by step, in complex numbers."""
    torch.manual_seed(0)
    layer = LRU(3, 4).double()
    cell = layer.recurrence.cells[0]
    x, h, expected = torch.randn(1, 40, 3, dtype=torch.float64), 0.0, []
    C = torch.view_as_complex(cell.C.detach()).conj()
    B = torch.complex(cell.B[:, 0], cell.B[:, 1]).detach() * cell.log_gamma.detach().exp()[:, None]
    for x_t in x[0]:
        normal = (x_t - x_t.mean()) / (x_t.var(correction=0) + 1e-5).sqrt()
        h = cell.eigenvalues().detach() * h + B @ normal.to(B.dtype)
        u = (C @ h).real + cell.d.detach()
        u = 0.5 * u * (1 + torch.erf(u / math.sqrt(2)))
        value, gate = layer.gated(u).detach().chunk(2)
        expected.append(x_t + value * torch.sigmoid(gate))
    torch.testing.assert_close(layer(x)[0][0], torch.stack(expected))


def test_padding_changes_nothing():
    layer = LRU(3).double()
    x = torch.randn(2, 50, 3, dtype=torch.float64)
    x[1, 20:] = float("nan")
    y, (h,) = layer(x, [50, 20])
    alone, (last,) = layer(x[1:, :20])
    torch.testing.assert_close(y[1, :20], alone[0])
    torch.testing.assert_close(h[:, 1:], last)
    assert not y[1, 20:].any()


def test_gradient():
    layer = LRU(2).double()
    x = torch.randn(1, 5, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: layer(x)[0], (x,))


def test_errors():
    with pytest.raises(InvalidValue, match=r"LRU: dropout must be from 0 to below 1, got 2\.0"):
        LRU(3, dropout=2.0)
