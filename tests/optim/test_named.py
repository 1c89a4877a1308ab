"""Laws that every optimizer by name obeys."""

import copy
import warnings

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import MLP
from gradatim.optim import OPTIMIZERS, build_optimizer, decay_groups, needs_closure
from gradatim.optim.foreach_optimizer import ForeachOptimizer
from gradatim.optim.named import default_lr
from gradatim.randomness import seeded
from gradatim.training import Checkpoint, Trainer

OURS = {
    name: rule
    for name, rule in OPTIMIZERS.items()
    if issubclass(getattr(rule, "func", rule), ForeachOptimizer)
}
# A rate that suits the parabola, and for our own rules one that suits Rosenbrock's valley.
RATES = {
    "sgd": 0.2, "momentum": 0.05, "nesterov": 0.05, "adam": 0.1, "adamw": 0.1, "rmsprop": 0.01,
    "adagrad": 0.5, "adadelta": 10.0, "adamax": 0.1, "nadam": 0.1, "radam": 0.1, "heavy_ball": 0.05,
    "ema_momentum": 0.3, "nesterov_extrapolation": 0.05, "normalized_gradient": 0.02,
    "rmsprop_eps_inside": 0.01, "adam_eps_inside": 0.1, "adam_then_sgd": 0.1, "extragradient": 0.2,
    "entropy_sgd": 0.1, "langevin": 0.1,
}  # fmt: skip
VALLEY = {
    "heavy_ball": 1e-3, "ema_momentum": 1e-2, "nesterov_extrapolation": 1e-3,
    "normalized_gradient": 5e-3, "rmsprop_eps_inside": 5e-3, "adam_eps_inside": 0.05,
    "adam_then_sgd": 0.05, "extragradient": 2e-3, "entropy_sgd": 2e-3, "langevin": 2e-3,
}  # fmt: skip
# Within the first step, what a pure gradient of the penalty does: θ ← θ − η γ θ.
COUPLED_LINEAR = {
    "sgd", "momentum", "nesterov", "heavy_ball", "nesterov_extrapolation",
}  # fmt: skip


class Point(nn.Module):
    def __init__(self, *start):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(start, dtype=torch.float64))


def minimize(name, lr, slope, start, evaluations):
    model = Point(*start)
    left = evaluations
    with seeded(0):
        optimizer = build_optimizer(name, model, lr=lr)

        def closure():
            nonlocal left
            left -= 1
            model.w.grad = slope(model.w.detach())
            return torch.zeros(())

        while left > 0:
            optimizer.step(closure)
    return model.w.detach()


def parabola_slope(w):
    """Of (w₁ − 1)²/2 + 2 (w₂ + 1/2)²."""
    return torch.stack([w[0] - 1, 4 * (w[1] + 0.5)])


