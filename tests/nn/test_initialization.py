"""Initialization: moments by statistics, PyTorch's own initializers, orthogonality exactly."""

from math import sqrt

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.nn import ACTIVATIONS, SCHEMES, default_scheme, gain, initialize
from gradatim.nn import activation as build_activation


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


EXPECTED = {  # variance times n_in, for n_in = 300 and n_out = 200
    "lecun": 1.0,
    "lecun_uniform": 1.0,
    "xavier": 2 * 300 / 500,
    "xavier_uniform": 2 * 300 / 500,
    "he": 2.0,
    "he_uniform": 2.0,
}


@pytest.mark.parametrize("scheme", EXPECTED)
def test_moments(scheme):
    layer = initialize(nn.Linear(300, 200), scheme, generator=generator())
    weight = layer.weight.double()
    # 60,000 draws: the mean has deviation σ/245, the variance a relative one of at most √(2/60,000).
    assert abs(weight.mean()) < 5 * weight.std() / sqrt(60_000)
    assert weight.var().item() * 300 == pytest.approx(EXPECTED[scheme], rel=5 * sqrt(2 / 60_000))
    fourth = (
        weight**4
    ).mean() / weight.var() ** 2  # 3 for a normal, 9/5 for a uniform distribution
    assert fourth.item() == pytest.approx(1.8 if scheme.endswith("uniform") else 3.0, abs=0.1)
    assert layer.bias.abs().max() == 0


def test_uniform_bounds():
    for scheme, bound in (
        ("xavier_uniform", sqrt(6 / 500)),
        ("he_uniform", sqrt(6 / 300)),
        ("lecun_uniform", sqrt(3 / 300)),
    ):
        weight = initialize(nn.Linear(300, 200), scheme, generator=generator()).weight
        assert weight.abs().max().item() <= bound + 1e-7
        assert weight.abs().max().item() == pytest.approx(bound, rel=1e-3)


@pytest.mark.parametrize(
    ("scheme", "filler"),
    [
        ("xavier", nn.init.xavier_normal_),
        ("xavier_uniform", nn.init.xavier_uniform_),
        (
            "he",
            lambda w, generator: nn.init.kaiming_normal_(
                w, nonlinearity="relu", generator=generator
            ),
        ),
        (
            "he_uniform",
            lambda w, generator: nn.init.kaiming_uniform_(
                w, nonlinearity="relu", generator=generator
            ),
        ),
        (
            "lecun",
            lambda w, generator: nn.init.kaiming_normal_(
                w, nonlinearity="linear", generator=generator
            ),
        ),
        ("orthogonal", nn.init.orthogonal_),
    ],
)
@pytest.mark.parametrize("layer", [nn.Linear(30, 20), nn.Conv2d(4, 6, 3)], ids=["dense", "conv"])
def test_equal_to_pytorch_where_pytorch_has_it(scheme, filler, layer):
    expected = filler(torch.empty_like(layer.weight), generator=generator(3))
    initialize(layer, scheme, generator=generator(3))
    torch.testing.assert_close(layer.weight.detach(), expected)


@pytest.mark.parametrize(
    ("layer", "fan_in"),
    [
        (nn.Conv2d(64, 32, 3), 64 * 9),
        (nn.Conv2d(64, 64, 3, groups=8), 8 * 9),
        (nn.ConvTranspose2d(32, 16, 4, stride=2), 32 * 4),
        (nn.ConvTranspose2d(32, 64, 3, groups=4), 8 * 9),
    ],
)
def test_he_uses_the_fan_in_of_convolutions(layer, fan_in):
    initialize(layer, "he", generator=generator())
    assert layer.weight.var().item() * fan_in == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize(
    "layer",
    [
        nn.Conv2d(32, 32, 3, padding=1),
        nn.Conv2d(32, 32, 3, padding=1, groups=4),
        nn.ConvTranspose2d(32, 32, 4, stride=2, padding=1),
        nn.ConvTranspose2d(32, 32, 3, padding=1, groups=4),
    ],
    ids=["conv", "grouped", "transposed", "transposed grouped"],
)
def test_lecun_keeps_the_variance_through_convolutions(layer):
    initialize(layer, "lecun", generator=generator())
    x = torch.randn(8, 32, 24, 24, generator=generator(1))
    interior = layer(x)[:, :, 4:-4, 4:-4]
    assert interior.var().item() == pytest.approx(1.0, abs=0.1)


