import numpy as np
import torch
from scipy.optimize import least_squares

from gradatim.theory import levenberg_marquardt as lm


def exponential(x):
    """y = a exp(b x), with its Jacobian, for stacked (a, b)."""

    def model(params):
        a, b = params[:, :1], params[:, 1:]
        outputs = a * torch.exp(b * x)
        return outputs, torch.stack((torch.exp(b * x), outputs * x), dim=2)

    return model


def test_finds_what_scipy_finds_from_every_start():
    x = torch.linspace(0, 1, 30, dtype=torch.float64)
    y = 2.0 * torch.exp(-1.5 * x) + 0.05 * torch.sin(20 * x)
    start = torch.tensor([[1.0, 0.0], [3.0, -3.0], [0.5, 1.0]], dtype=torch.float64)
    model = exponential(x)
    state = lm.init(start, model, y)
    for _ in range(60):
        state, info = lm.step(state, model, y)
        assert info.accepted.shape == (3,)
    reference = least_squares(
        lambda p: p[0] * np.exp(p[1] * x.numpy()) - y.numpy(), [1.0, 0.0], xtol=1e-14, ftol=1e-14
    )
    np.testing.assert_allclose(state.params.numpy(), np.tile(reference.x, (3, 1)), atol=1e-7)


def test_loss_never_rises_and_bad_starts_do_not_spoil_good_ones():
    x = torch.linspace(0, 1, 30, dtype=torch.float64)
    y = torch.exp(x)
    model = exponential(x)
    start = torch.tensor([[0.5, 0.5], [1.0, 800.0]], dtype=torch.float64)  # the second overflows
    state = lm.init(start, model, y)
    for _ in range(30):
        following, _ = lm.step(state, model, y)
        assert following.loss[0] <= state.loss[0]
        state = following
    np.testing.assert_allclose(state.params[0].numpy(), [1.0, 1.0], atol=1e-6)


def test_both_forms_of_the_solve_agree():
    for shape in [(2, 9, 4), (2, 4, 9)]:
        jacobian = torch.randn(shape, dtype=torch.float64)
        residual, damping = torch.randn(shape[:2], dtype=torch.float64), torch.tensor([0.1, 2.0])
        delta = lm._damped_solve(jacobian, residual, damping)
        for J, r, lam, d in zip(jacobian, residual, damping, delta, strict=True):
            normal = J.T @ J / len(r) + lam * torch.eye(shape[2], dtype=torch.float64)
            torch.testing.assert_close(normal @ d, J.T @ r / len(r))


def test_is_stuck_at_the_minimum():
    x = torch.linspace(0, 1, 10, dtype=torch.float64)
    model, y = exponential(x), torch.exp(x)
    state = lm.init(torch.tensor([[1.0, 1.0]], dtype=torch.float64), model, y)
    assert not lm.is_stuck(state)
    for _ in range(60):
        state, _ = lm.step(state, model, y)
    assert lm.is_stuck(state)
