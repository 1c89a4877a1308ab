"""Weights of rows: laws of repeated rows in every engine, class weights, drawing, and what is refused."""

from functools import partial

import numpy as np
import pytest
import torch
from sklearn.utils.class_weight import compute_class_weight
from torch import nn

from gradatim.errors import GradatimError
from gradatim.losses import focal, pinball_loss
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.training import METRICS, Trainer, WeightedBatch, train_replicas
from gradatim.training.batches import InMemory
from gradatim.training.row_weights import class_factors, row_weights


def data(task, rows=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3)).astype(np.float32)
    if task == "cross_entropy":
        return X, rng.integers(0, 3, rows)
    y = rng.normal(size=(rows, 1)).astype(np.float32)
    return X, (y > 0).astype(np.float32) if task == "bce" else y


def network(task, kind=nn.ReLU, seed=3):
    with seeded(seed):
        return nn.Sequential(nn.Linear(3, 5), kind(), nn.Linear(5, 3 if task == "cross_entropy" else 1))  # fmt: skip


def repeated(X, y, weight):
    rows = np.repeat(np.arange(len(X)), weight)
    return X[rows], y[rows]


def values(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


NINETY = partial(pinball_loss, quantile=0.9)
WEIGHT = np.array([1, 0, 3, 1, 1, 2, 0, 1, 4, 1, 1, 2])


@pytest.mark.parametrize("engine", ["chain", "general"])
@pytest.mark.parametrize("task", ["cross_entropy", "mse", "bce"])
def test_whole_weights_are_repeated_rows_in_a_training(task, engine):
    """Full batches: the same loss, gradients and so weights; and so for the losses told."""
    X, y = data(task)
    runs = []
    for pair, weight in (((X, y), WEIGHT), (repeated(X, y, WEIGHT), None)):
        model = network(task)
        trainer = Trainer(model, task, "sgd", lr=0.3, epochs=5, batch_size=100, engine=engine, progress=False)  # fmt: skip
        history = trainer.fit(pair, (X, y), sample_weight=weight)
        assert history.engine.name == engine
        runs.append((values(model), torch.tensor(history["train_loss"] + history["validation_loss"])))  # fmt: skip
    torch.testing.assert_close(runs[0], runs[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("task", ["cross_entropy", "mse", "bce", "pinball", NINETY])
def test_chain_and_autograd_agree_in_small_batches(task):
    X, y = data(task, rows=40)
    weight = np.random.default_rng(1).uniform(0, 3, 40)
    found = []
    for engine in ("chain", "general"):
        model = network(task)
        Trainer(model, task, epochs=3, batch_size=8, engine=engine, progress=False).fit((X, y), sample_weight=weight)  # fmt: skip
        found.append(values(model))
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", [nn.ReLU, nn.GELU])  # a chain; a module that torch.func maps
@pytest.mark.parametrize("task", ["cross_entropy", "mse", "bce", NINETY])
def test_replicas_weigh_as_each_would_alone(task, kind):
    X, y = data(task, rows=30)
    weight = np.random.default_rng(2).uniform(0, 3, 30)
    rows = [np.arange(20), np.arange(5, 30)]
    settings = {"loss": task, "optimizer": "sgd", "lr": 0.1, "epochs": 4, "batch_size": 7}
    stack = train_replicas(lambda: network(task, kind), (X, y), rows=rows, validation_rows=rows[::-1], sample_weight=weight, seed=[5, 5], **settings)  # fmt: skip
    assert stack.is_stacked
    for k, own in enumerate(rows):
        model, judged = network(task, kind, seed=5), rows[1 - k]
        trainer = Trainer(model, task, "sgd", lr=0.1, epochs=4, batch_size=7, seed=5, progress=False)  # fmt: skip
        model.load_state_dict(network(task, kind).state_dict())
        history = trainer.fit((X[own], y[own]), (X[judged], y[judged]), sample_weight=weight[own], validation_weight=weight[judged])  # fmt: skip
        torch.testing.assert_close(values(stack.models[k]), values(model), rtol=1e-4, atol=1e-6)
        for name in ("train_loss", "validation_loss"):
            assert stack.histories[k][name] == pytest.approx(history[name], rel=1e-4)


@pytest.mark.parametrize("name", METRICS)
def test_whole_weights_are_repeated_rows_in_every_metric(name):
    is_class = name not in ("mse", "rmse", "mae", "mape", "r2")
    X, y = data("cross_entropy" if is_class else "mse", rows=12, seed=4)
    model = network("cross_entropy" if is_class else "mse")
    trainer = Trainer(model, "cross_entropy" if is_class else "mse", metrics=[name], progress=False)
    own = trainer.evaluate((X, y), sample_weight=WEIGHT)
    assert own == pytest.approx(trainer.evaluate(repeated(X, y, WEIGHT)), rel=1e-5)
    assert own != pytest.approx(trainer.evaluate((X, y)), rel=1e-5)


def test_balanced_classes_are_scikit_learns_and_multiply_weights():
    y = np.array([0, 0, 0, 0, 1, 2, 2])
    expected = compute_class_weight("balanced", classes=np.arange(3), y=y)
    np.testing.assert_allclose(class_factors("Trainer", "balanced", y), expected)
    weight = np.array([1, 2, 1, 1, 3, 1, 1])
    whole = row_weights("Trainer", y, weight, "balanced")
    totals = np.bincount(y, whole)
    np.testing.assert_allclose(totals, totals[0])
    np.testing.assert_allclose(row_weights("Trainer", y, None, {2: 4.0}), [1, 1, 1, 1, 1, 4, 4])


def test_rows_are_drawn_in_proportion_to_their_weights():
    X, weight = torch.arange(1000.0)[:, None], torch.ones(1000)
    weight[:10] = 99.0  # half of all
    batches = InMemory((X, X), 100, seed=0, device=torch.device("cpu"), weight=weight, is_sampled=True)  # fmt: skip
    first = torch.cat([x for x, _ in batches.epoch(0)])
    assert len(first) == 1000
    assert 0.45 < float((first < 10).float().mean()) < 0.55
    assert torch.equal(first, torch.cat([x for x, _ in batches.epoch(0)]))
    assert not torch.equal(first, torch.cat([x for x, _ in batches.epoch(1)]))
    rest = torch.cat([x for x, _ in batches.epoch(0, skip=4)])
    assert torch.equal(first[400:], rest)


def test_weighing_and_drawing_find_a_rare_class_that_neither_finds_without():
    rng = np.random.default_rng(0)
    y = (np.arange(2000) % 50 == 0).astype(int)
    X = rng.normal(size=(2000, 2)).astype(np.float32) + 1.5 * y[:, None].astype(np.float32)
    found = {}
    for name, how in {"plain": {}, "weighed": {"class_weight": "balanced"}, "drawn": {"class_weight": "balanced", "weighted_sampling": True}}.items():  # fmt: skip
        with seeded(0):
            model = nn.Linear(2, 2)
        trainer = Trainer(model, lr=0.05, epochs=10, metrics=["balanced_accuracy"], progress=False)
        trainer.fit((X, y), **how)
        found[name] = trainer.evaluate((X, y))["balanced_accuracy"]
    assert found["plain"] < 0.6 < 0.8 < min(found["weighed"], found["drawn"])
    assert found["weighed"] == pytest.approx(found["drawn"], abs=0.05)


def test_other_losses_choose_an_engine_that_can():
    X, y = data("cross_entropy", rows=40)
    for loss in (focal, "smoothed_cross_entropy"):
        history = Trainer(MLP((3, 4, 3)), loss, epochs=1, progress=False).fit((X, y), class_weight="balanced")  # fmt: skip
        assert history.engine.name == "general"
        assert np.isfinite(history["train_loss"][0])


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"sample_weight": [1.0] * 11}, r"sample_weight must hold one number for each of 12 rows, got shape \(11,\)"),
        ({"sample_weight": [1.0] * 11 + [-1.0]}, "sample_weight must not be negative, got -1.0 in row 11"),
        ({"sample_weight": [float("nan")] + [1.0] * 11}, "sample_weight must be finite, got nan in row 0"),
        ({"sample_weight": [0.0] * 12}, "sample_weight must be more than 0 for some row, got zeros only"),
        ({"sample_weight": ["a"] * 12}, "sample_weight must be numbers, got list"),
        ({"class_weight": "even"}, "class_weight must be 'balanced', a factor by class or None, got 'even'"),
        ({"class_weight": 3}, "class_weight must be 'balanced', a factor by class or None, got 3"),
        ({"class_weight": {7: 1.0}}, "class_weight must name classes of the target .*got 7"),
        ({"weighted_sampling": True}, "weighted_sampling must come with sample_weight or class_weight"),
        ({"validation_weight": [1.0, 2.0]}, "validation_weight must hold one number for each of 12 rows"),
    ],
)  # fmt: skip
def test_mistakes_get_one_sentence(how, words):
    X, y = data("cross_entropy")
    with pytest.raises(GradatimError, match=words):
        Trainer(network("cross_entropy"), progress=False).fit((X, y), (X, y), **how)