def test_orthogonal_rows_or_columns():
    for n_in, n_out in ((40, 20), (20, 40), (30, 30)):
        weight = initialize(
            nn.Linear(n_in, n_out).double(), "orthogonal", generator=generator()
        ).weight
        square = weight @ weight.T if n_out <= n_in else weight.T @ weight
        torch.testing.assert_close(square, torch.eye(len(square), dtype=square.dtype))


def test_orthogonal_groups_one_by_one():
    layer = initialize(nn.Conv1d(8, 12, 5, groups=4).double(), "orthogonal", generator=generator())
    for block in layer.weight.chunk(4):
        rows = block.flatten(1)
        torch.testing.assert_close(rows @ rows.T, torch.eye(3, dtype=torch.float64))


def test_orthogonal_keeps_lengths_times_the_gain():
    layer = nn.Linear(50, 50, bias=False)
    initialize(layer, "orthogonal", activation="relu", generator=generator())
    x = torch.randn(4, 50, generator=generator(1))
    torch.testing.assert_close(layer(x).norm(dim=1), sqrt(2) * x.norm(dim=1))


def test_closed_form_gains():
    assert gain("relu") == pytest.approx(sqrt(2))
    assert gain("identity") == 1.0
    assert gain("leaky_relu") == pytest.approx(sqrt(2 / (1 + 0.01**2)))
    assert gain("leaky_relu", slope=0.2) == pytest.approx(sqrt(2 / 1.04))
    assert gain("prelu") == pytest.approx(sqrt(2 / (1 + 0.25**2)))
    assert gain("step") == pytest.approx(sqrt(2))  # E = P(z > 0)
    assert gain("sign") == pytest.approx(1.0)
    assert gain("selu") == pytest.approx(1.0, abs=1e-6)  # the fixed point that defines λ and α


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_gain_by_monte_carlo(name):
    z = torch.randn(400_000, generator=generator(), dtype=torch.float64)
    with torch.no_grad():
        moment = build_activation(name).double()(z).square().mean().item()
    assert gain(name) ** 2 * moment == pytest.approx(1.0, rel=0.02)


def test_relu_halves_the_second_moment_and_not_the_variance():
    h = torch.relu(torch.randn(1_000_000, generator=generator(), dtype=torch.float64))
    assert h.square().mean().item() == pytest.approx(0.5, abs=0.003)
    assert h.var().item() == pytest.approx(0.5 - 1 / (2 * torch.pi), abs=0.003)  # 0.3408


def test_slope_enters_the_weights():
    layer = nn.Linear(400, 300)
    initialize(layer, "he", activation="leaky_relu", slope=1.0, generator=generator())
    assert layer.weight.var().item() * 400 == pytest.approx(1.0, rel=0.02)


def test_default_rule():
    assert [default_scheme(name) for name in ("relu", "gelu", "selu", "tanh", "sigmoid")] == [
        "he",
        "he",
        "lecun",
        "xavier",
        "xavier",
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_mlp_takes_every_scheme(scheme):
    model = MLP((6, 5, 4), init=scheme)
    assert all(torch.isfinite(parameter).all() for parameter in model.parameters())
    assert model[0].bias.abs().max() == 0


def test_embeddings_norms_and_cells_are_left_alone():
    model = nn.ModuleList([nn.Embedding(5, 3), nn.BatchNorm1d(3), nn.LSTM(3, 3)])
    before = [parameter.clone() for parameter in model.parameters()]
    initialize(model, "he")
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_equal_generators_give_equal_weights_and_leave_the_global_one_alone():
    state = torch.random.get_rng_state()
    first = initialize(nn.Linear(3, 3), "he", generator=generator(5)).weight.clone()
    state_after_building = torch.random.get_rng_state()
    layer = nn.Linear(3, 3)
    torch.random.set_rng_state(state_after_building)
    assert torch.equal(first, initialize(layer, "he", generator=generator(5)).weight)
    assert torch.equal(state_after_building, torch.random.get_rng_state())
    torch.random.set_rng_state(state)


def test_errors():
    with pytest.raises(InvalidValue, match=r"initialize: scheme must be one of he, .*got 'hee'"):
        initialize(nn.Linear(1, 1), "hee")
    with pytest.raises(
        InvalidValue, match=r"gain: slope must be None unless .*slope=0.1 with 'relu'"
    ):
        gain("relu", slope=0.1)
    with pytest.raises(InvalidValue, match=r"gain: activation must be one of relu"):
        gain("rely")