def rosenbrock(w):
    return (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2


def rosenbrock_slope(w):
    gap = w[1] - w[0] ** 2
    return torch.stack([-2 * (1 - w[0]) - 400 * w[0] * gap, 200 * gap])


def test_the_table_here_is_complete():
    assert set(RATES) == set(OPTIMIZERS)
    assert set(VALLEY) == set(OURS)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_minimizes_a_parabola(name):
    end = minimize(name, RATES[name], parabola_slope, (-1.0, 1.0), 300)
    torch.testing.assert_close(end, torch.tensor([1.0, -0.5]).double(), atol=0.05, rtol=0)


@pytest.mark.parametrize("name", VALLEY)
def test_comes_down_rosenbrocks_valley(name):
    """From (−1, 1), where the value is 4, round the bend with 800 gradients."""
    end = minimize(name, VALLEY[name], rosenbrock_slope, (-1.0, 1.0), 800)
    assert rosenbrock(end) < 0.3
    assert end[0] > 0.4


def train_batches(model, optimizer, batches):
    for x, y in batches:

        def closure(x=x, y=y):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_state_dict_gives_the_same_continuation(name):
    generator = torch.Generator().manual_seed(0)
    batches = [
        (torch.randn(8, 3, generator=generator), torch.randn(8, 1, generator=generator))
        for _ in range(6)
    ]
    with seeded(1):
        model = MLP((3, 4, 1))
        optimizer = build_optimizer(name, model, lr=0.01, weight_decay=0.01)
        train_batches(model, optimizer, batches[:3])
        twin = MLP((3, 4, 1))
        twin.load_state_dict(model.state_dict())
        other = build_optimizer(name, twin, lr=0.5, weight_decay=0.3)
        other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        rng = torch.get_rng_state()
        train_batches(model, optimizer, batches[3:])
        torch.set_rng_state(rng)
        train_batches(twin, other, batches[3:])
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(p, q)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_group_with_rate_zero_stands_still(name):
    moving, still = Point(1.0), Point(1.0)
    rule = OPTIMIZERS[name]
    groups = [{"params": [moving.w]}, {"params": [still.w], "lr": 0.0}]
    optimizer = rule(groups, lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (moving.w**2 + still.w**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    optimizer.step(closure)
    assert moving.w.item() != 1.0
    assert still.w.item() == 1.0


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_weight_decay_shrinks_weights_and_spares_biases(name):
    model = nn.Linear(2, 1)
    nn.init.ones_(model.weight)
    nn.init.ones_(model.bias)
    optimizer = build_optimizer(name, model, lr=0.01, weight_decay=0.5)

    def closure():
        optimizer.zero_grad()
        loss = sum((0.0 * p).sum() for p in model.parameters())
        loss.backward()
        return loss

    with seeded(0):
        optimizer.step(closure)
    assert (model.weight < 1 - 1e-6).all()  # Adadelta's first step is tiny
    noise = 1e-2 if name == "langevin" else 1e-3 if name == "entropy_sgd" else 0.0
    assert (model.bias - 1).abs().item() <= noise
    if name in COUPLED_LINEAR:
        gain = 1.9 if name == "nesterov" else 1.0  # PyTorch's first Nesterov step is η (1 + β) g
        torch.testing.assert_close(model.weight.detach(), torch.full((1, 2), 1 - gain * 0.01 * 0.5))


@pytest.mark.parametrize("name", [n for n in OPTIMIZERS if n not in ("adam", "sgd", "momentum")])
def test_a_killed_run_resumes_to_the_same_weights(name, tmp_path):
    generator = torch.Generator().manual_seed(0)
    X, y = torch.randn(40, 3, generator=generator), torch.randn(40, 1, generator=generator)

    def trainer(epochs, *callbacks):
        with seeded(0):
            model = MLP((3, 4, 1), dropout=0.2)
        return Trainer(model, "mse", name, lr=0.01, epochs=epochs, batch_size=8,
                       schedule=lambda t, T: 1 / (1 + t), callbacks=callbacks)  # fmt: skip

    path = tmp_path / "run"
    whole = trainer(4, Checkpoint(tmp_path / "other"))
    whole.fit((X, y))
    trainer(2, Checkpoint(path)).fit((X, y))
    rest = trainer(4, Checkpoint(path))
    rest.resume(path)
    rest.fit((X, y))
    for p, q in zip(whole.model.parameters(), rest.model.parameters(), strict=True):
        assert torch.equal(p, q)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_trains_a_network(name):
    X = torch.linspace(-1, 1, 64).unsqueeze(1)
    model = nn.Linear(1, 1)
    lr = 0.1 if name == "adadelta" else RATES[name] / 2
    history = Trainer(model, "mse", name, lr=lr, epochs=20, batch_size=16).fit((X, 3 * X))
    assert history["train_loss"][-1] < history["train_loss"][0]
    assert len(history) == 20


@pytest.mark.parametrize("name", OURS)
def test_ours_refuse_bad_settings(name):
    for setting in ("lr", "weight_decay"):
        for value in (-1.0, float("nan")):
            with pytest.raises(InvalidValue, match=rf": {setting} must be at least 0, got {value}"):
                OURS[name]([torch.zeros(1)], **{setting: value})


@pytest.mark.parametrize("name", OURS)
def test_ours_refuse_sparse_gradients_and_survive_missing_ones(name):
    table = nn.Embedding(3, 2, sparse=True)
    unused = nn.Parameter(torch.ones(2))
    frozen = nn.Parameter(torch.ones(2), requires_grad=False)
    optimizer = OURS[name]([unused, frozen, *table.parameters()], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = table(torch.tensor([0])).sum()
        loss.backward()
        return loss

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(InvalidType, match="gradients must be dense, got a sparse one"):
            optimizer.step(closure)
    assert torch.equal(unused, torch.ones(2))
    assert torch.equal(frozen, torch.ones(2))


@pytest.mark.parametrize("name", OURS)
def test_ours_can_be_copied(name):
    model = Point(1.0, 2.0)
    optimizer = build_optimizer(name, model, lr=0.1)
    twin = copy.deepcopy(optimizer)
    assert twin.param_groups[0]["lr"] == 0.1
    assert twin.param_groups[0]["params"][0] is not model.w


@pytest.mark.parametrize("name", ["langevin", "entropy_sgd"])
def test_a_generator_of_its_own_is_part_of_the_state(name):
    def fresh(seed):
        model = Point(1.0, 2.0)
        source = torch.Generator().manual_seed(seed)
        return model, OURS[name]([model.w], lr=0.1, generator=source)

    def walk(model, optimizer, steps):
        def closure():
            optimizer.zero_grad()
            loss = model.w.square().sum()
            loss.backward()
            return loss

        for _ in range(steps):
            optimizer.step(closure)

    model, optimizer = fresh(0)
    walk(model, optimizer, 3)
    twin, other = fresh(9)
    twin.load_state_dict(model.state_dict())
    other.load_state_dict(optimizer.state_dict())
    copied = copy.deepcopy(optimizer)
    assert torch.equal(copied.generator.get_state(), optimizer.generator.get_state())
    walk(model, optimizer, 3)
    walk(twin, other, 3)
    assert torch.equal(model.w, twin.w)


def test_foreach_rules_accept_mixed_types():
    """Multi-tensor kernels fall back to loops where types differ."""
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.float64, requires_grad=True)
    for name, rule in OURS.items():
        optimizer = rule([a, b], lr=0.01)

        def closure(optimizer=optimizer):
            optimizer.zero_grad()
            loss = (a.double() * b).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        assert a.dtype == torch.float32, name
        assert b.dtype == torch.float64, name


def test_who_needs_a_closure():
    w = [torch.zeros(1, requires_grad=True)]
    found = {name for name, rule in OPTIMIZERS.items() if needs_closure(rule(w))}
    assert found == {"nesterov_extrapolation", "extragradient", "entropy_sgd"}
    assert needs_closure(torch.optim.LBFGS(w))


def test_decay_groups():
    model = MLP((2, 3, 1), norm="layer")
    decayed, others = decay_groups(model, 0.1)
    assert {p.ndim for p in decayed["params"]} == {2}
    assert {p.ndim for p in others["params"]} == {1}
    assert (decayed["weight_decay"], others["weight_decay"]) == (0.1, 0.0)
    (group,) = decay_groups(model, 0.0)
    assert len(group["params"]) == len(list(model.parameters()))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"optimizer": "heavyball"}, InvalidValue, "optimizer must be one of heavy_ball, "),
        ({"optimizer": 3}, InvalidType, "optimizer must be a name, a factory or a torch Optimizer"),
        ({"optimizer": "sgd", "lr": -1}, InvalidValue, "lr must be at least 0, got -1"),
        ({"optimizer": "sgd", "weight_decay": -1}, InvalidValue, "weight_decay must be at least 0"),
    ],
)
def test_build_refuses(arguments, error, message):
    with pytest.raises(error, match=f"build_optimizer: {message}"):
        build_optimizer(arguments.pop("optimizer"), nn.Linear(1, 1), **arguments)


