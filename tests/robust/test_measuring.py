"""Accuracy under attack against counting by hand and the closed form."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.robust import (
    affine_perturbation,
    deepfool,
    fgsm,
    minimal_distances,
    pgd,
    robust_accuracy,
    robustness_curve,
)

from .conftest import make_network, make_samples


def predict(model, x):
    scores = model(x).detach()
    return (scores > 0).long().squeeze(1) if scores.shape[1] == 1 else scores.argmax(1)


def affine_problem(rows=300, classes=3):
    """A tenth of the labels is wrong."""
    generator = torch.Generator().manual_seed(0)
    model = nn.Linear(4, classes).double()
    with torch.no_grad():
        model.weight.copy_(torch.randn(classes, 4, dtype=torch.float64, generator=generator))
        model.bias.zero_()
    x = torch.randn(rows, 4, dtype=torch.float64, generator=generator)
    y = predict(model, x)
    y[::10] = (y[::10] + 1) % max(classes, 2)
    return model, x, y


def exact_distances(model, x, y, norm):
    distance = affine_perturbation(
        model.weight.detach(), model.bias.detach(), x, norm=norm
    ).distance
    return torch.where(predict(model, x) == y, distance, 0.0)


@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("norm", [2, "inf"])
def test_the_curve_of_an_affine_model_is_that_of_its_distances(norm, classes):
    """Exactly so for two classes; among more, an attack may miss the nearest."""
    model, x, y = affine_problem(classes=classes)
    distances = exact_distances(model, x, y, norm)
    epsilons = [0.5, 0.0, 0.1, 0.2]
    attack = partial(pgd, norm=norm, steps=30, early_exit=True)
    curve = robustness_curve(model, (x, y), attack, epsilons, batch_size=64)
    expected = [(distances > eps).double().mean().item() for eps in sorted(epsilons)]
    assert curve.epsilons.tolist() == pytest.approx([0.0, 0.1, 0.2, 0.5])
    missed = curve.accuracy.double() - torch.tensor(expected)
    assert missed.min() >= -1e-6
    assert missed.max() <= (0.03 if classes == 3 else 1e-6)
    assert curve.accuracy[0].item() == pytest.approx(0.9)


def test_accuracy_is_the_curve_at_one_point_and_counts_errors():
    model, x, y = affine_problem()
    attack = partial(fgsm, eps=0.2)
    curve = robustness_curve(model, (x.numpy(), y.numpy()), fgsm, [0.2])
    assert robust_accuracy(model, (x, y), attack, batch_size=7) == pytest.approx(
        curve.accuracy.item()
    )
    by_hand = ((model(x).argmax(1) == y) & (model(attack(model, x, y)).argmax(1) == y)).double()
    assert curve.accuracy.item() == pytest.approx(by_hand.mean().item())


def test_the_curve_never_rises_and_attacks_only_survivors():
    network, (x, y) = make_network(1), make_samples(1, rows=60)
    seen = []

    def attack(model, x, y, *, eps):
        seen.append(len(x))
        return fgsm(model, x, y, eps=eps)

    curve = robustness_curve(network, (x, y), attack, [0.0, 0.2, 0.4, 5.0])
    assert (curve.accuracy.diff() <= 0).all()
    survivors = (60 * curve.accuracy).round().long().tolist()
    assert seen[1:] == survivors[: len(seen) - 1]
    assert seen[0] == survivors[0]


@pytest.mark.parametrize("norm", [1, 2, "inf"])
def test_distances_are_those_of_the_closed_form(norm):
    model, x, y = affine_problem(50)
    found = minimal_distances(model, (x, y), norm=norm, batch_size=16)
    torch.testing.assert_close(found, 1.02 * exact_distances(model, x, y, norm))


def test_what_cannot_be_reached_is_infinitely_far():
    model = nn.Linear(2, 2)
    nn.init.zeros_(model.weight)
    model.bias.data = torch.tensor([1.0, 0.0])
    found = minimal_distances(model, (np.zeros((3, 2), np.float32), [0, 0, 1]))
    assert found.tolist() == [torch.inf, torch.inf, 0]


def test_the_model_is_left_as_it_was(network, samples, witness):
    check = witness(network)
    robust_accuracy(network, samples, lambda model, x, y: deepfool(model, x))
    robustness_curve(network, samples, fgsm, [0.1])
    minimal_distances(network, samples)
    check()


def test_refuses(network, samples):
    x, y = samples
    with pytest.raises(InvalidValue, match="robust_accuracy: data must hold at least one sample"):
        robust_accuracy(network, (x[:0], y[:0]), partial(fgsm, eps=0.1))
    with pytest.raises(InvalidValue, match="robustness_curve: eps must be finite and at least 0"):
        robustness_curve(network, samples, fgsm, [0.1, -0.1])
    with pytest.raises(InvalidValue, match="minimal_distances: y must have one class per sample"):
        minimal_distances(network, (x, y[:2]))
