"""Penalties: worked numbers, the update they cause, the prior they stand for."""

import pytest
import torch
from sklearn.linear_model import Ridge
from torch import nn

from gradatim.errors import GradatimError
from gradatim.linear import map_weight_decay
from gradatim.losses import absolute_weight, mse, penalized, weight_energy
from gradatim.training import Trainer


def small_model():
    model = nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2), nn.Linear(2, 1))
    for p in model.parameters():
        nn.init.constant_(p, -0.5)
    return model


def test_biases_and_gains_are_left_out_by_default():
    model = small_model()  # 4 + 2 weights, 2 + 2 + 2 + 1 others
    assert weight_energy(model).item() == pytest.approx(6 * 0.25)
    assert weight_energy(model, biases=True).item() == pytest.approx(13 * 0.25)
    assert absolute_weight(model).item() == pytest.approx(6 * 0.5)
    assert absolute_weight(model, biases=True).item() == pytest.approx(13 * 0.5)
    model[0].requires_grad_(False)
    assert weight_energy(model).item() == pytest.approx(2 * 0.25)


def test_no_weights_no_energy():
    assert weight_energy(nn.ReLU()).item() == 0.0


def step(model, loss, X, y, lr, decay=0.0, rule=torch.optim.SGD):
    optimizer = rule(
        [
            {"params": [model.weight], "weight_decay": decay},
            {"params": [model.bias], "weight_decay": 0},
        ],
        lr=lr,
    )
    loss(model(X), y).backward()
    optimizer.step()
    return model.weight.detach().clone(), model.bias.detach().clone()


@pytest.mark.parametrize("rule", [torch.optim.SGD, torch.optim.Adam])
def test_l2_is_the_coupled_weight_decay_of_pytorch(rule):
    X, y = torch.randn(8, 3), torch.randn(8, 1)
    first, second = nn.Linear(3, 1), nn.Linear(3, 1)
    second.load_state_dict(first.state_dict())
    ours = step(first, penalized(mse, first, l2=0.3), X, y, 0.1, rule=rule)
    theirs = step(second, mse, X, y, 0.1, decay=0.3, rule=rule)
    torch.testing.assert_close(ours, theirs)


def test_sgd_with_l2_shrinks_by_one_minus_eta_gamma():
    X, y = torch.randn(8, 3), torch.randn(8, 1)
    model = nn.Linear(3, 1)
    before = model.weight.detach().clone()
    (gradient,) = torch.autograd.grad(mse(model(X), y), model.weight)
    after, _ = step(model, penalized(mse, model, l2=0.3), X, y, 0.1)
    torch.testing.assert_close(after, (1 - 0.1 * 0.3) * before - 0.1 * gradient)


def test_decoupled_decay_shrinks_beside_the_step_and_differs_from_l2_under_adam():
    X, y = torch.randn(8, 3), torch.randn(8, 1)
    models = [nn.Linear(3, 1) for _ in range(3)]
    for model in models[1:]:
        model.load_state_dict(models[0].state_dict())
    before = models[0].weight.detach().clone()
    free, _ = step(models[0], mse, X, y, 0.1, rule=torch.optim.Adam)
    decoupled, _ = step(models[1], mse, X, y, 0.1, decay=0.3, rule=torch.optim.AdamW)
    coupled, _ = step(models[2], mse, X, y, 0.1, decay=0.3, rule=torch.optim.Adam)
    torch.testing.assert_close(decoupled, free - 0.1 * 0.3 * before)
    assert not torch.allclose(decoupled, coupled, atol=1e-3)


def test_l1_subgradient_is_the_sign():
    model = nn.Linear(3, 1, bias=False)
    model.weight.data = torch.tensor([[1.5, -2.0, 0.0]])
    X = torch.zeros(1, 3)
    penalized(mse, model, l1=0.7)(model(X), torch.zeros(1, 1)).backward()
    torch.testing.assert_close(model.weight.grad, torch.tensor([[0.7, -0.7, 0.0]]))


def test_penalized_minimum_is_the_map_estimate():
    """Ridge's closed form, with the strength that prior and noise imply."""
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(40, 3, generator=generator, dtype=torch.float64)
    y = X @ torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64) + 0.3
    prior, noise = 0.5, 2.0
    gamma = map_weight_decay(prior, noise_variance=noise, num_samples=40, objective="mse")
    assert gamma == pytest.approx(2 * noise / (40 * prior))
    model = nn.Linear(3, 1).double()
    trainer = Trainer(
        model,
        penalized(mse, model, l2=gamma),
        "sgd",
        lr=0.2,
        epochs=300,
        batch_size=40,
        progress=False,
    )
    trainer.fit((X, y[:, None]))
    ridge = Ridge(alpha=noise / prior).fit(X, y)
    torch.testing.assert_close(model.weight.detach()[0], torch.tensor(ridge.coef_))
    assert model.bias.item() == pytest.approx(ridge.intercept_)


def test_validation_excludes_the_penalty():
    X, y = torch.randn(8, 2), torch.zeros(8, 1)
    model = nn.Linear(2, 1)
    trainer = Trainer(model, penalized(mse, model, l2=5.0), epochs=1, progress=False)
    history = trainer.fit((X, y), (X, y))
    assert history["validation_loss"][-1] == pytest.approx(mse(model(X), y).item())
    assert history["train_loss"][-1] > history["validation_loss"][-1]


def test_strengths_are_checked():
    with pytest.raises(GradatimError, match="penalized: l1 must be at least 0, got -1"):
        penalized(mse, nn.Linear(1, 1), l1=-1)
