import pytest
import torch
from torch import nn

from gradatim import Trainer
from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.theory import empirical_ntk, kernel_regression, linearize


def test_it_is_the_tangent_of_the_network():
    """f(θ₀ + εβ) − h(εβ) falls as ε²."""
    model, x = MLP((3, 8, 2), activation="tanh").double(), torch.randn(5, 3).double()
    tangent, direction = linearize(model), torch.randn(8 * 4 + 9 * 2).double()
    gaps = []
    for eps in (1e-2, 1e-3):
        moved = MLP((3, 8, 2), activation="tanh").double()
        start = nn.utils.parameters_to_vector(model.parameters())
        nn.utils.vector_to_parameters(start + eps * direction, moved.parameters())
        tangent.beta.data = eps * direction
        gaps.append((moved(x) - tangent(x)).abs().max().item())
    assert 50 < gaps[0] / gaps[1] < 200


def test_it_is_linear_and_its_kernel_is_that_of_the_network():
    model, x = MLP((3, 8, 2), activation="tanh").double(), torch.randn(5, 3).double()
    kernel, tangent = empirical_ntk(model, x), linearize(model)
    tangent.beta.data = torch.randn_like(tangent.beta)
    torch.testing.assert_close(empirical_ntk(tangent, x), kernel)
    at = tangent(x)
    tangent.beta.data *= 2
    torch.testing.assert_close(tangent(x) - at, at - model(x))


def test_trained_to_the_end_it_answers_as_the_kernel_does():
    model, x, y = (
        MLP((2, 30, 1), activation="tanh").double(),
        torch.randn(6, 2).double(),
        torch.randn(6).double(),
    )
    new = torch.randn(4, 2).double()
    expected = kernel_regression(
        empirical_ntk(model, x, kind="trace"), y, empirical_ntk(model, new, x, kind="trace"),
        f_train=model(x)[:, 0].detach(), f_test=model(new)[:, 0].detach(),
    )  # fmt: skip
    tangent = linearize(model)
    optimizer = torch.optim.LBFGS(tangent.parameters(), line_search_fn="strong_wolfe", max_iter=50)
    Trainer(tangent, "mse", optimizer, epochs=20, batch_size=6, progress=False).fit((x, y))
    torch.testing.assert_close(tangent(new)[:, 0], expected, rtol=1e-3, atol=1e-3)


def test_the_model_is_left_alone_and_frozen_parameters_stay():
    model = MLP((2, 3, 1))
    model[0].requires_grad_(False)
    tangent = linearize(model)
    assert tangent.beta.shape == (4,)
    assert [p.requires_grad for p in model.parameters()] == [False, False, True, True]
    assert [p.requires_grad for p in tangent.model.parameters()] == [False] * 4
    with pytest.raises(
        InvalidValue, match=r"^linearize: model must have a trainable parameter, got none\."
    ):
        linearize(model.requires_grad_(False))
