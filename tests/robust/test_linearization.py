"""DeepFool: the closed form on affine models, the published loop on others."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.randomness import seeded
from gradatim.robust import affine_perturbation, deepfool

from .conftest import make_network, make_samples

NORMS = (1, 2, "inf")


def affine_model(seed, classes, d=5):
    with seeded(seed):
        return nn.Sequential(nn.Flatten(), nn.Linear(d, classes)).double()


@pytest.mark.parametrize("bounds", [None, (0.0, 1.0)])
@pytest.mark.parametrize("norm", NORMS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), classes=st.integers(1, 5), rho=st.sampled_from([1e-9, 0.02, 0.5]))
def test_on_an_affine_model_it_is_the_closed_form(norm, bounds, seed, classes, rho):
    model = affine_model(seed, classes)
    x, _ = make_samples(seed, d=5)
    weight, bias = model[1].weight.detach(), model[1].bias.detach()
    exact = affine_perturbation(weight, bias, x, norm=norm, bounds=bounds)
    found = deepfool(model, x, norm=norm, overshoot=rho, bounds=bounds, steps=1)
    expected = x + (1 + rho) * exact.perturbation
    if bounds is not None:
        expected = expected.clamp(*bounds)
    torch.testing.assert_close(found, expected)
    if bounds is None:
        assert torch.equal(deepfool(model, x, norm=norm, overshoot=rho), found)


def published_deepfool(model, x, overshoot, steps=50):
    """Algorithm 2 of the paper for one sample."""
    k0, z, total = model(x[None]).argmax().item(), x.clone(), torch.zeros_like(x)
    for _ in range(steps):
        J = torch.func.jacrev(lambda v: model(v[None])[0])(z)
        f = model(z[None])[0].detach()
        if f.argmax() != k0:
            break
        best, step = math.inf, None
        for k in range(len(f)):
            if k != k0:
                w, gap = J[k] - J[k0], f[k] - f[k0]
                ratio = (gap.abs() / w.norm()).item()
                if ratio < best:
                    best, step = ratio, gap.abs() / w.norm() ** 2 * w
        total = total + step
        z = x + (1 + overshoot) * total
    return z.detach()


def test_equals_the_published_loop():
    network, (x, _) = make_network(5, classes=4).eval(), make_samples(5, rows=12)
    found = deepfool(network, x)
    torch.testing.assert_close(
        found, torch.stack([published_deepfool(network, row, 0.02) for row in x])
    )


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("bounds", [None, (0.0, 1.0)])
def test_changes_every_answer_by_little(norm, bounds):
    network, (x, _) = make_network(6, d=20).eval(), make_samples(6, rows=40, d=20)
    found = deepfool(network, x, norm=norm, bounds=bounds)
    before, after = network(x), network(found)
    changed = after.argmax(1) != before.argmax(1)
    assert changed.all() if bounds is None else changed.float().mean() > 0.9
    # no step that is a fifth shorter would do, along the same line
    halfway = network(x + 0.8 * (found - x)).argmax(1)
    assert (halfway == before.argmax(1)).float().mean() > 0.7
    if bounds is not None:
        assert found.min() >= 0
        assert found.max() <= 1


def test_each_norm_is_smallest_in_its_own_measure():
    network, (x, _) = make_network(7, d=20), make_samples(7, rows=40, d=20)
    steps = {float(norm): (deepfool(network, x, norm=norm) - x) for norm in NORMS}
    for p in steps:
        sizes = {q: torch.linalg.vector_norm(s, ord=p, dim=1).mean() for q, s in steps.items()}
        assert min(sizes, key=sizes.get) == p


def test_candidates_are_the_classes_that_come_next():
    model = affine_model(8, 6)
    x, _ = make_samples(8, d=5, rows=20)
    second = model(x).argsort(1, descending=True)[:, 1]
    found = deepfool(model, x, candidates=1, overshoot=1e-6, steps=1)
    scores = model(found)
    gap = model(x).argmax(1)
    difference = scores.gather(1, gap[:, None]) - scores.gather(1, second[:, None])
    assert (difference.abs() < 1e-4).all()
    all_of_them = deepfool(model, x, overshoot=1e-6, steps=1)
    assert ((all_of_them - x).norm(dim=1) <= (found - x).norm(dim=1) + 1e-12).all()


def test_a_constant_model_is_left_alone():
    model = nn.Linear(3, 2)
    nn.init.zeros_(model.weight)
    x = torch.rand(4, 3)
    assert torch.equal(deepfool(model, x, steps=3), x)


def test_images_keep_their_shape():
    model = affine_model(9, 4, d=12).float()
    x = torch.rand(5, 3, 2, 2)
    assert deepfool(model, x, bounds=(0, 1)).shape == x.shape


def test_refuses(network, samples):
    x, _ = samples
    for arguments, message in (
        ({"norm": 0}, "deepfool: norm must be 1 or 2 or 'inf', got 0"),
        ({"steps": 0}, "deepfool: steps must be a whole number from 1, got 0"),
        ({"candidates": 0}, "deepfool: candidates must be a whole number from 1, got 0"),
        ({"overshoot": -0.1}, "deepfool: overshoot must be at least 0, got -0.1"),
        ({"bounds": (0.0, 0.1)}, "deepfool: bounds must hold all of x"),
    ):
        with pytest.raises(InvalidValue, match=message):
            deepfool(network, x, **arguments)


@pytest.mark.parametrize("norm", NORMS)
def test_with_two_classes_a_target_is_the_closed_form_or_nothing(norm):
    model = affine_model(10, 2)
    x, wanted = make_samples(10, classes=2, d=5, rows=30)
    exact = affine_perturbation(model[1].weight.detach(), model[1].bias.detach(), x, norm=norm, target=wanted)  # fmt: skip
    found = deepfool(model, x, norm=norm, target=wanted, overshoot=0.5, steps=1)
    torch.testing.assert_close(found, x + 1.5 * exact.perturbation)
    stays = model(x).argmax(1) == wanted
    assert stays.any()
    assert torch.equal(found[stays], x[stays])


def test_the_answer_is_the_target_and_costs_no_less_than_any_change():
    network, (x, wanted) = make_network(11, classes=4, d=20).eval(), make_samples(11, classes=4, rows=60, d=20)  # fmt: skip
    found = deepfool(network, x, target=wanted)
    assert torch.equal(network(found).argmax(1), wanted)
    assert torch.equal(deepfool(network, x, target=wanted, candidates=1), found)
    moved = network(x).argmax(1) != wanted
    least = (deepfool(network, x) - x).norm(dim=1)
    assert ((found - x).norm(dim=1)[moved] > 0.8 * least[moved]).all()


def test_on_an_affine_model_of_many_classes_a_target_takes_several_steps():
    model = affine_model(12, 6, d=20)  # of fewer entries some regions are wedges, far away and thin
    x, wanted = make_samples(12, classes=6, d=20, rows=100)
    weight, bias = model[1].weight.detach(), model[1].bias.detach()
    level = affine_perturbation(weight, bias, x, target=wanted)
    behind = model(x + 1.02 * level.perturbation).argmax(1) != wanted  # a third class leads there
    assert 0.05 < behind.double().mean() < 0.95
    found = deepfool(model, x, target=wanted)
    assert torch.equal(model(found).argmax(1), wanted)
    assert ((found - x).norm(dim=1) >= level.distance).all()


def test_refuses_an_unknown_target(network, samples):
    x, _ = samples
    for target, message in (
        (torch.full((8,), 3), "deepfool: target must be below the number of classes, 3, got 3"),
        (torch.full((8,), 0.5), "deepfool: target must hold class indices 0, 1"),
        (torch.zeros(2), "deepfool: target must have one class per sample of x"),
    ):
        with pytest.raises(InvalidValue, match=message):
            deepfool(network, x, target=target)
