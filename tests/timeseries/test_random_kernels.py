from dataclasses import replace
from itertools import combinations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.timeseries import RandomKernels


def convolved(x, weights, dilation, is_inner):
    """One kernel over one series of summed channels, tap by tap, at the places that count."""
    n, values = len(x), []
    for t in range(n):
        total = 0.0
        for tap, weight in enumerate(weights):
            place = t + dilation * (tap - 4)
            if 0 <= place < n:
                total += weight * x[place]
        values.append(total)
    reach = 4 * dilation
    return values[reach : n - reach] if is_inner and n > 2 * reach else values


def by_loops(kernels, x):
    """Features of one series ``(n, C)``."""
    places = list(combinations(range(9), 3))
    features, start = [], 0
    for k, (dilation, count) in enumerate(zip(kernels.dilations.tolist(), kernels.counts.tolist(), strict=True)):  # fmt: skip
        for kernel, three in enumerate(places):
            weights = [2 if tap in three else -1 for tap in range(9)]
            channels = [c for c in kernels.channels[k, kernel].tolist() if c < x.shape[1]]
            mixed = [sum(row[c] for c in channels) for row in x.tolist()]
            values = convolved(mixed, weights, dilation, (kernel + k) % 2 == 1)
            for q in range(count):
                b = kernels.thresholds[start + kernel * count + q].item()
                features.append(sum(v > b for v in values) / len(values))
        start += 84 * count
    return torch.tensor(features, dtype=torch.float64)


@pytest.mark.parametrize("channels", [1, 3])
def test_features_are_those_of_the_definition(channels):
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(-9, 9, (5, 40, channels), generator=generator).double()  # sums are exact
    lengths = torch.tensor([40, 25, 9, 3, 1])
    kernels = RandomKernels.learn(x, lengths, num_features=300)
    found = kernels.features(x, lengths)
    assert found.shape == (5, 252)
    assert kernels.dilations[-1] == 4  # the longest kernel still lies within 40 steps
    for row, (series, n) in zip(found, zip(x, lengths, strict=True), strict=True):
        torch.testing.assert_close(row, by_loops(kernels, series[:n]))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(1, 4))
def test_padding_and_other_series_change_nothing(lengths, channels):
    generator = torch.Generator().manual_seed(0)
    n = torch.tensor(lengths)
    x = torch.randn(len(n), 30, channels, generator=generator)
    kernels = RandomKernels.learn(x, n, num_features=200)
    together = kernels.features(x, n)
    x[torch.arange(30) >= n[:, None]] = torch.nan
    longer = torch.nn.functional.pad(x, (0, 0, 0, 9), value=torch.nan)
    assert torch.equal(kernels.features(longer, n), together)
    again = RandomKernels.learn(longer, n, num_features=200)
    assert torch.equal(again.thresholds, kernels.thresholds)
    for i, length in enumerate(lengths):
        assert torch.equal(kernels.features(x[i : i + 1, :length])[0], together[i])


def test_the_published_numbers():
    """9,996 features, 119 of each kernel, dilations from 1 to where a kernel spans the series."""
    kernels = RandomKernels.learn(torch.randn(3, 140))
    assert kernels.num_features == 9996
    assert kernels.counts.sum() == 119
    assert kernels.dilations[0] == 1
    assert kernels.dilations[-1] == 17  # 8 · 17 + 1 ≤ 140 < 8 · 18 + 1
    assert (kernels.counts.diff()[:3] <= 0).all()


def test_thresholds_are_quantiles_of_the_series_drawn():
    """With one series, the share above a quantile is what its level says, up to one step."""
    x = torch.randn(1, 200, generator=torch.Generator().manual_seed(0)).double()
    kernels = RandomKernels.learn(x, num_features=2000)
    golden, start = (5**0.5 + 1) / 2, 0
    for k, (d, count) in enumerate(zip(kernels.dilations, kernels.counts, strict=True)):
        stop = start + 84 * count
        above = kernels.features(x)[0, start:stop].view(84, count)
        level = (torch.arange(start + 1, stop + 1).double() * golden % 1).view(84, count)
        is_inner = (torch.arange(84) + k) % 2 == 1
        steps = torch.where(is_inner, 200 - 8 * d, 200)[:, None]
        assert ((above - (1 - level)).abs() <= 1.001 / steps).all()
        start = stop


