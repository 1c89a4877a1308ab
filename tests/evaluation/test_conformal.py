"""The promise of a threshold, by simulation and by its equation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.evaluation import conformal_radius, conformal_threshold, prediction_sets
from gradatim.evaluation.conformal import effective_count, largest_coverage


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.integers(1, 99))
def test_it_is_the_finite_sample_quantile(scores, percent):
    n, alarms = len(scores), percent / 100
    k = sum(
        j * 100 < (n + 1) * (100 - percent) for j in range(n + 2)
    )  # the ceiling, in whole numbers
    if not 1 <= k <= n:
        with pytest.raises(InvalidValue, match=r"alarms must be at least 1/\(n \+ 1\)"):
            conformal_threshold(scores, alarms)
    else:
        assert conformal_threshold(scores, alarms) == sorted(scores)[k - 1]


@pytest.mark.parametrize(("n", "alarms"), [(9, 0.1), (19, 0.2), (50, 0.05), (99, 0.01), (30, 0.5)])
@pytest.mark.parametrize("draw", ["normal", "standard_cauchy"])
def test_new_data_raise_the_share_asked_for_and_no_more(n, alarms, draw):
    """The share is known exactly: 1 - k/(n + 1), whatever the scores are drawn from."""
    rng, runs = np.random.default_rng(n), 20_000
    scores = getattr(rng, draw)(size=(runs, n + 1))
    raised = np.mean([row[-1] > conformal_threshold(row[:-1], alarms) for row in scores])
    exact = 1.0 - math.ceil((n + 1) * (1 - alarms) - 1e-9) / (n + 1)
    assert exact <= alarms + 1e-12
    assert abs(raised - exact) < 4 * math.sqrt(exact * (1 - exact) / runs)


def test_ties_raise_fewer():
    assert conformal_threshold(np.zeros(99), 0.01) == 0.0  # and nothing is above it


@pytest.mark.parametrize(
    ("scores", "alarms", "sentence"),
    [
        ([], 0.1, "conformal_threshold: scores must be at least one, got none."),
        ([1.0, float("nan")], 0.5, "conformal_threshold: scores must be finite, got others."),
        ([1.0] * 3, 0.1, "conformal_threshold: alarms must be at least 1/(n + 1) = 0.25 and less than 1 for 3 scores, got 0.1. Hold out more."),
        ([1.0] * 3, 1.0, "conformal_threshold: alarms must be at least 1/(n + 1) = 0.25 and less than 1 for 3 scores, got 1.0."),
    ],
)  # fmt: skip
def test_what_gives_no_promise_is_refused(scores, alarms, sentence):
    with pytest.raises(InvalidValue) as caught:
        conformal_threshold(scores, alarms)
    assert str(caught.value) == sentence


@given(n=st.integers(1, 60), coverage=st.floats(0.01, 0.99))
def test_the_radius_is_the_score_that_the_promise_names(n, coverage):
    scores = np.random.default_rng(n).permutation(n) + 1.0
    found = conformal_radius(scores, coverage)
    # P(s ≤ q) over ranks of a new score among n + 1: q = j-th score holds j of n + 1 ranks
    enough = [j for j in range(1, n + 1) if j / (n + 1) >= coverage - 1e-9]
    assert found == (enough[0] if enough else np.inf)


def test_intervals_hold_as_often_as_they_say():
    draw = np.random.default_rng(0)
    held = [abs(draw.normal()) <= conformal_radius(np.abs(draw.normal(size=19)), 0.9) for _ in range(8000)]  # fmt: skip
    assert 0.9 - 0.012 < np.mean(held) < 0.9 + 0.012  # exactly 18 / 20


def test_sets_hold_as_often_as_they_say_and_are_never_empty():
    draw = np.random.default_rng(1)
    held = []
    for _ in range(2000):
        p = draw.dirichlet(np.ones(4), 21)
        y = (p.cumsum(1) < draw.random((21, 1))).sum(1)
        sets = prediction_sets(p[20:], 1 - p[np.arange(20), y[:20]], 0.8)
        assert sets.any(1).all()
        held.append(sets[0, y[20]])
    assert np.mean(held) > 0.8 - 0.03


def test_a_sure_model_keeps_one_class():
    assert prediction_sets([[0.9, 0.1]], [0.0] * 20, 0.9).tolist() == [[True, False]]
    assert prediction_sets(
        [[0.9, 0.1]], [0.5], 0.9
    ).all()  # one score promises nothing: all classes


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: conformal_radius([1.0], 1.0), r"conformal_radius: coverage must be in \(0, 1\), got 1.0. Try 0.9"),
        (lambda: conformal_radius([np.nan], 0.9), "scores must be numbers, got NaN"),
        (lambda: prediction_sets([0.5, 0.5], [0.1], 0.9), r"must have shape \(N, K\) with K from 1, got \(2,\)"),
        (lambda: prediction_sets([[np.nan, 0.5]], [0.1], 0.9), "probabilities must be numbers, got NaN"),
    ],
)  # fmt: skip
def test_radius_and_sets_refuse(call, words):
    with pytest.raises(InvalidValue, match=words):
        call()


@pytest.mark.parametrize(("n", "coverage"), [(9, 0.9), (19, 0.8), (50, 0.95), (30, 0.5), (99, 0.99)])  # fmt: skip
@pytest.mark.parametrize("draw", ["normal", "standard_cauchy", "exponential"])
def test_the_radius_holds_exactly_k_of_n_plus_1_whatever_is_drawn(n, coverage, draw):
    rng, runs = np.random.default_rng(n), 20_000
    scores = np.abs(getattr(rng, draw)(size=(runs, n + 1)))
    held = np.mean([row[-1] <= conformal_radius(row[:-1], coverage) for row in scores])
    exact = math.ceil((n + 1) * coverage - 1e-9) / (n + 1)
    assert coverage - 1e-12 <= exact < coverage + 1 / (n + 1)
    assert abs(held - exact) < 4 * math.sqrt(exact * (1 - exact) / runs)


@given(n=st.integers(1, 80), coverage=st.floats(0.01, 0.99), size=st.floats(1e-3, 1e3))
def test_equal_weights_change_nothing(n, coverage, size):
    scores = np.random.default_rng(n).permutation(n) + 1.0
    weighed = conformal_radius(scores, coverage, np.full(n, size))
    assert weighed == conformal_radius(scores, coverage)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 99))
def test_the_weighted_radius_is_the_first_score_with_enough_weight(weights, percent):
    """By a loop in whole numbers: the weight that is needed is c times that of all rows and a drawn one."""
    scores, total = np.arange(len(weights)) * 2.0, sum(weights)
    squares = sum(w * w for w in weights)
    held, expected = 0, math.inf
    for score, w in zip(scores, weights, strict=True):
        held += w
        if 100 * held * total >= percent * (total * total + squares):
            expected = score
            break
    assert conformal_radius(scores, percent / 100, weights) == expected


def test_weighted_rows_promise_what_rows_that_are_drawn_by_weight_do():
    """Rows are drawn evenly, but heavy ones are meant: new rows are drawn by weight, and their errors grow with it."""
    rng, runs, n = np.random.default_rng(3), 4000, 60
    held = {True: 0, False: 0}
    for _ in range(runs):
        w = rng.uniform(0.2, 3.0, n)
        scores = w * np.abs(rng.normal(size=n))
        pool = rng.uniform(0.2, 3.0, 400)
        heavy = rng.choice(pool, p=pool / pool.sum())
        new = heavy * abs(rng.normal())
        held[True] += new <= conformal_radius(scores, 0.9, w)
        held[False] += new <= conformal_radius(scores, 0.9)
    assert held[True] / runs > 0.89
    assert held[False] / runs < 0.87


def test_counts_and_the_most_that_can_be_promised():
    assert effective_count([2.0, 2.0, 2.0]) == 3
    assert effective_count([1e200, 1e200]) == 2
    for n in (1, 8, 99):
        most = largest_coverage(n)
        assert math.isfinite(conformal_radius(np.ones(n), most))
        assert math.isinf(conformal_radius(np.ones(n), most + 1e-6))


def test_sets_weigh_too_and_strange_weights_are_refused():
    p, scores = np.array([[0.7, 0.3]]), [0.1, 0.2, 0.75]
    assert prediction_sets(p, scores, 0.5).tolist() == [[True, False]]
    assert prediction_sets(p, scores, 0.5, [1.0, 1.0, 8.0]).tolist() == [[True, True]]
    with pytest.raises(InvalidValue, match="conformal_radius: weight must not be negative"):
        conformal_radius([1.0, 2.0], 0.5, [1.0, -1.0])
