"""Networks of a table: each of a stack is what it is alone."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.fitting.tables import networks
from gradatim.fitting.tables.networks import (
    WIDTH,
    NetworkJob,
    NetworkSettings,
    batch_size,
    cost,
    draw_settings,
    fit_network,
    fit_networks,
    watch_network,
)
from gradatim.models import MLP
from gradatim.nn import PiecewiseLinearEncoding
from gradatim.randomness import seeded
from gradatim.training import Trainer


def make_job(number, rows, classes, **settings):
    rng = np.random.default_rng(number)
    X = rng.normal(size=(rows, 4))
    y = rng.integers(0, classes, rows) if classes else 100.0 + 7.0 * rng.normal(size=rows)
    return NetworkJob(X, y, NetworkSettings(**{"hidden": (6, 5), "steps": 60, **settings}), number)


def train_alone(job, classes, member):
    """The weights of one member by an ordinary training, after the rules in the docstrings."""
    seed = int(np.random.default_rng([job.seed, member]).integers(2**31))
    own, rows, X = job.settings, len(job.X), job.X.astype(np.float32)
    if own.bins:
        edges = np.quantile(job.X, np.linspace(0, 1, own.bins + 1), axis=0).T
        X = PiecewiseLinearEncoding(edges)(X).numpy()
    with seeded(seed):
        sizes = (X.shape[1], *own.hidden, classes or 1)
        network = MLP(sizes, activation=own.activation, dropout=own.dropout)
    y = job.y if classes else ((job.y - job.y.mean()) / job.y.std())[:, None].astype(np.float32)
    size = batch_size(rows)
    trainer = Trainer(
        network, "cross_entropy" if classes else "mse", "adamw", lr=own.lr, weight_decay=own.weight_decay,
        schedule="cosine", epochs=max(round(own.steps / -(-rows // size)), 20), batch_size=size, device="cpu",
        seed=seed, progress=False,
    )  # fmt: skip
    trainer.fit((X, y))
    return [layer for layer in network if isinstance(layer, torch.nn.Linear)]


@pytest.mark.parametrize("classes", [0, 3])
def test_every_network_of_a_stack_is_what_it_is_alone(classes):
    jobs = [
        make_job(0, 90, classes, lr=1e-2),
        make_job(1, 101, classes, lr=3e-3, weight_decay=0.0),  # another number of rows
        make_job(2, 90, classes, members=2, bins=0),
        make_job(3, 90, classes, dropout=0.0),  # another stack
        make_job(4, 1100, classes),  # larger batches
    ]
    for job, fitted in zip(jobs, fit_networks(jobs, classes), strict=True):
        assert len(fitted.arrays) == 6 * job.settings.members + 2 * (job.settings.bins > 0)
        for member in range(job.settings.members):
            for k, layer in enumerate(train_alone(job, classes, member)):
                found = fitted.arrays[f"{member}.{k}.weight"]
                np.testing.assert_allclose(found, layer.weight.detach(), atol=2e-6)
                bias = fitted.arrays[f"{member}.{k}.bias"]
                np.testing.assert_allclose(bias, layer.bias.detach(), atol=2e-6)


def test_folds_settings_and_members_of_one_shape_are_one_stack(monkeypatch):
    calls, train = [], networks.train_replicas
    monkeypatch.setattr(networks, "train_replicas", lambda *a, **k: calls.append((a[1], k)) or train(*a, **k))  # fmt: skip
    folds = [make_job(k, 60, 2) for k in range(3)]
    jobs = [
        fold._replace(settings=NetworkSettings(hidden=(3,), steps=20, lr=lr, members=2))
        for fold in folds
        for lr in (1e-3, 1e-2)
    ]
    fit_networks(jobs, 2)
    ((pool, options),) = calls
    assert len(options["seed"]) == len({rows[0] for rows in options["rows"]}) * 4 == 12
    assert len(pool[0]) == 3 * 60  # rows of a fold stand once
    monkeypatch.setattr(networks, "MAX_STACK", 5)
    calls.clear()
    fit_networks(jobs, 2)
    assert [len(options["seed"]) for _, options in calls] == [5, 5, 2]


def test_one_that_diverges_leaves_the_others_alone():
    jobs = [make_job(0, 60, 0), make_job(1, 60, 0, lr=1e30), make_job(2, 60, 0)]
    first, second, third = fit_networks(jobs, 0)
    assert second is None
    for fitted, job in ((first, jobs[0]), (third, jobs[2])):
        alone = fit_network(job.X, job.y, 0, job.settings, job.seed)
        for key, array in fitted.arrays.items():
            np.testing.assert_allclose(array, alone.arrays[key], atol=2e-6)
    with pytest.raises(
        InvalidValue, match=r"fit_network: lr must keep the loss finite, got 1e\+30"
    ):
        fit_network(jobs[1].X, jobs[1].y, 0, jobs[1].settings, 1)


def test_watched_rows_change_nothing():
    job = make_job(0, 60, 2)
    held = make_job(1, 30, 2)
    history = watch_network(job, 2, (held.X, held.y))
    other = watch_network(job, 2, (held.X[:9], held.y[:9]))
    assert history["train_loss"] == other["train_loss"]
    assert history["validation_loss"] != other["validation_loss"]
    assert len(history) == 30  # 60 steps of 32 rows, two an epoch


def test_settings_are_drawn_in_shapes():
    drawn = [draw_settings(trial, 3) for trial in range(1, 1 + 6 * WIDTH)]
    shapes = [(s.hidden, s.activation, s.dropout, s.steps, s.members, s.bins) for s in drawn]
    assert all(len(set(shapes[k : k + WIDTH])) == 1 for k in range(0, len(shapes), WIDTH))
    assert len(set(shapes)) > 3
    assert len({(s.lr, s.weight_decay) for s in drawn}) == len(drawn)


def test_cost_grows_with_steps_members_weights_and_dropout():
    def of(**settings):
        return cost(NetworkSettings(**settings), rows=960, inputs=50, outputs=10)

    assert of() == 1.0
    assert of(steps=1200) == 2.0
    assert of(members=4) == 4.0
    assert of(dropout=0.0) < 1.0
    wide = [cost(NetworkSettings(bins=b), inputs=50, numeric=40) for b in (0, 8, 32)]
    assert wide[0] < wide[1] == 1.0 < wide[2]
    assert 4.0 < of(hidden=(256, 256)) > of(hidden=(128, 128))
    # 20 epochs of 4,000 rows in batches of 128 are 640 steps, whether 300 or 600 are asked for
    assert cost(NetworkSettings(steps=300), rows=4000) == 1.0
