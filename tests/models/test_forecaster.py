import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.losses import gaussian_likelihood, quantile_loss
from gradatim.models import Forecaster
from gradatim.training import Trainer

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


@settings(max_examples=12, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 7), min_size=1, max_size=3),
    kind=st.sampled_from([("direct", None), ("direct", LEVELS), ("recursive", None)]),
)
def test_padding_never_matters(lengths, kind):
    torch.manual_seed(0)
    strategy, quantiles = kind
    model = Forecaster(2, 4, hidden_dim=5, strategy=strategy, quantiles=quantiles).double()
    x, count = torch.randn(len(lengths), 7, 2, dtype=torch.float64), torch.tensor(lengths)
    together = model(x, count)
    for b, length in enumerate(lengths):
        alone = model(x[b : b + 1, :length])[0]
        row = together[b, :length] if strategy == "recursive" else together[b]
        assert torch.allclose(alone, row)
    if strategy == "recursive":
        one = [model.simulate(x[:1, : lengths[0]], None, 3, torch.Generator().manual_seed(0))]
        one.append(model.simulate(x[:1], count[:1], 3, torch.Generator().manual_seed(0)))
        assert torch.allclose(*one)


def test_recursive_training_is_causal():
    model, x = Forecaster(1, 3, strategy="recursive"), torch.randn(1, 6, 1)
    changed = x.clone()
    changed[:, 4:] += 1
    assert torch.equal(model(x)[:, :4], model(changed)[:, :4])
    assert (model(x)[..., 1] > 0).all()


def test_gaussian_intervals_are_symmetric_and_as_wide_as_they_should_be():
    model, x = Forecaster(1, 3), torch.randn(2, 6, 1)
    mean, scale = model(x).unbind(-1)
    median, low, high = model.forecast(x, level=0.95)
    assert torch.allclose(median, mean)
    assert torch.allclose((high - low) / 2, 1.959964 * scale)
    assert torch.allclose((high + low) / 2, mean, atol=1e-6)


def test_paths_follow_the_model_step_by_step():
    torch.manual_seed(0)
    model = Forecaster(2, 3, strategy="recursive", num_layers=2, cell="lstm").double()
    x = torch.randn(2, 5, 2, dtype=torch.float64)
    paths = model.simulate(x, num_paths=4, generator=torch.Generator().manual_seed(1))
    assert paths.shape == (4, 2, 3, 2)
    noise = torch.Generator().manual_seed(1)
    history = x.repeat(4, 1, 1)
    for step in range(3):
        mean, scale = model(history)[:, -1].unbind(-1)
        drawn = mean + scale * torch.empty_like(mean).normal_(generator=noise)
        assert torch.allclose(paths[:, :, step].reshape(8, 2), drawn)
        history = torch.cat([history, drawn[:, None]], 1)


def random_walks(n, T, seed):
    noise = torch.randn(n, T, 1, generator=torch.Generator().manual_seed(seed))
    return noise.cumsum(1)


def test_intervals_of_a_random_walk_widen_with_the_root_of_time():
    """The best forecast of a random walk is its last value, with standard deviation √k."""
    walks = random_walks(512, 25, 0)
    torch.manual_seed(0)
    model = Forecaster(1, 4, strategy="recursive", hidden_dim=16)
    with torch.no_grad():  # begin at a model that keeps the last value
        model.readout.weight.mul_(0.1)
    trainer = Trainer(model, gaussian_likelihood, lr=0.01, epochs=25, batch_size=64, progress=False)
    trainer.fit((walks[:, :-1] / 5, walks[:, 1:] / 5))
    test = random_walks(300, 25, 1) / 5
    forecast = model.forecast(
        test[:, :20], level=0.9, num_paths=300, generator=torch.Generator().manual_seed(0)
    )
    width = (forecast.high - forecast.low).mean((0, 2)) * 5 / (2 * 1.645)
    expected = torch.tensor([math.sqrt(k) for k in (1, 2, 3, 4)])
    assert torch.allclose(width, expected, rtol=0.2)
    future = test[:, 20:24]
    inside = ((forecast.low < future) & (future < forecast.high)).float().mean().item()
    assert 0.8 < inside < 0.97


def test_quantiles_cover_what_they_promise():
    """An exponential next value, whatever came before: skewed, as no Gaussian is."""
    generator = torch.Generator().manual_seed(0)
    y = torch.empty(2000, 1, 1).exponential_(generator=generator)
    x = torch.randn(2000, 3, 1, generator=generator)
    torch.manual_seed(0)
    model = Forecaster(1, 1, hidden_dim=4, quantiles=LEVELS)
    trainer = Trainer(
        model, quantile_loss(LEVELS), lr=0.02, epochs=15, batch_size=100, progress=False
    )
    trainer.fit((x, y))
    out = model(x).mean((0, 1, 2))
    expected = [-math.log(1 - q) for q in LEVELS]
    assert torch.allclose(out, torch.tensor(expected), atol=0.2)
    median, low, high = model.forecast(x, level=0.9)
    assert ((low < y) & (y < high)).float().mean().item() == pytest.approx(0.9, abs=0.04)
    assert (median - low < high - median).float().mean() > 0.95


def test_crossing_quantiles_are_put_in_order():
    torch.manual_seed(0)
    model = Forecaster(1, 2, quantiles=LEVELS)
    x = torch.randn(50, 3, 1)
    assert (model(x).diff(dim=-1) < 0).any()
    median, low, high = model.forecast(x, level=0.5)
    assert (low <= median).all()
    assert (median <= high).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"horizon": 0}, "horizon must be 1 or more, got 0"),
        ({"strategy": "recursiv"}, "strategy must be one of recursive, direct, got 'recursiv'"),
        ({"quantiles": (0.1, 0.9)}, r"hold 0.5, got \(0.1, 0.9\)"),
        ({"quantiles": (0.5, 0.1)}, "must ascend"),
        (
            {"quantiles": LEVELS, "strategy": "recursive"},
            "quantiles must go with strategy='direct'",
        ),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InvalidValue, match=message):
        Forecaster(1, **({"horizon": 2} | arguments))


def test_bad_requests_are_refused():
    x = torch.zeros(1, 3, 1)
    with pytest.raises(InvalidValue, match="level must be between 0 and 1, got 90"):
        Forecaster(1, 2).forecast(x, level=90)
    with pytest.raises(InvalidValue, match=r"got 0.8. Try 0.5, 0.9"):
        Forecaster(1, 2, quantiles=LEVELS).forecast(x, level=0.8)
    with pytest.raises(
        InvalidValue, match="strategy='recursive' and one path or more, got 'direct'"
    ):
        Forecaster(1, 2).simulate(x)
    with pytest.raises(InvalidValue, match="lengths must be 1 or more, got 0"):
        Forecaster(1, 2)(x, torch.tensor([0]))


@pytest.mark.parametrize("strategy", ["direct", "recursive"])
@pytest.mark.parametrize("cell", ["gru", "lstm", "lru", "elman"])
def test_a_history_with_gaps_is_refused_and_padding_may_be_anything(strategy, cell):
    model = Forecaster(2, 3, hidden_dim=4, strategy=strategy, cell=cell)
    x, lengths = torch.randn(2, 6, 2), torch.tensor([6, 4])
    x[1, 4:] = torch.nan
    draws = {"generator": torch.Generator().manual_seed(0)}
    assert torch.isfinite(model.forecast(x, lengths, **draws).median).all()
    x[1, 2, 0] = torch.nan
    with pytest.raises(
        InvalidValue, match=r"got NaN or infinity at step 2 of history 1. Interpolate"
    ):
        model.forecast(x, lengths, **draws)
