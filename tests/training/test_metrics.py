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
        "rmse": reference.root_mean_squared_error(y, f),
        "mape": reference.mean_absolute_percentage_error(y, f),
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
    guess, p = logits.argmax(1), logits.double().softmax(1).numpy()
    nll = reference.log_loss(y, p, labels=range(classes))
    assert measure("log_loss", logits, y, size) == pytest.approx(nll)
    how = {"average": "macro"} if classes > 2 else {"average": "binary"}
    for name in ("precision", "recall", "f1"):
        value = getattr(reference, f"{name}_score")(y, guess, zero_division=0, **how)
        assert measure(name, logits, y, size) == pytest.approx(value)
    macro = reference.f1_score(y, guess, average="macro", zero_division=0)
    assert measure("macro_f1", logits, y, size) == pytest.approx(macro)
    seen = np.unique(y)
    balanced = reference.recall_score(y, guess, labels=seen, average="macro", zero_division=0)
    assert measure("balanced_accuracy", logits, y, size) == pytest.approx(balanced)
    auc = measure("auc", logits, y, size)
    if len(set(y.tolist())) < classes:
        assert np.isnan(auc)
        assert np.isnan(measure("average_precision", logits, y, size))
    else:
        scores = p[:, 1] if classes == 2 else p
        assert auc == pytest.approx(reference.roc_auc_score(y, scores, multi_class="ovr"))
        truth = y if classes == 2 else np.eye(classes)[y]
        average = reference.average_precision_score(truth, scores)
        assert measure("average_precision", logits, y, size) == pytest.approx(average)


def test_equal_scores_count_half_in_the_area():
    y, z = torch.tensor([0, 1, 0, 1, 1]), torch.tensor([0.5, 0.5, 0.1, 0.5, 0.9])
    assert measure("auc", z, y, 2) == pytest.approx(reference.roc_auc_score(y, z))


@pytest.mark.parametrize(
    "name", ["accuracy", "error", "log_loss", "auc", "precision", "recall", "f1"]
)
def test_places_and_padding_of_sequences(name):
    generator = torch.Generator().manual_seed(0)
    z, y = torch.randn(9, 5, 3, generator=generator), torch.randint(3, (9, 5), generator=generator)
    y[:, 3:] = -100
    expected = measure(name, z[:, :3].flatten(0, 1), y[:, :3].flatten(), 27)
    assert measure(name, z, y, 2) == pytest.approx(expected)  # (B, T, K)
    assert measure(name, z.mT, y, 2) == pytest.approx(expected)  # (B, K, T), as in PyTorch


def test_labels_of_one_logit_in_any_form():
    z = torch.tensor([[2.0], [-1.0], [0.5], [-3.0]])
    for y in ([1, 0, 0, 1], [1, -1, -1, 1], [0.9, 0.1, 0.3, 0.8]):
        for target in (torch.tensor(y), torch.tensor(y)[:, None]):
            assert measure("accuracy", z, target, 3) == 0.5
            assert measure("recall", z, target, 3) == 0.5
            assert measure("auc", z, target, 3) == 0.5


def test_targets_of_several_classes_at_once_are_refused():
    y = torch.tensor([[1.0, 1.0, 0.0]])
    with pytest.raises(GradatimError, match="class numbers or probabilities that sum to 1"):
        measure("f1", torch.zeros(1, 3), y, 1)
    with pytest.raises(GradatimError, match="one class for every row of logits, got 6 for 2"):
        measure("f1", torch.zeros(2, 3), torch.zeros(2, 3, dtype=torch.long), 2)


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
    assert set(METRICS) == set(MEASURES)
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