def test_build_needs_parameters():
    with pytest.raises(InvalidValue, match="model must have a trainable parameter, got none"):
        build_optimizer("adam", nn.ReLU())


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_rate_that_is_not_given_is_the_rules_own(name):
    factory = OPTIMIZERS[name]
    own = factory([nn.Parameter(torch.zeros(1))]).param_groups[0]["lr"]
    model = nn.Linear(2, 1)
    assert default_lr(name) == own
    assert build_optimizer(name, model).param_groups[0]["lr"] == own
    assert build_optimizer(name, model, lr=0.5).param_groups[0]["lr"] == 0.5
    assert build_optimizer(factory, model).param_groups[0]["lr"] == own


def test_the_usual_rates_stay_what_they_were():
    assert {
        default_lr(name) for name in ("sgd", "momentum", "nesterov", "adam", "adamw", "radam")
    } == {1e-3}
    assert default_lr(lambda parameters, lr: torch.optim.SGD(parameters, lr=lr)) == 1e-3
    assert default_lr(lambda parameters, lr=0.3: torch.optim.SGD(parameters, lr=lr)) == 0.3


def test_adadelta_moves():
    X = torch.randn(64, 2, generator=torch.Generator().manual_seed(0))
    history = Trainer(nn.Linear(2, 1), "mse", "adadelta", epochs=60, batch_size=16).fit(
        (X, X[:, :1])
    )
    assert history["train_loss"][-1] < 0.1 * history["train_loss"][0]


def test_settings_beside_a_ready_optimizer_are_refused():
    model, other = nn.Linear(2, 1), nn.Linear(2, 1)
    ready = torch.optim.SGD(model.parameters(), lr=0.1)
    assert build_optimizer(ready, model) is ready
    with pytest.raises(InvalidValue, match="lr must be left out beside a ready optimizer, got 0"):
        build_optimizer(ready, model, lr=0.0)
    with pytest.raises(
        InvalidValue, match="weight_decay must be left out beside a ready optimizer"
    ):
        build_optimizer(ready, model, weight_decay=0.1)
    with pytest.raises(
        InvalidValue, match="must hold parameters of the model, got SGD with 2 others"
    ):
        build_optimizer(ready, other)
