"""Thresholds and class weights: against the true optimum, honest, and the least expected cost by trying every class."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from gradatim.evaluation.criteria import find_criterion
from gradatim.evaluation.decisions import choose_weights, is_decided, say_honestly
from gradatim.evaluation.judged import decide_classes


def draw(rows, classes=2, seed=0, share=0.05, sharpness=2.0):
    """Calibrated probabilities of a rare class, or of several of which the later are ever rarer."""
    rng = np.random.default_rng(seed)
    prior = np.array([1 - share, share]) if classes == 2 else 4.0 ** -np.arange(classes)
    logits = np.log(prior) + sharpness * rng.normal(size=(rows, classes))
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return (rng.random(rows)[:, None] > p.cumsum(1)).sum(1).clip(max=classes - 1), p


@pytest.mark.parametrize("score", ["balanced-accuracy", "f1", "macro-f1"])
def test_the_threshold_is_near_that_of_every_threshold_tried(score):
    criterion = find_criterion("fit", score, 2)
    y, p = draw(4000)
    fresh, q = draw(40_000, seed=1)
    score_of = {
        "balanced-accuracy": reference.balanced_accuracy_score,
        "f1": reference.f1_score,
        "macro-f1": lambda a, b: reference.f1_score(a, b, average="macro"),
    }[score]
    weights = choose_weights(criterion, y, p)
    assert np.log(weights).sum() == pytest.approx(0)
    t = weights[0] / weights.sum()
    np.testing.assert_array_equal(decide_classes(q, weights), (q[:, 1] > t).astype(int))
    best = max(score_of(fresh, q[:, 1] > cut) for cut in np.linspace(0.01, 0.9, 90))
    found, plain = score_of(fresh, decide_classes(q, weights)), score_of(fresh, q.argmax(1))
    assert plain < found
    assert found > best - 0.02


@pytest.mark.parametrize("score", ["balanced-accuracy", "macro-f1"])
def test_class_weights_beat_the_likeliest_class_on_fresh_rows(score):
    criterion = find_criterion("fit", score, 4)
    y, p = draw(1500, classes=4)
    fresh, q = draw(20_000, classes=4, seed=1)
    weights = choose_weights(criterion, y, p)
    assert (np.diff(weights) > 0).all() or score == "macro-f1"  # ever rarer classes count ever more

    def figure(said):
        if score == "macro-f1":
            return reference.f1_score(fresh, said, average="macro")
        return reference.balanced_accuracy_score(fresh, said)

    assert figure(decide_classes(q, weights)) > figure(q.argmax(1)) + (
        0.05 if score == "balanced-accuracy" else 0.0
    )


def test_a_few_rows_do_not_move_calibrated_probabilities_far():
    """Few rare rows: the threshold stays near the share of the class, which is optimal where probabilities are right."""
    criterion = find_criterion("fit", "balanced-accuracy", 2)
    share = draw(50_000)[1][:, 1].mean()
    found = []
    for seed in range(20):
        y, p = draw(60, seed=seed)
        weights = choose_weights(criterion, y, p)
        found.append(weights[0] / weights.sum())
    assert np.median(found) == pytest.approx(share, rel=0.25)
    assert np.ptp(found) < 0.3


def test_honest_decisions_do_not_flatter():
    """Scores without any sense: the best threshold of the same rows looks better than chance, an honest one does not."""
    criterion = find_criterion("fit", "balanced-accuracy", 2)
    gaps, honest = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = (np.arange(200) < 40).astype(int)
        p = rng.permutation(np.linspace(0.01, 0.99, 200))
        output = np.stack([1 - p, p], 1)
        own = decide_classes(output, choose_weights(criterion, y, output))
        gaps.append(reference.balanced_accuracy_score(y, own) - 0.5)
        honest.append(reference.balanced_accuracy_score(y, say_honestly(criterion, y, output)) - 0.5)  # fmt: skip
    assert np.mean(gaps) > 0.03
    assert abs(np.mean(honest)) < 0.015


@settings(max_examples=40, deadline=None)
@given(classes=st.integers(2, 5), seed=st.integers(0, 999))
def test_costs_are_least_among_all_classes(classes, seed):
    rng = np.random.default_rng(seed)
    p, costs = rng.dirichlet(np.ones(classes), 8), rng.uniform(0, 5, (classes, classes))
    said = decide_classes(p, costs)
    for row, own in zip(p, said, strict=True):
        expected = [sum(row[j] * costs[j, k] for j in range(classes)) for k in range(classes)]
        assert expected[own] == pytest.approx(min(expected))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 999), factor=st.floats(0.1, 10.0))
def test_laws_of_decisions(seed, factor):
    """The scale of weights and costs means nothing; weights are costs of missing a class."""
    rng = np.random.default_rng(seed)
    p, w = rng.dirichlet(np.ones(3), 20), rng.uniform(0.1, 3, 3)
    said = decide_classes(p, w)
    np.testing.assert_array_equal(said, decide_classes(p, factor * w))
    np.testing.assert_array_equal(said, decide_classes(p, w[:, None] * (1 - np.eye(3))))
    np.testing.assert_array_equal(p.argmax(1), decide_classes(p, np.ones(3)))


def test_whole_weights_are_repeated_rows_of_many():
    criterion = find_criterion("fit", "f1", 2)
    y, p = draw(3000)
    twice = choose_weights(criterion, np.repeat(y, 2), np.repeat(p, 2, axis=0))
    assert choose_weights(criterion, y, p, np.full(3000, 7.0)) == pytest.approx(choose_weights(criterion, y, p))  # fmt: skip
    assert twice == pytest.approx(choose_weights(criterion, y, p), rel=0.3)


def test_which_scores_are_decided():
    assert [is_decided(find_criterion("fit", s, 2)) for s in ("macro-f1", "accuracy", "auc", "log-loss")] == [True, False, False, False]  # fmt: skip
    assert not is_decided(None)
    many, p = np.arange(300) % 30, np.random.default_rng(0).dirichlet(np.ones(30), 300)
    assert choose_weights(find_criterion("fit", "macro-f1", 30), many, p).tolist() == [1.0] * 30


def test_a_class_that_is_never_likely_is_never_said_where_that_is_best():
    y, p = (np.arange(100) < 5).astype(int), np.tile([0.95, 0.05], (100, 1))
    weights = choose_weights(find_criterion("fit", "macro-f1", 2), y, p)
    assert not decide_classes(p, weights).any()
    assert decide_classes(p, choose_weights(find_criterion("fit", "f1", 2), y, p)).all()
