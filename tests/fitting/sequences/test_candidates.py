"""The simple models of series: what they say, what they store, and what they refuse."""

import numpy as np
import pytest

from gradatim.data import waves
from gradatim.errors import InvalidValue
from gradatim.fitting import probing
from gradatim.fitting.sequences import candidates
from gradatim.fitting.sequences.candidates import (
    MEMBERS,
    NEAREST,
    TREES,
    SequenceAverage,
    effort,
    fit_simple,
    rows_in_time,
    simple_models,
)
from gradatim.fitting.sequences.nearest import NearestNeighbour
from gradatim.fitting.sequences.steps import Sequences


@pytest.fixture(scope="module")
def drawn():
    X, y = waves(90, noise=0.2, seed=1)
    values = np.concatenate(list(X)).astype(np.float32)
    lengths = np.array([len(x) for x in X])
    fixed = np.repeat(np.arange(90) % 5, lengths)[:, None].astype(np.float32)
    return Sequences(np.concatenate([values, fixed], 1), lengths, num_static=1), y


@pytest.mark.parametrize("name", simple_models(3))
def test_every_model_learns_and_survives_storing(drawn, name):
    series, y = drawn
    learn, judge = np.arange(60), np.arange(60, 90)
    model = fit_simple(name, series.take(learn), y[learn], 3, 0)
    output = model.outputs(series.take(judge))
    np.testing.assert_allclose(output.sum(1), 1.0)
    assert (output > 0).all()
    assert (output.argmax(1) == y[judge]).mean() > (0.75 if name != "class frequencies" else 0.2)
    facts, tensors = model.store()
    again = next(m for m in MEMBERS if m.kind == facts["kind"]).restore(facts, tensors)
    np.testing.assert_array_equal(again.outputs(series.take(judge)), output)
    np.testing.assert_allclose(
        model.outputs(series.take(judge[7:8])), output[7:8], rtol=1e-9
    )  # alone
    assert again.parameters == model.parameters
    assert again.rehearse(series.take(judge[:2])).shape == (2, 3)


@pytest.mark.parametrize("name", simple_models(0))
def test_values_too(drawn, name):
    series, _ = drawn
    target = series.lengths.astype(float)
    model = fit_simple(name, series.take(np.arange(60)), target[:60], 0, 0)
    error = np.abs(model.outputs(series.take(np.arange(60, 90))) - target[60:]).mean()
    assert error < (7.0 if name in ("mean", NEAREST) else 4.0)
    kept = fit_simple(name, series.take(np.arange(60)), target[:60], 0, 0, model.settings)
    assert kept.settings.keys() == model.settings.keys()


def test_an_average_is_the_weighted_mean_and_survives_storing(drawn):
    series, y = drawn
    models = [fit_simple(name, series, y, 3, 0) for name in (NEAREST, TREES)]
    both, few = SequenceAverage(models, [0.25, 0.75]), series.take(np.arange(8))
    expected = 0.25 * models[0].outputs(few) + 0.75 * models[1].outputs(few)
    np.testing.assert_allclose(both.outputs(few), expected, rtol=1e-12)
    again = SequenceAverage.restore(*both.store())
    np.testing.assert_array_equal(again.outputs(few), both.outputs(few))
    assert again.parameters == sum(model.parameters for model in models)
    assert again.rehearse(few).shape == (8, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": [0.5]}, "weights of an average must be shares, one for each model"),
        ({"weights": [0.9, 0.9]}, "weights of an average must be shares"),
        ({"weights": [float("nan"), 1.0]}, "weights of an average must be shares"),
        ({"models": [{"kind": "average"}, {"kind": "average"}]}, "kind must be one of"),
    ],
)
def test_averages_of_strangers_are_refused(drawn, change, message):
    series, y = drawn
    models = [fit_simple(name, series, y, 3, 0) for name in ("class frequencies", TREES)]
    facts, tensors = SequenceAverage(models, [0.5, 0.5]).store()
    with pytest.raises(InvalidValue, match=message):
        SequenceAverage.restore(facts | change, tensors)


def test_the_nearest_is_that_of_the_slow_way(drawn):
    series, y = drawn
    few = series.take(np.arange(12))
    model = NearestNeighbour(few, y[:12], 3, {"band": 1.0, "right": 0.9})
    asked = series.take(np.arange(12, 16))
    parts = [np.split(s.values, s.starts[1:]) for s in (few, asked)]
    slow = [int(np.argmin([_warped(a, b) for b in parts[0]])) for a in parts[1]]
    assert model.nearest(asked)[:, 0].tolist() == slow
    assert model.outputs(asked)[np.arange(4), y[:12][slow]].tolist() == [0.9] * 4


def _warped(a, b):
    """Dynamic time warping, cell by cell."""
    table = np.full((len(a) + 1, len(b) + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(len(a)):
        for j in range(len(b)):
            cost = ((a[i].astype(float) - b[j]) ** 2).sum()
            table[i + 1, j + 1] = cost + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return table[-1, -1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f, t: t.update(lengths=t["lengths"][:-1]), "series must have steps and a target each"),
        (lambda f, t: t.update(lengths=0 * t["lengths"]), "series must have steps and a target each"),
        (lambda f, t: t.update(target=t["target"] + 7), "targets must be classes from 0 to 2"),
        (lambda f, t: f["settings"].update(band=7.0), "band must be a share"),
        (lambda f, t: f["settings"].update(right="x"), "right must be a share"),
        (lambda f, t: f.update(num_static=9), "num_static must be a whole number"),
    ],
)  # fmt: skip
def test_neighbours_of_strangers_are_refused(drawn, change, message):
    series, y = drawn
    facts, tensors = fit_simple(NEAREST, series.take(np.arange(9)), y[:9], 3, 0).store()
    change(facts, tensors)
    with pytest.raises(InvalidValue, match=message):
        NearestNeighbour.restore(facts, tensors)


def test_what_takes_too_long_learns_from_fewer_series(drawn, monkeypatch):
    series, y = drawn
    many = series.take(np.arange(900) % 90)
    assert rows_in_time(NEAREST, series.take(np.arange(9)), y[:9], series, 3, 0, 1e-9) is None
    now = [0.0]

    class Slow:
        def __init__(self, name, sequences, *others):
            now[0] += effort(name, len(sequences), 0.1)

        def outputs(self, sequences):
            return None

    monkeypatch.setattr(probing.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(candidates, "fit_simple", Slow)
    for wanted in (300, 600):
        seconds = effort(NEAREST, wanted, 0.1)
        assert rows_in_time(NEAREST, many, np.tile(y, 10), series, 3, 0, seconds) == wanted
    assert rows_in_time(NEAREST, many, np.tile(y, 10), series, 3, 0, effort(NEAREST, 50, 0.1)) == 0
    assert rows_in_time(NEAREST, many, np.tile(y, 10), series, 3, 0, effort(NEAREST, 900, 0.1)) is None  # fmt: skip
