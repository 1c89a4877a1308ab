"""Rotary positions: complex multiplication, relative scores."""

import torch

from gradatim.nn import Rotary, rotate_pairs


def test_is_multiplication_by_complex_units():
    x = torch.randn(2, 7, 6, dtype=torch.float64)
    rotary = Rotary(6).double()
    turned = rotary(x, 3)
    for t in range(7):
        for i in range(3):
            unit = torch.polar(
                torch.tensor(1.0).double(), (t + 3) * torch.tensor(1e4).double() ** (-2 * i / 6)
            )
            z = torch.complex(x[:, t, i], x[:, t, i + 3]) * unit
            torch.testing.assert_close(turned[:, t, i], z.real, atol=1e-6, rtol=1e-6)
            torch.testing.assert_close(turned[:, t, i + 3], z.imag, atol=1e-6, rtol=1e-6)


def test_scores_depend_on_the_distance_only_and_lengths_stay():
    rotary = Rotary(8).double()
    q, k = torch.randn(2, 8, dtype=torch.float64)
    Q, K = rotary(q.expand(20, 8)), rotary(k.expand(20, 8))
    scores = Q @ K.T
    for distance in (-5, 0, 3, 12):
        diagonal = scores.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-5, rtol=0)
    torch.testing.assert_close(Q.norm(dim=1), q.norm().expand(20))
    torch.testing.assert_close(Q[0], q)


def test_turning_back_is_the_inverse_and_the_gradient_is_right():
    x, angles = torch.randn(3, 4, dtype=torch.float64), torch.randn(3, 2, dtype=torch.float64)
    torch.testing.assert_close(rotate_pairs(rotate_pairs(x, angles), -angles), x)
    assert torch.autograd.gradcheck(rotate_pairs, (x.requires_grad_(), angles.requires_grad_()))
