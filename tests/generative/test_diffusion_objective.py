import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.generative import (
    Diffusion,
    DiffusionObjective,
    diffuse,
    diffusion_bound,
    prediction_target,
)
from gradatim.generative.diffusion_objective import spread_steps
from gradatim.generative.label_dropout import drop_labels
from gradatim.models import TimeMLP
from gradatim.randomness import seeded
from gradatim.training import EMA, Checkpoint, Trainer

from .gaussian_data import Best, draw


def test_steps_are_uniform_and_evenly_spread():
    with seeded(0):
        steps = torch.stack([spread_steps(20, 10, torch.device("cpu")) for _ in range(200)])
    assert torch.bincount(steps.flatten(), minlength=11)[1:].tolist() == pytest.approx([400] * 10, abs=40)  # fmt: skip
    assert (steps.diff(dim=1) >= 0).all()
    assert steps.min() == 1
    assert steps.max() == 10
    counts = torch.stack([torch.bincount(row, minlength=11)[1:] for row in steps])
    assert counts.min() >= 1
    assert counts.max() <= 3


@pytest.mark.parametrize("predict", ["noise", "x0", "v"])
def test_the_simple_loss_by_hand(predict):
    model = Diffusion(TimeMLP(3, hidden_dim=8), predict=predict, num_steps=20)
    with seeded(1), torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    x0 = torch.randn(6, 3)
    with seeded(7):
        loss = DiffusionObjective()(model, (x0, x0))
    with seeded(7):
        step = spread_steps(6, 20, torch.device("cpu"))
        noise = torch.randn_like(x0)
    total = 0.0
    for k in range(6):
        share = (1 - model.noise_schedule.betas[: step[k]]).prod().float()
        x_t = diffuse(x0[k : k + 1], noise[k : k + 1], share)
        answer = model(x_t, step[k : k + 1] / 20)
        target = prediction_target(predict, x0[k : k + 1], noise[k : k + 1], share)
        total += (answer - target).square().sum().item() / 18
    assert loss.item() == pytest.approx(total, rel=1e-4)


@pytest.mark.parametrize("predict", ["noise", "x0", "v"])
def test_the_bound_weighs_as_the_bound(predict):
    """Of many draws, the loss is the bound per number, but for what nobody learns."""
    model, x = Diffusion(Best(num_steps=10), num_steps=10), draw(20_000)
    if predict != "noise":
        best = model.network

        class Other(nn.Module):
            sample_shape, num_classes = (1,), None

            def __init__(self):
                super().__init__()
                self.anything = nn.Parameter(torch.zeros((), dtype=torch.float64))

            def forward(self, x_t, time):
                share = model.noise_schedule.alpha_bar(time)
                noise = best(x_t, time)
                x0 = (x_t - (1 - share)[:, None].sqrt() * noise) / share[:, None].sqrt()
                return prediction_target(predict, x0, noise, share)

        asked = Diffusion(Other(), num_steps=10, predict=predict)
    else:
        asked = model
    with seeded(0):
        loss = DiffusionObjective(weight="bound")(asked, (x, x)).item()
    bound = diffusion_bound(model, x, generator=torch.Generator().manual_seed(0))
    first = bound.reconstruction.mean().item() - 0.5 * torch.log(2 * torch.pi * model.noise_schedule.betas[0]).item()  # fmt: skip
    noise = 1 - (1 - model.noise_schedule.betas).cumprod(0)
    ratio = noise[:-1] / noise[1:]  # of the variances β̃ and β
    fixed = (0.5 * (ratio - 1 - ratio.log())).sum().item()
    assert loss == pytest.approx(bound.steps.mean().item() - fixed + first, rel=0.03)


def test_labels_are_dropped_in_training_only():
    seen = []

    class Listener(nn.Module):
        sample_shape, num_classes = (1,), 3

        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(()))

        def forward(self, x, time, label):
            seen.append(label)
            return self.weight * x

    model, batch = Diffusion(Listener()), (torch.zeros(3000, 1), torch.arange(3000) % 3)
    DiffusionObjective(label_dropout=0.2)(model.train(), batch)
    DiffusionObjective(label_dropout=0.2)(model.eval(), batch)
    assert (seen[0] == 3).float().mean().item() == pytest.approx(0.2, abs=0.03)
    assert torch.equal(seen[0][seen[0] < 3], batch[1][seen[0] < 3])
    assert torch.equal(seen[1], batch[1])
    assert torch.equal(drop_labels(batch[1], 3, 0.0), batch[1])


def test_a_killed_run_ends_in_the_same_weights(tmp_path):
    with seeded(0):
        x, y = torch.randn(64, 2), torch.arange(64) % 3

    def run(epochs):
        with seeded(1):
            model = Diffusion(TimeMLP(2, 3, hidden_dim=8), num_steps=30)
        return Trainer(
            model, objective=DiffusionObjective(), epochs=epochs, batch_size=16, lr=1e-2,
            callbacks=[EMA(decay=0.9), Checkpoint(tmp_path / "run", every_steps=7, every_epochs=None)],
        )  # fmt: skip

    whole = run(4)
    whole.fit((x, y))
    again = run(4)
    again.resume(tmp_path / "run")
    again.fit((x, y))
    for a, b in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_it_learns_where_data_are():
    with seeded(0):
        model = Diffusion(TimeMLP(1, hidden_dim=16, num_layers=1), num_steps=50)
    x = torch.full((256, 1), 0.7)
    trainer = Trainer(model, objective=DiffusionObjective(), epochs=40, batch_size=64, lr=1e-2)
    history = trainer.fit((x, x))
    assert history["train_loss"][-1] < 0.3 * history["train_loss"][0]


def test_what_is_wrong_is_said():
    with pytest.raises(InvalidValue, match="DiffusionObjective: weight must be one of simple"):
        DiffusionObjective(weight="simpel")
    with pytest.raises(InvalidValue, match=r"label_dropout must be in \[0, 1\), got 1"):
        DiffusionObjective(label_dropout=1)
    with pytest.raises(InvalidType, match="model must be a Diffusion, got Linear"):
        DiffusionObjective()(nn.Linear(2, 2), (torch.zeros(2, 2),))
    model, x = Diffusion(TimeMLP(2, 3, hidden_dim=8)), torch.zeros(2, 2)
    with pytest.raises(InvalidValue, match="target must be classes from 0 to 2, got 0 to 3"):
        DiffusionObjective()(model, (x, torch.tensor([0, 3])))
    with pytest.raises(InvalidValue, match="target of a model with classes must be one whole"):
        DiffusionObjective()(model, (x, x))
