"""The rule of Occam on worked numbers, and its laws."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.evaluation import choose_by_occam, corrected_interval


def test_the_error_decides_by_hand():
    # gaps 0.1, 0.1, 0.1, -0.1: mean 0.05, variance 0.01; error sqrt((1/4 + ratio) * 0.01) = 0.05 at ratio 0
    best = np.array([1.0, 1.2, 1.1, 1.3])
    simple = best + np.array([0.1, 0.1, 0.1, -0.1])
    assert choose_by_occam({"simple": simple, "best": best}, 0.01).recommended == "simple"
    simple = best + np.array([0.1, 0.1, 0.11, -0.1])
    choice = choose_by_occam({"simple": simple, "best": best}, 0.0)
    assert (choice.best, choice.recommended) == ("best", "best")
    assert choice.differences["best"] == (0, 0, 0, 0)
    assert math.isclose(choice.differences["simple"].mean, 0.0525)


def test_a_noisy_best_does_not_let_a_bad_model_pass():
    line = np.array([1.30, 1.31, 1.29, 1.30])
    trees = np.array([1.00, 1.01, 0.99, 1.01])
    network = np.array([0.2, 1.9, 0.3, 1.5])  # best mean, and all over the place
    gap = corrected_interval(line - network, 0.3)
    assert gap.mean < gap.error
    scores = {"line": line, "trees": trees, "network": network}
    choice = choose_by_occam(scores, 0.3)
    assert (choice.best, choice.recommended) == ("network", "trees")


def test_a_model_without_a_score_is_never_taken():
    scores = {"broken": [math.nan, 1.0], "sound": [2.0, 2.1]}
    assert choose_by_occam(scores, 0.5)[:2] == ("sound", "sound")


def test_equal_models_are_seldom_told_apart():
    """One in six is the chance of more than an error ahead; the simple of two equal models must stay five times of six."""
    rng = np.random.default_rng(0)
    taken = 0
    for _ in range(2000):
        a, b = rng.normal(size=(2, 10))
        taken += choose_by_occam({"simple": a, "complex": b}, 0.0).recommended == "complex"
    assert 0.13 < taken / 2000 < 0.21  # P(t_9 > 1) = 0.172


@given(st.integers(2, 6), st.integers(2, 10), st.integers(0, 10**6), st.floats(0.0, 1.0))
@settings(max_examples=60, deadline=None)
def test_laws(models, folds, seed, ratio):
    rng = np.random.default_rng(seed)
    scores = {f"m{k}": rng.normal(size=folds) + 0.3 * k for k in range(models)}
    choice = choose_by_occam(scores, ratio)
    names = list(scores)
    assert names.index(choice.recommended) <= names.index(choice.best)
    shifted = {name: 3.0 * own + 7.0 for name, own in scores.items()}  # units do not matter
    assert choose_by_occam(shifted, ratio)[:2] == choice[:2]
    twice = {f"{choice.recommended} again": scores[choice.recommended], **scores}
    assert choose_by_occam(twice, ratio).recommended == f"{choice.recommended} again"
