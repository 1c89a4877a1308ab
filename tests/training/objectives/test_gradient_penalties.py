"""Gradient penalties against closed forms, and the flow that descent follows."""

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.losses import mse
from gradatim.models import BERT, BERTClassifier, SequenceClassifier
from gradatim.training import GradientNormPenalty, GradientVariancePenalty, Trainer

GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(12, 3, generator=GENERATOR, dtype=torch.float64)
Y = torch.randn(12, 1, generator=GENERATOR, dtype=torch.float64)


def model():
    layer = nn.Linear(3, 1, bias=False).double()
    layer.weight.data = torch.tensor([[0.5, -1.0, 2.0]], dtype=torch.float64)
    return layer


def gradient(w, X, Y):
    return 2 / len(X) * (X @ w.T - Y).T @ X


def test_norm_and_its_derivative_for_least_squares():
    """∇ ‖∇E‖² = 2 H ∇E with H = 2 XᵀX / N."""
    layer = model()
    figures = GradientNormPenalty(0.8, "mse")(layer, (X, Y))
    w = layer.weight.detach()
    g = gradient(w, X, Y)
    torch.testing.assert_close(figures["gradient_norm"].detach(), g.square().sum())
    expected = (X @ w.T - Y).square().mean() + 0.2 * g.square().sum()
    torch.testing.assert_close(figures["loss"].detach(), expected)
    figures["loss"].backward()
    H = 2 / 12 * X.T @ X
    torch.testing.assert_close(layer.weight.grad, g + 0.2 * 2 * g @ H)


def test_variance_over_parts():
    layer = model()
    figures = GradientVariancePenalty(0.4, parts=3, loss="mse")(layer, (X, Y))
    w = layer.weight.detach()
    parts = torch.cat([gradient(w, X[i : i + 4], Y[i : i + 4]) for i in (0, 4, 8)])
    full = gradient(w, X, Y)
    variance = (parts - full).square().sum(1).mean()
    torch.testing.assert_close(figures["gradient_variance"].detach(), variance)
    torch.testing.assert_close(
        figures["loss"].detach(), (X @ w.T - Y).square().mean() + 0.1 * variance
    )
    figures["loss"].backward()
    assert layer.weight.grad.abs().sum() > 0


def test_batches_that_agree_have_no_variance():
    figures = GradientVariancePenalty(1.0, parts=2, loss="mse")(
        model(), (X.repeat(2, 1), Y.repeat(2, 1))
    )
    assert figures["gradient_variance"].item() < 1e-20


def test_descent_follows_the_flow_of_the_penalized_loss():
    """E = h w²/2: a step multiplies by 1 − ηh; the flow of E + η/4 |E'|² comes closer than that of E."""
    h, eta = 2.0, 0.1
    step = torch.tensor(1 - eta * h, dtype=torch.float64)
    plain = torch.exp(torch.tensor(-eta * h, dtype=torch.float64))
    modified = torch.exp(torch.tensor(-eta * (h + eta / 2 * h * h), dtype=torch.float64))
    assert (step - modified).abs() < 0.2 * (step - plain).abs()


@pytest.mark.parametrize("build", [GradientNormPenalty, GradientVariancePenalty])
def test_trainer_validates_without_the_penalty(build):
    layer = model()
    trainer = Trainer(layer, "mse", "sgd", lr=0.01, epochs=2, objective=build(1.0, loss="mse"))
    history = trainer.fit((X, Y), (X, Y))
    assert history["validation_loss"][-1] == pytest.approx(mse(layer(X), Y).item())


def test_errors():
    with pytest.raises(
        GradatimError, match="GradientNormPenalty: weight must be at least 0, got -1"
    ):
        GradientNormPenalty(-1)
    with pytest.raises(GradatimError, match="parts must be at least 2, got 1"):
        GradientVariancePenalty(1, parts=1)


@pytest.mark.parametrize(
    ("build", "x"),
    [
        (
            lambda: SequenceClassifier(4, 2, dropout=0.0),
            torch.randn(6, 5, 4, generator=GENERATOR).double(),
        ),
        (
            lambda: BERTClassifier(BERT(10, 8, 4, 2, 2, dropout=0.0), 2, dropout=0.0),
            torch.arange(30).reshape(6, 5) % 9 + 1,
        ),
    ],
    ids=["recurrent", "attention"],
)
def test_the_derivative_of_the_norm_through_kernels_written_out(build, x):
    torch.manual_seed(0)
    model, y = build().double(), torch.arange(6) % 2
    penalty = GradientNormPenalty(0.8, "cross_entropy")
    penalty(model, (x, y))["loss"].backward()
    weight = next(p for p in model.parameters() if p.ndim == 2)
    place = divmod(int(weight.grad.abs().argmax()), weight.shape[1])
    values = []
    for step in (1e-5, -1e-5):
        with torch.no_grad():
            weight[place] += step
        values.append(penalty(model, (x, y))["loss"].item())
        with torch.no_grad():
            weight[place] -= step
    torch.testing.assert_close(
        weight.grad[place].item(), (values[0] - values[1]) / 2e-5, rtol=1e-4, atol=1e-7
    )
