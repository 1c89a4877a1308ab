import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.generative import (
    ClassifierFeatures,
    class_agreement,
    frechet_distance,
    judge_samples,
    kernel_distance,
    precision_recall,
)
from gradatim.models import MLP
from gradatim.randomness import seeded


def draw(n, seed):
    with seeded(seed):
        return torch.randn(n, 3)


TRAIN, HELD_OUT, HONEST = draw(300, 0), draw(300, 1), draw(300, 2)


def test_figures_are_those_of_the_formulas():
    judged = judge_samples(HONEST, TRAIN, HELD_OUT, simple=HONEST + 1)
    assert judged.num_rows == 300
    assert judged.model["frechet_distance"].value == pytest.approx(
        float(frechet_distance(HONEST, HELD_OUT))
    )
    assert judged.model["kernel_distance"].value == pytest.approx(
        float(kernel_distance(HONEST, HELD_OUT))
    )
    precision, recall = precision_recall(HELD_OUT.double(), HONEST.double())
    assert judged.model["precision"].value == pytest.approx(precision)
    assert judged.model["recall"].value == pytest.approx(recall)


def test_an_honest_generator_is_as_real_as_real_rows():
    judged = judge_samples(HONEST, TRAIN, HELD_OUT)
    for name, real in judged.real.items():
        found = judged.model[name]
        assert max(found.low, real.low) <= min(found.high, real.high), name
    assert not judged.is_copying
    assert judged.simple == {}


def test_a_memorizing_generator_has_fine_distances_and_is_found_out():
    copies = TRAIN + 0.01 * draw(300, 3)
    judged = judge_samples(copies, TRAIN, HELD_OUT)
    assert judged.model["frechet_distance"].value == pytest.approx(judged.real["frechet_distance"].value, abs=0.05)  # fmt: skip
    assert judged.is_copying
    assert judged.repeats == (0, 0)
    assert judge_samples(TRAIN, TRAIN, HELD_OUT).repeats == (300, 300)


def test_intervals_hold_the_figure_of_the_distribution_as_often_as_they_say():
    """Kernel distance of N(0, 1) and N(1, 1)."""
    held = 0
    for seed in range(40):
        with seeded(seed):
            x, y = torch.randn(80, 1), torch.randn(80, 1) + 1
        judged = judge_samples(x, x.flip(0), y, seed=seed)
        low, high = judged.model["kernel_distance"][1:]
        held += low <= _population() <= high
    assert held >= 33


def _population():
    """E k(x,x') + E k(y,y') - 2 E k(x,y) for (ab + 1)^3 of N(0, 1) and N(1, 1), by moments."""
    m, n = (1, 0, 1, 0), (1, 1, 2, 4)
    c = (1, 3, 3, 1)
    k = lambda p, q: sum(a * b * d for a, b, d in zip(c, p, q, strict=True))  # noqa: E731
    return k(m, m) + k(n, n) - 2 * k(m, n)


def test_rows_are_equally_many_and_the_seed_fixes_all():
    judged = judge_samples(HONEST, TRAIN, HELD_OUT[:50], most_rows=40, seed=3)
    assert judged.num_rows == 40
    assert judged == judge_samples(HONEST, TRAIN, HELD_OUT[:50], most_rows=40, seed=3)


def test_features_are_what_the_last_linear_layer_is_given():
    with seeded(0):
        network, x = MLP((6, 5, 4, 3)), torch.rand(7, 6)
    features = ClassifierFeatures(network, batch_size=3)(x)
    last = [m for m in network.modules() if isinstance(m, nn.Linear)][-1]
    torch.testing.assert_close(last(features), network(x))
    assert network.training
    with pytest.raises(
        GradatimError, match="classifier must have a linear layer, got ReLU without one"
    ):
        ClassifierFeatures(nn.ReLU())


def test_agreement_is_accuracy_on_what_was_asked():
    logits, labels = torch.eye(4)[[0, 1, 2, 2]], torch.tensor([0, 1, 2, 3])
    found = class_agreement(nn.Identity(), logits, labels, batch_size=3)
    assert found.value == 0.75
    assert found.low < 0.75 < found.high
    with pytest.raises(
        GradatimError, match="samples and labels must be equally many, at least one, got 4 and 2"
    ):
        class_agreement(nn.Identity(), logits, labels[:2])


def test_too_few_rows_are_one_sentence():
    with pytest.raises(GradatimError, match="must be at least 8 rows each, got"):
        judge_samples(HONEST[:7], TRAIN, HELD_OUT)
