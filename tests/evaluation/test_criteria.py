"""Names, directions and refusals of what decides; figures against scikit-learn's own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from gradatim.errors import InvalidValue
from gradatim.evaluation import Interval
from gradatim.evaluation.criteria import (
    REPORTED,
    check_criterion,
    find_criterion,
    is_larger_better,
    turn,
    turn_difference,
    turn_interval,
)
from gradatim.evaluation.judged import Judged
from gradatim.evaluation.metrics import measure, score
from gradatim.training.metrics import MEASURES


def cases(classes, seed=0, rows=80):
    rng = np.random.default_rng([seed, classes])
    if not classes:
        y = rng.normal(size=rows) + 3
        return y, y + rng.normal(size=rows)
    y = rng.permutation(np.arange(rows) % classes)
    return y, rng.dirichlet(np.ones(classes), rows)


@pytest.mark.parametrize("label", [m.label for m in MEASURES.values()] + ["neg_brier_score", "MASE", "pinball 0.9"])  # fmt: skip
def test_a_figure_turned_twice_is_itself_and_the_better_one_is_the_lesser_loss(label):
    assert turn(label, turn(label, 0.3)) == pytest.approx(0.3)
    assert (turn(label, 0.9) < turn(label, 0.2)) == is_larger_better(label)
    interval = Interval(0.5, 0.1, 0.25, 0.7)
    for turned in (turn_interval, turn_difference):
        once = turned(label, interval)
        assert once.low < once.mean < once.high
        assert turned(label, once) == pytest.approx(interval)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_every_reported_figure_is_scikit_learns_and_decides_when_asked(classes):
    y, output = cases(classes)
    said = output.argmax(1) if classes else output
    ranked = output[:, 1] if classes == 2 else output
    one_hot = y if classes == 2 else np.eye(max(classes, 1))[y] if classes else None
    expected = {
        "log_loss": lambda: reference.log_loss(y, output),
        "accuracy": lambda: reference.accuracy_score(y, said),
        "balanced_accuracy": lambda: reference.balanced_accuracy_score(y, said),
        "macro_f1": lambda: reference.f1_score(y, said, average="macro"),
        "auc": lambda: reference.roc_auc_score(y, ranked, multi_class="ovr"),
        "average_precision": lambda: reference.average_precision_score(one_hot, ranked),
        "rmse": lambda: reference.root_mean_squared_error(y, output),
        "mae": lambda: reference.mean_absolute_error(y, output),
        "mape": lambda: reference.mean_absolute_percentage_error(y, output),
        "r2": lambda: reference.r2_score(y, output),
    }
    for name in REPORTED["classification" if classes else "regression"]:
        criterion = find_criterion("fit", name.replace("_", "-"), classes)
        figures = measure(y, output, classes, criterion=criterion)
        label, value = next(iter(figures.items()))
        assert (label, value) == (MEASURES[name].label, pytest.approx(expected[name]())), name
        assert score(y, output, classes, criterion=criterion) == turn(label, value)
        assert len(figures) == len(measure(y, output, classes))


@settings(max_examples=40, deadline=None)
@given(classes=st.sampled_from([0, 2, 3]), seed=st.integers(0, 999))
def test_whole_weights_are_repeated_rows_in_every_figure(classes, seed):
    y, output = cases(classes, seed, rows=24)
    weight = np.random.default_rng(seed).integers(0, 4, 24)
    if len(np.unique(np.repeat(y, weight))) < max(classes, 2):
        return
    again = measure(np.repeat(y, weight), np.repeat(output, weight, axis=0), classes)
    assert measure(y, output, classes, weight=weight.astype(float)) == pytest.approx(again)
    names = ["f1_weighted", "matthews_corrcoef"] if classes else ["explained_variance", "quantile:0.2", "mse"]  # fmt: skip
    for name in names:
        own = find_criterion("fit", name, classes)
        whole = own.figure(Judged(np.repeat(y, weight), np.repeat(output, weight, axis=0), classes))
        assert own.figure(Judged(y, output, classes, weight=weight.astype(float))) == pytest.approx(whole)  # fmt: skip


def test_quantiles_and_scorers_of_scikit_learn():
    y, output = cases(0)
    own = find_criterion("fit", "quantile:0.9", 0)
    assert own.level == 0.9
    pinball = reference.mean_pinball_loss(y, output, alpha=0.9)
    assert measure(y, output, 0, criterion=own)["pinball 0.9"] == pytest.approx(pinball)
    y, p = cases(3)
    own = find_criterion("fit", "f1_weighted", 3)
    expected = reference.f1_score(y, p.argmax(1), average="weighted")
    assert next(iter(measure(y, p, 3, criterion=own).items())) == ("f1_weighted", pytest.approx(expected))  # fmt: skip
    assert find_criterion("fit", "neg_log_loss", 2) == find_criterion("fit", "log-loss", 2)
    assert find_criterion("fit", "roc_auc", 2).typed == "auc"


@pytest.mark.parametrize(
    ("score", "classes", "words"),
    [
        ("auc", 0, "score must suit a regression .*got 'auc', which is for classes. Try 'r2'"),
        ("log-loss", 0, "Try 'rmse'"),
        ("rmse", 2, "score must suit classes .*got 'rmse', which is for values. Try 'log-loss'"),
        ("r2", 2, "Try 'accuracy'"),
        ("quantile:0.9", 2, "got 'quantile:0.9', which is for values"),
        ("quantile:1.5", 0, "must name a quantile between 0 and 1.* got 'quantile:1.5'. Try 'quantile:0.9'"),
        ("quantile", 0, "must name a quantile between 0 and 1"),
        ("balanced", 2, "got 'balanced'. Try 'balanced-accuracy'"),
        ("", 2, "score must be one of log-loss"),
    ],
)  # fmt: skip
def test_wrong_scores_get_one_sentence(score, classes, words):
    with pytest.raises(InvalidValue, match=words) as caught:
        find_criterion("fit", score, classes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("score", "classes", "y", "words"),
    [
        ("jaccard", 3, [0, 1, 2], "got 'jaccard' .*Try 'jaccard_macro'"),
        ("mape", 0, [0.0, 1.0, 0.0], "must not be 'mape' where the target is 0, as in 2 rows. Try 'mae'"),
        ("neg_mean_squared_log_error", 0, [-2.0, 1.0, 3.0], "one that these targets can be judged by"),
        ("f1_samples", 2, [0, 1, 1], "one that these targets can be judged by"),
    ],
)  # fmt: skip
def test_scores_that_these_targets_cannot_tell_are_refused(score, classes, y, words):
    criterion = find_criterion("fit", score, classes)
    with pytest.raises(InvalidValue, match=words):
        check_criterion("fit", criterion, np.array(y), classes)
