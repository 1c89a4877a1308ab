"""The average of the best candidates: its weights, what it predicts, and how it is judged, stored and resumed."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit
from gradatim.evaluation.racing import Result
from gradatim.fitting import contest, write_predictions
from gradatim.fitting.averaging import Average, add_greedily, find_average
from gradatim.fitting.comparison import Comparison
from gradatim.fitting.player import Candidate
from gradatim.fitting.tables import player as tables
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.player import read_player
from gradatim.fitting.tables.predictors import Fitted, average, predict
from gradatim.fitting.verdict import decide
from gradatim.fitting.work import Work
from gradatim.reports import report as report_module


def test_greedy_weights_come_near_the_best_ones():
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(4, 50)) + np.array([[0.5], [-0.7], [1.0], [3.0]])
    errors = errors[np.argsort((errors**2).mean(1))]

    def loss(counts):
        return float(((np.array(counts) / sum(counts)) @ errors @ errors.T @ counts) / sum(counts))

    found = add_greedily(loss, 4, 12)
    everything = [c for c in product(range(13), repeat=4) if 0 < sum(c) <= 12]
    assert sum(found) <= 12
    assert min(map(loss, everything)) <= loss(found) <= 1.05 * min(map(loss, everything))
    assert loss(found) < loss((1, 0, 0, 0))


def test_one_that_none_helps_stays_alone_and_time_ends_the_search():
    assert add_greedily(lambda counts: 1.0 + counts[1], 2) == (1, 0)
    assert add_greedily(lambda counts: -counts[1] / sum(counts), 2, 12, lambda: True) == (1, 0)
    assert add_greedily(lambda counts: -counts[1] / sum(counts), 2, 4) == (1, 3)


def line(slope, bias):
    return Fitted("chain", 0, {"0.0.weight": np.array([[slope]]), "0.0.bias": np.array([bias])})


def test_an_average_is_the_weighted_mean_and_is_stored():
    X = np.arange(5.0)[:, None]
    trees = Fitted("nearest", 0, {"rows": X, "target": X[:, 0] ** 2}, {"neighbours": 1})
    both = average([line(2.0, 1.0), trees], [0.25, 0.75])
    expected = 0.25 * (2 * X[:, 0] + 1) + 0.75 * X[:, 0] ** 2
    np.testing.assert_allclose(predict(both, X), expected, rtol=1e-12)
    facts, tensors = both.store()
    np.testing.assert_array_equal(predict(Fitted.restore(facts, tensors), X), predict(both, X))
    assert both.parameters == 2 + 10


class _Sayings:
    """A player whose candidates say fixed things of two rows whose truth is zero."""

    simple, averaged = ("mean", "a", "b"), tuple

    def __init__(self, sayings):
        self.sayings, self.asked = sayings, 0

    def has_said(self, candidate, k):
        return self.asked == 0

    def said(self, candidate, k):
        return np.array(self.sayings[candidate.name][k])

    def measure(self, output, k):
        return {"RMSE": float(np.sqrt((output**2).mean()))}

    def combine(self, models, weights):
        return models, weights


def _found(sayings, tmp_path, seconds=1.0, deadline=None, asked=0):
    player = _Sayings(sayings)
    player.asked = asked
    folds = [(np.arange(4), np.arange(4, 6))] * 3
    simple = {
        n: [Result(player.measure(np.array(own[k]), k), seconds) for k in range(3)]
        for n, own in sayings.items()
    }
    work = Work(tmp_path / "work", {"a": 1}, resume=False)
    return find_average(player, Comparison(folds, simple, []), None, work, deadline)


def test_errors_that_cancel_are_averaged_by_hand(tmp_path):
    # 0.75 of 1 and 0.25 of -3 leave nothing
    sayings = {"mean": [[9, 9]] * 3, "a": [[1, 1]] * 3, "b": [[-3, -3]] * 3}
    found = _found(sayings, tmp_path)
    assert (found.members, found.weights) == (["a", "b"], [0.75, 0.25])
    assert [r.figures["RMSE"] for r in found.results] == [0.0, 0.0, 0.0]
    assert found.sentence == "The average is 0.75 × a + 0.25 × b, with the weights that are best over the folds."  # fmt: skip


def test_a_fold_is_judged_by_the_weights_of_the_others(tmp_path):
    # halves cancel a and b in the first two folds; in the third a alone would err by 1, and halves by 2
    sayings = {"mean": [[9, 9]] * 3, "a": [[1, 1]] * 3, "b": [[-1, -1], [-1, -1], [3, 3]]}
    found = _found(sayings, tmp_path)
    assert (found.members, found.weights) == (["a", "b"], [0.5, 0.5])
    assert found.results[2].figures["RMSE"] == pytest.approx(2.0)


def test_one_that_is_best_alone_is_not_averaged(tmp_path):
    sayings = {"mean": [[9, 9]] * 3, "a": [[1, 1]] * 3, "b": [[3, 3]] * 3}
    assert _found(sayings, tmp_path) is None
    assert _found({n: sayings[n] for n in ("mean", "a")}, tmp_path / "other") is None


def test_without_time_to_train_again_there_is_none(tmp_path):
    sayings = {"mean": [[9, 9]] * 3, "a": [[1, 1]] * 3, "b": [[-3, -3]] * 3}
    assert _found(sayings, tmp_path, seconds=100.0, deadline=50.0, asked=1) is None
    assert _found(sayings, tmp_path / "other", seconds=100.0, deadline=50.0) is not None


def test_the_average_is_the_most_complex_of_all():
    scores = {"mean": np.full(5, 3.0), "line": np.array([1.0, 1.1, 0.9, 1.0, 1.05])}
    network = scores["line"] - 0.001
    tied = decide(scores, network, 0.25, "RMSE", average=network - 0.001)
    assert tied.recommended == "line"
    ahead = decide(scores, network, 0.25, "RMSE", average=0.7 * network)
    assert ahead.recommended == "average"
    assert ahead.sentence.endswith("Recommended: the average.")
    wanted = decide(scores, network, 0.25, "RMSE", prefer="accurate", average=network - 0.001)
    assert wanted.recommended == "average"
    assert wanted.sentence.endswith("Recommended: the average. Line would be simpler: simplicity costs 0.2 % of the RMSE (95 % interval 0.2 % to 0.2 %).")  # fmt: skip


def test_what_was_said_is_what_a_training_would_say():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60)})
    player = read_player(frame, TableOptions(target="y"))
    candidate = Candidate("ridge regression")
    figures = player.judge(candidate, 0)
    assert player.has_said(candidate, 0)
    again = player.outputs(player.fit(candidate, 0), 0)
    np.testing.assert_array_equal(player.said(candidate, 0), again)
    assert player.measure(again, 0) == figures


@pytest.fixture
def forced(monkeypatch):
    """The average of ridge regression and the network is recommended whatever the scores; nothing is drawn."""
    simple = tables.simple_models
    monkeypatch.setattr(tables, "simple_models", lambda classes: simple(classes)[:2])
    header = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")
    monkeypatch.setattr(report_module, "_png", lambda figure: header)

    def halves(player, comparison, tuning, work, deadline):
        results = [Result({"RMSE": 1e-3 * (1 + k % 2), "MAE": 1.0, "R²": 0.5}, 0.1) for k in range(len(comparison.folds))]  # fmt: skip
        return Average(["ridge regression", "network"], [0.5, 0.5], results)

    monkeypatch.setattr(contest, "find_average", halves)


@pytest.mark.parametrize("keep_test_out", [True, False])
def test_a_recommended_average_is_tested_stored_and_completed(forced, frame, tmp_path, keep_test_out):  # fmt: skip
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = fit(tmp_path / "t.csv", "price", drop=["kind"], trials=1, output=tmp_path / "m", keep_test_out=keep_test_out)  # fmt: skip
    assert result.verdict.recommended == "average"
    assert any(note.startswith("The average is 0.5 × ridge regression + 0.5 × network") for note in result.notes)  # fmt: skip
    model = gradatim.load_model(tmp_path / "m")
    parts = [model.predict(frame, model=name) for name in ("ridge regression", "network")]
    np.testing.assert_allclose(model.predict(frame), np.mean(parts, axis=0), rtol=1e-12)
    figures = model.about["test"]
    assert set(figures) == {"mean", "ridge regression", "network", "average"}
    write_predictions(tmp_path / "m", tmp_path / "t.csv", tmp_path / "p.csv")
    reported = pd.read_csv(tmp_path / "m" / "predictions.csv")
    again = pd.read_csv(tmp_path / "p.csv")["prediction"].iloc[reported["row"] - 1].to_numpy()
    assert (again == reported["prediction"].to_numpy()).all() == keep_test_out
