"""Batched metrics equal scikit-learn's on the whole set, however it is cut."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from gradatim.errors import GradatimError
from gradatim.training.metrics import MEASURES, METRICS, build_metric, is_higher_better


def measure(metric, output, target, size):
    meter = build_metric(metric)
    for o, t in zip(output.split(size), target.split(size), strict=True):
        meter.update(o, t)
    return meter.compute()


@settings(max_examples=30, deadline=None)
@given(
    rows=st.integers(2, 60),
    size=st.integers(1, 60),
    shift=st.sampled_from([0.0, 1e4]),
    seed=st.integers(0, 999),
)
def test_regression_metrics_equal_scikit_learn(rows, size, shift, seed):
    generator = torch.Generator().manual_seed(seed)
    y = torch.randn(rows, generator=generator, dtype=torch.float64) + shift
    f = y + 0.3 * torch.randn(rows, generator=generator, dtype=torch.float64)
    expected = {
        "r2": reference.r2_score(y, f),
        "mse": reference.mean_squared_error(y, f),
        "mae": reference.mean_absolute_error(y, f),
    }
    for name, value in expected.items():
        assert measure(name, f[:, None], y, size) == pytest.approx(value, rel=1e-6, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(
    rows=st.integers(1, 60),
    size=st.integers(1, 60),
    classes=st.integers(2, 5),
    seed=st.integers(0, 999),
)
def test_classification_metrics_equal_scikit_learn(rows, size, classes, seed):
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(rows, classes, generator=generator)
    y = torch.randint(classes, (rows,), generator=generator)
    expected = reference.accuracy_score(y, logits.argmax(1))
    assert measure("accuracy", logits, y, size) == pytest.approx(expected)
    assert measure("error", logits, y, size) == pytest.approx(1 - expected)


def test_one_logit_and_soft_targets():
    logit = torch.tensor([[2.0], [-1.0], [0.5]])
    assert measure("accuracy", logit, torch.tensor([1.0, 0.0, 0.0]), 3) == pytest.approx(2 / 3)
    soft = torch.tensor([[0.9, 0.1], [0.2, 0.8]])
    assert measure("accuracy", torch.tensor([[1.0, 0.0], [1.0, 0.0]]), soft, 2) == 0.5


def test_r2_laws():
    y = torch.randn(50)
    assert measure("r2", y[:, None], y, 7) == 1.0
    assert measure("r2", y.mean().expand(50, 1), y, 7) == pytest.approx(0.0, abs=1e-6)


def test_a_function_is_averaged_over_rows():
    def biggest(output, target):
        return output.max()

    meter = build_metric(biggest)
    meter.update(torch.tensor([1.0, 2.0]), torch.zeros(2))
    meter.update(torch.tensor([5.0]), torch.zeros(1))
    assert meter.name == "biggest"
    assert meter.compute() == pytest.approx((2 * 2 + 5) / 3)


def test_nothing_measured_is_nan_and_bad_names_are_refused():
    assert np.isnan(build_metric("accuracy").compute())
    with pytest.raises(GradatimError, match="Try 'r2'"):
        build_metric("r")


@pytest.mark.parametrize("name", MEASURES)
def test_the_registry_knows_which_way_is_good(name):
    """The truth must score better than a bad guess by scikit-learn's function, in the direction stated."""
    fact = MEASURES[name]
    y, bad = np.array([0, 1, 1, 0, 1]), np.array([1.0, 0.0, 1.0, 0.0, 0.0])
    function = getattr(reference, fact.sklearn)
    truth, guess = function(y, y.astype(float)), function(y, bad)
    assert (truth > guess) == fact.higher_is_better
    assert truth != guess


def test_every_metric_of_the_trainer_is_in_the_registry():
    assert set(METRICS) <= set(MEASURES)
    assert all(build_metric(name).name == name for name in METRICS)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("accuracy", True),
        ("validation_r2", True),
        ("train_token_accuracy", True),
        ("validation_auc", True),
        ("validation_log_loss", False),
        ("validation_error", False),
        ("validation_loss", False),
        ("lr", False),
    ],
)
def test_directions_of_columns(column, expected):
    assert is_higher_better(column) is expected
