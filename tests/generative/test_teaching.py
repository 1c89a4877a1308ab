import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score, roc_auc_score

from gradatim.errors import InvalidValue
from gradatim.generative.teaching import train_on_generated
from gradatim.generative.telling_apart import boosted_trees


def rows(count, seed, noise=0.5):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 2))
    y = x[:, 0] + noise * rng.normal(size=count)
    c = np.where(y > 0.5, "high", np.where(y > -0.5, "middle", "low"))
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": y, "c": c})


def test_classes_are_judged_by_their_mean_area():
    train, test = (rows(300, k).drop(columns="y") for k in (0, 1))
    found = train_on_generated(train, test, train, "c")
    trees = boosted_trees(np.array([False, False]), 300).fit(train[["a", "b"]], train["c"])
    expected = roc_auc_score(test["c"], trees.predict_proba(test[["a", "b"]]), multi_class="ovr", average="macro")  # fmt: skip
    assert found.real.value == pytest.approx(expected)
    assert found.loss == (0.0, 0.0, 0.0)
    assert found.metric == "AUC"


def test_rows_that_teach_nothing_lose():
    train, test = (rows(300, k).drop(columns="y") for k in (0, 1))
    made = train.assign(c=np.random.default_rng(0).permutation(train["c"]))
    found = train_on_generated(train, test, made, "c")
    assert abs(found.generated.value - 0.5) < 0.1
    assert found.loss.low > 0.2
    one = train_on_generated(train, test, train.assign(c="low"), "c")
    assert one.generated.value == pytest.approx(0.5)


def test_numbers_are_judged_by_what_is_explained():
    train, test = (rows(300, k).drop(columns="c") for k in (0, 1))
    made = rows(300, 2).drop(columns="c")
    found = train_on_generated(train, test, made, "y")
    assert found.metric == "R²"
    assert 0.6 < found.real.value < 0.9
    assert found.loss.low < 0 < found.loss.high
    same = train_on_generated(train, test, train, "y")
    assert same.generated == same.real
    assert r2_score(test["y"], test["a"]) > found.real.value - 0.1


@pytest.mark.parametrize(
    ("target", "sentence"),
    [("z", "target must be one of"), ("c", "train must have columns beside the target, got none")],
)
def test_targets_that_make_no_sense(target, sentence):
    table = rows(60, 0)[["c"]]
    with pytest.raises(InvalidValue, match=sentence):
        train_on_generated(table, table, table, target)


def test_a_test_of_one_class_says_nothing():
    table = rows(60, 0).drop(columns="y")
    with pytest.raises(InvalidValue, match="test must hold at least two classes of the target, got one"):  # fmt: skip
        train_on_generated(table, table.assign(c="low"), table, "c")