def test_equal_seeds_give_equal_kernels():
    x = torch.randn(6, 50, 4)
    first, second, other = (RandomKernels.learn(x, num_features=500, seed=s) for s in (1, 1, 2))
    assert torch.equal(first.thresholds, second.thresholds)
    assert torch.equal(first.channels, second.channels)
    assert not torch.equal(first.thresholds, other.thresholds)


def test_blocks_change_nothing(monkeypatch):
    x = torch.randn(20, 50, 2)
    kernels = RandomKernels.learn(x, num_features=500)
    whole = kernels.features(x)
    monkeypatch.setattr("gradatim.timeseries.random_kernels.NUMBERS", 84 * 50 * 3)
    assert torch.equal(RandomKernels.learn(x, num_features=500).thresholds, kernels.thresholds)
    assert torch.equal(kernels.features(x), whole)


def test_channels_are_few_more_often_than_many():
    kernels = RandomKernels.learn(torch.randn(3, 100, 20), num_features=5000)
    counts = (kernels.channels < 20).sum(2).flatten()
    assert counts.min() == 1
    assert counts.max() == 9
    assert (counts <= 3).float().mean() > 0.4
    chosen = kernels.channels[kernels.channels < 20]
    assert chosen.unique().tolist() == list(range(20))


def test_they_tell_a_hidden_shape():
    """A short bump at a random place, in noise: means and slopes say nothing, kernels do."""
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(120) % 2
    x = torch.randn(120, 80, generator=generator)
    bump = 2.5 * torch.tensor([1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0])
    for i in range(1, 120, 2):
        place = int(torch.randint(0, 70, (), generator=generator))
        x[i, place : place + 9] += bump
    kernels = RandomKernels.learn(x[:80], num_features=2000)
    features = kernels.features(x).double()
    features = (features - features[:80].mean(0)) / (features[:80].std(0) + 1e-6)
    target = 2.0 * y.double() - 1
    train, test = features[:80], features[80:]
    dual = torch.linalg.solve(train @ train.T + 1000 * torch.eye(80), target[:80])
    answers = (test @ (train.T @ dual) > 0).long()
    assert (answers == y[80:]).double().mean() >= 0.9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RandomKernels.learn(torch.zeros(2, 9), num_features=0), "num_features must be a whole number from 1, got 0"),
        (lambda: RandomKernels.learn(torch.zeros(2, 9), seed=-1), "seed must be a whole number from 0"),
        (lambda: RandomKernels.learn(torch.full((2, 9), torch.nan)), "series must be finite, got NaN or infinity in number 0"),
        (lambda: RandomKernels.learn(torch.zeros(2, 9)).features(torch.zeros(2, 9, 2)), "series must have 1 channels, got 2"),
    ],
)  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"thresholds": torch.zeros(5)}, r"thresholds must have shape \(84,\), got \(5,\)"),
        ({"counts": torch.ones(2)}, r"must have shapes \(K,\), \(K,\) and \(K, 84, S\), got \(1,\), \(2,\), \(1, 84, 1\)"),
        ({"channels": torch.full((1, 84, 1), 7)}, "channels must be from 0 to 1, got 7 to 7"),
        ({"dilations": torch.tensor([0])}, "dilations and counts must be 1 or more, got 0"),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_each_other_are_refused(changes, message):
    kernels = RandomKernels.learn(torch.zeros(2, 9), num_features=84)
    with pytest.raises(InvalidValue, match=message):
        replace(kernels, **changes)