@pytest.mark.parametrize("task", ["cross_entropy", "mse"])
def test_batches_of_a_stream_bring_their_weights(task):
    """Whole numbers as weights are repeated rows, in training and in what is measured."""
    X, y = data(task)
    weight = np.arange(len(X)) % 3 + 1
    parts = torch.from_numpy(X), torch.from_numpy(y)
    streamed = [WeightedBatch.of(parts, torch.from_numpy(weight / weight.mean()))]
    how = {"loss": task, "optimizer": "sgd", "lr": 0.3, "epochs": 3, "progress": False}
    ours, theirs = network(task), network(task)
    seen = Trainer(ours, **how).fit(streamed, streamed)
    twice = repeated(X, y, weight)
    expected = Trainer(theirs, batch_size=100, **how).fit(twice, twice)
    torch.testing.assert_close(values(ours), values(theirs))
    last, known = seen.records[-1], expected.records[-1]
    assert last["validation_loss"] == pytest.approx(known["validation_loss"], rel=1e-5)


def test_streams_and_other_objectives_do_not_drop_weights_silently():
    X, y = (torch.from_numpy(part) for part in data("cross_entropy"))
    with pytest.raises(GradatimError, match="must come with arrays"):
        Trainer(network("cross_entropy"), progress=False).fit([(X, y)], class_weight={1: 2.0})
    with pytest.raises(GradatimError, match="must come with a loss alone"):
        Trainer(network("cross_entropy"), objective=lambda m, b: m(b[0]).mean(), progress=False).fit((X, y), sample_weight=WEIGHT)  # fmt: skip
    streamed = [WeightedBatch.of((X, y), torch.ones(len(X)))]
    with pytest.raises(GradatimError, match="weigh their rows must come with a loss alone"):
        Trainer(network("cross_entropy"), objective=lambda m, b: m(b[0]).mean(), progress=False).fit(streamed)  # fmt: skip
    with pytest.raises(GradatimError, match="must come with targets that are class numbers"):
        Trainer(network("mse"), "mse", progress=False).fit(data("mse"), class_weight="balanced")
