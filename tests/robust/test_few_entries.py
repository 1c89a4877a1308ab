"""The greedy attack on the number of entries: optimal where gains add up, within its budget everywhere."""

from functools import partial
from itertools import combinations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.randomness import seeded
from gradatim.robust import greedy_l0, robustness_curve

from .conftest import make_network, make_samples

BOX = (0.0, 1.0)


def logit(seed, d=7):
    with seeded(seed):
        return nn.Linear(d, 1).double()


@torch.no_grad()
def fewest_by_search(model, x, was_one):
    """The smallest set of entries whose extremes change the class of one sample, over all sets; None if none does."""
    weight = model.weight[0]
    end = (weight > 0).double() if not was_one else (weight < 0).double()
    for size in range(len(x) + 1):
        for chosen in combinations(range(len(x)), size):
            z = x.clone()
            z[list(chosen)] = end[list(chosen)]
            if (model(z).item() > 0) != was_one:
                return size
    return None


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), candidates=st.integers(1, 9))
def test_with_two_classes_of_an_affine_model_nothing_smaller_exists(seed, candidates):
    model, (x, _) = logit(seed), make_samples(seed, d=7, rows=3)
    y = (model(x)[:, 0] > 0).long()
    found = greedy_l0(model, x, y, eps=7, bounds=BOX, candidates=candidates)
    turned = (model(found)[:, 0] > 0).long() != y
    for k in range(3):
        fewest = fewest_by_search(model, x[k], bool(y[k]))
        assert bool(turned[k]) == (fewest is not None)
        if fewest is not None:
            assert int((found[k] != x[k]).sum()) == fewest


def test_worked_numbers():
    model = nn.Linear(3, 2)  # class 1 leads by 2 x1 - 4 x2 + x3 - 0.5
    model.weight.data = torch.tensor([[0.0, 0.0, 0.0], [2.0, -4.0, 1.0]])
    model.bias.data = torch.tensor([0.0, -0.5])
    x = torch.tensor([[0.0, 0.5, 0.0], [0.9, 0.0, 0.0], [0.9, 0.0, 0.0]])
    # -2.5 needs x2 to 0 (+2) and x1 to 1 (+2): both; 1.3 needs x2 to 1; the last one is what is wanted
    found = greedy_l0(model, x, torch.tensor([1, 0, 1]), eps=3, bounds=BOX, targeted=True)
    assert found[0].tolist() == [1, 0, 0]
    assert found[1].tolist() == [pytest.approx(0.9), 1, 0]
    assert torch.equal(found[2], x[2])


@pytest.mark.parametrize("targeted", [False, True])
def test_moves_no_more_entries_than_allowed_and_each_to_a_bound(targeted, witness):
    network, (x, y) = make_network(1, d=20), make_samples(1, rows=40, d=20)
    check = witness(network)
    found = greedy_l0(network, x, y, eps=4, bounds=BOX, targeted=targeted)
    check()
    moved = found != x
    assert moved.sum(1).max() <= 4
    assert set(found[moved].tolist()) <= {0.0, 1.0}
    network.eval()
    hits = [(network(z).argmax(1) == y).double().mean() for z in (x, found)]
    assert (hits[1] > hits[0] + 0.3) if targeted else (hits[1] < hits[0] - 0.1)
    done = (network(x).argmax(1) == y) == targeted
    assert done.any()
    assert torch.equal(found[done], x[done])


def test_trying_more_entries_never_hurts_the_first_step():
    network, (x, _) = make_network(2, d=20).eval(), make_samples(2, rows=40, d=20)
    y = network(x).argmax(1)
    odds = []
    for candidates in (1, 5, 20):
        found = greedy_l0(network, x, y, eps=1, bounds=BOX, candidates=candidates)
        p = network(found).softmax(1).gather(1, y[:, None])
        odds.append(p[:, 0])
    assert (odds[1] <= odds[0] + 1e-12).all()
    assert (odds[2] <= odds[1] + 1e-12).all()
    # all entries tried, at the bound where the gradient points: no entry does better there
    assert odds[2].mean() < odds[0].mean()


def test_the_curve_falls_with_the_number_of_entries():
    network, (x, y) = make_network(3, d=20).eval(), make_samples(3, rows=60, d=20)
    curve = robustness_curve(network, (x, y), partial(greedy_l0, bounds=BOX), [0, 1, 3, 20])
    assert curve.accuracy[0] == (network(x).argmax(1) == y).float().mean()
    assert curve.accuracy[-1] < curve.accuracy[0]


def test_images_keep_their_shape():
    model = nn.Sequential(nn.Flatten(), nn.Linear(12, 4))
    x = torch.rand(5, 3, 2, 2)
    assert greedy_l0(model, x, torch.arange(5) % 4, eps=2, bounds=BOX).shape == x.shape


def test_refuses(network, samples):
    x, y = samples
    for arguments, message in (
        ({"eps": 1.5}, "greedy_l0: eps must be a whole number of entries, at least 0, got 1.5"),
        ({"eps": -1}, "greedy_l0: eps must be a whole number of entries, at least 0, got -1"),
        ({"candidates": 0}, "greedy_l0: candidates must be a whole number from 1, got 0"),
        ({"bounds": (0.0, 0.1)}, "greedy_l0: bounds must hold all of x"),
        ({"bounds": (1.0, 0.0)}, "greedy_l0: bounds must be two finite numbers"),
    ):
        with pytest.raises(InvalidValue, match=message):
            greedy_l0(network, x, y, **({"eps": 2, "bounds": BOX} | arguments))
