"""K stacked trainings are K separate trainings."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.events import Cancelled, CancelToken
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.training import EarlyStopping, History, Trainer, train_replicas
from gradatim.training.batches import epoch_order


def table(rows=101, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=rows) > 0).astype(np.int64)
    return X, y


def separate(build, pairs, *, validation=None, seeds, lr, weight_decay, stopping=None, **options):
    """Train one after another with Trainer."""
    models, histories = [], []
    for k, pair in enumerate(pairs):
        with seeded(seeds[k]):
            model = build()
        trainer = Trainer(
            model,
            lr=lr[k],
            weight_decay=weight_decay[k],
            seed=seeds[k],
            device="cpu",
            progress=False,
            callbacks=[copy.deepcopy(stopping)] if stopping else [],
            **options,
        )
        histories.append(trainer.fit(pair, None if validation is None else validation[k]))
        models.append(model)
    return models, histories


def assert_equal(replicas, models, histories, tolerance=2e-5):
    for ours, alone in zip(replicas.models, models, strict=True):
        for name, value in alone.state_dict().items():
            torch.testing.assert_close(
                ours.state_dict()[name], value, rtol=tolerance, atol=tolerance
            )
    for ours, alone in zip(replicas.histories, histories, strict=True):
        assert len(ours) == len(alone)
        assert ours.stopped == alone.stopped
        for column in set(alone.records[0]) - {"seconds"}:
            assert ours[column] == pytest.approx(alone[column], rel=1e-4, abs=1e-6), column


# unequal folds: 64, 90, 37 and 65 rows make 4, 6, 3 and 5 batches of 16
FOLDS = [
    np.arange(64),
    np.arange(10, 100),
    np.arange(37) * 2,
    np.r_[0:30, 50:85],
]
RATES = [1e-2, 3e-3, 1e-2, 2e-3]
DECAYS = [0.0, 0.1, 0.01, 0.1]


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "nesterov", "adam", "adamw"])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_unequal_folds_with_own_rates_and_decays(optimizer, dropout):
    X, y = table()
    held_out = [np.setdiff1d(np.arange(101), rows) for rows in FOLDS]
    build = lambda: MLP((5, 8, 6, 2), dropout=dropout)  # noqa: E731
    options = {"epochs": 3, "batch_size": 16, "schedule": "cosine", "optimizer": optimizer}
    replicas = train_replicas(
        build, (X, y), rows=FOLDS, validation_rows=held_out, lr=RATES, weight_decay=DECAYS,
        seed=[3, 1, 4, 1], **options,
    )  # fmt: skip
    models, histories = separate(
        build, [(X[r], y[r]) for r in FOLDS], validation=[(X[r], y[r]) for r in held_out],
        lr=RATES, weight_decay=DECAYS, seeds=[3, 1, 4, 1], **options,
    )  # fmt: skip
    assert replicas.is_stacked
    assert_equal(replicas, models, histories)


@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid", "gelu"])
@pytest.mark.parametrize("loss", ["mse", "bce", "mae", "huber"])
def test_other_losses_and_activations(activation, loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    y = rng.random((50, 2)).astype(np.float32)
    build = lambda: MLP((3, 6, 2), activation=activation)  # noqa: E731
    options = {"epochs": 2, "batch_size": 16, "loss": loss}
    replicas = train_replicas(build, (X, y), lr=[1e-2, 1e-3], **options)
    models, histories = separate(
        build, [(X, y)] * 2, lr=[1e-2, 1e-3], weight_decay=[0, 0], seeds=[0, 0], **options
    )
    assert replicas.is_stacked
    assert_equal(replicas, models, histories)


def test_a_flat_target_meets_one_output():
    X, y = table()
    pair = (X, y.astype(np.float32))
    build = lambda: nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1))  # noqa: E731
    replicas = train_replicas(build, [pair, pair], loss="mse", epochs=2, batch_size=200)
    models, histories = separate(
        build, [pair] * 2, lr=[1e-3] * 2, weight_decay=[0, 0], seeds=[0, 0], loss="mse", epochs=2,
        batch_size=200,
    )  # fmt: skip
    assert_equal(replicas, models, histories)


class Patches(nn.Module):
    """Sees images; no chain."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 3), nn.Linear(12, 2)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x[:, 0])).flatten(1))


@pytest.mark.parametrize(
    ("build", "is_stacked"),
    [
        (lambda: MLP((16, 5, 2)), True),
        (Patches, True),
        (
            lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.Tanh(), nn.Flatten(), nn.Linear(8, 2)),
            False,
        ),
    ],
)
def test_images(build, is_stacked):
    X, y = table(40, 16)
    X = X.reshape(40, 1, 4, 4)
    replicas = train_replicas(
        build, (X, y), rows=[range(30), range(10, 33)], validation=(X, y), epochs=2, batch_size=8
    )
    models, histories = separate(
        build, [(X[:30], y[:30]), (X[10:33], y[10:33])], validation=[(X, y)] * 2, lr=[1e-3] * 2,
        weight_decay=[0] * 2, seeds=[0] * 2, epochs=2, batch_size=8,
    )  # fmt: skip
    assert replicas.is_stacked == is_stacked
    assert_equal(replicas, models, histories)


def test_one_layer_without_bias():
    X, y = table()
    build = lambda: nn.Sequential(nn.Linear(5, 2, bias=False))  # noqa: E731
    replicas = train_replicas(build, (X, y), seed=[0, 1], epochs=2, weight_decay=0.1, lr=0.1)
    models, histories = separate(
        build, [(X, y)] * 2, lr=[0.1] * 2, weight_decay=[0.1] * 2, seeds=[0, 1], epochs=2
    )
    assert replicas.is_stacked
    assert_equal(replicas, models, histories)


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("reference", ["best", "previous"])
def test_each_replica_stops_on_its_own_and_keeps_its_best_weights(dropout, reference):
    X, y = table(60)
    rows = [np.arange(20), np.arange(5, 35), np.arange(40)]
    build = lambda: MLP((5, 16, 2), dropout=dropout)  # noqa: E731
    stopping = EarlyStopping(patience=2, reference=reference)
    validation = (X[40:], y[40:])
    options = {"epochs": 40, "batch_size": 8}
    rates = [0.05, 0.02, 0.001]
    replicas = train_replicas(
        build,
        (X, y),
        rows=rows,
        validation=validation,
        lr=rates,
        early_stopping=stopping,
        **options,
    )
    models, histories = separate(
        build, [(X[r], y[r]) for r in rows], validation=[validation] * 3, lr=rates,
        weight_decay=[0] * 3, seeds=[0] * 3, stopping=stopping, **options,
    )  # fmt: skip
    assert len({len(history) for history in histories}) > 1
    assert_equal(replicas, models, histories)


def test_modules_that_are_no_chain_are_stacked_by_torch_func():
    class Skip(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.norm = nn.Linear(5, 5), nn.Linear(5, 2), nn.LayerNorm(5)

        def forward(self, x):
            return self.b(x + torch.tanh(self.a(self.norm(x))))

    X, y = table()
    options = {"epochs": 2, "batch_size": 16}
    replicas = train_replicas(
        Skip, (X, y), rows=FOLDS, lr=RATES, weight_decay=DECAYS, validation=(X, y), **options
    )
    models, histories = separate(
        Skip, [(X[r], y[r]) for r in FOLDS], validation=[(X, y)] * 4, lr=RATES, weight_decay=DECAYS,
        seeds=[0] * 4, **options,
    )  # fmt: skip
    assert replicas.is_stacked
    assert_equal(replicas, models, histories)


@pytest.mark.parametrize(
    ("build", "options", "reason"),
    [
        (lambda: MLP((5, 4, 2), norm="batch"), {}, "batch normalization mixes"),
        (lambda: MLP((5, 4, 2), activation="gelu", dropout=0.5), {}, "randomness"),
        (lambda: MLP((5, 4, 2)), {"optimizer": "nadam", "lr": 1e-3}, "not SGD, Adam or AdamW"),
        (lambda: MLP((5, 4, 2)), {"loss": nn.CrossEntropyLoss()}, "not one of the named"),
        (lambda: MLP((5, 4, 2)).requires_grad_(False).append(nn.Linear(2, 2)), {}, "frozen"),
        (lambda: nn.Sequential(nn.Linear(5, 2), nn.BatchNorm1d(2)), {}, "batch normalization"),
    ],
)
def test_what_cannot_be_stacked_trains_one_after_another_and_says_so(build, options, reason):
    X, y = table()
    with pytest.warns(UserWarning, match=f"trained one after another, because .*{reason}"):
        replicas = train_replicas(build, (X, y), seed=[0, 1], epochs=2, batch_size=16, **options)
    assert not replicas.is_stacked
    assert reason in replicas.note
    assert "one after another" in repr(replicas)
    models, histories = separate(
        build, [(X, y)] * 2, weight_decay=[0] * 2, seeds=[0, 1], epochs=2, batch_size=16,
        **options | {"lr": [1e-3] * 2},
    )  # fmt: skip
    assert_equal(replicas, models, histories, tolerance=0)


@pytest.mark.parametrize("norm", [None, "batch"])
@pytest.mark.filterwarnings("ignore:train_replicas")
def test_a_replica_that_diverges_stops_and_harms_nobody(norm):
    X, y = table()
    build = lambda: nn.Sequential(  # noqa: E731
        nn.Linear(5, 1), *([nn.BatchNorm1d(1)] if norm else []), nn.Linear(1, 1)
    )
    options = {"loss": "mse", "optimizer": "sgd", "epochs": 30, "batch_size": 16}
    replicas = train_replicas(build, (X, y), lr=[1e-2, 1e9], **options)
    models, histories = separate(build, [(X, y)], lr=[1e-2], weight_decay=[0], seeds=[0], **options)
    assert replicas.diverged == (False, True)
    assert replicas.histories[1].stopped == "the loss is not finite"
    torch.testing.assert_close(replicas.models[0][0].weight, models[0][0].weight)
    assert len(replicas.histories[0]) == len(histories[0]) == 30


def test_the_callers_random_state_is_untouched():
    X, y = table()
    before = torch.get_rng_state()
    train_replicas(lambda: MLP((5, 4, 2), dropout=0.5), (X, y), seed=[0, 1], epochs=1)
    assert torch.equal(before, torch.get_rng_state())


def test_one_replica_and_predictions():
    X, y = table()
    replicas = train_replicas(lambda: MLP((5, 4, 2)), (X, y), epochs=1)
    assert len(replicas) == 1
    assert replicas.predict(X).shape == (1, 101, 2)
    assert repr(replicas) == "Replicas(1 networks, stacked)"
    assert isinstance(replicas.histories[0], History)


def test_masks_are_rows_too():
    X, y = table()
    mask = np.arange(101) < 50
    replicas = train_replicas(lambda: MLP((5, 2)), (X, y), rows=[mask, np.arange(50)], epochs=2)
    a, b = replicas.models
    assert torch.equal(a[0].weight, b[0].weight)


def test_the_order_of_an_epoch_is_a_permutation_of_seed_and_epoch():
    assert sorted(epoch_order(9, 3, 1).tolist()) == list(range(9))
    assert not torch.equal(epoch_order(99, 3, 1), epoch_order(99, 3, 2))
    assert torch.equal(epoch_order(99, 3, 1), epoch_order(99, 3, 1))


def test_messages():
    X, y = table()
    build = lambda: MLP((5, 2))  # noqa: E731
    with pytest.raises(InvalidValue, match="equally many everywhere, got lr 2, seed 3"):
        train_replicas(build, (X, y), lr=[1e-3, 1e-2], seed=[0, 1, 2])
    with pytest.raises(InvalidValue, match="must name rows 0 to 100 of data, at least one each"):
        train_replicas(build, (X, y), rows=[[0, 101]])
    with pytest.raises(InvalidValue, match="same number of rows, at least one, got 101 and 100"):
        train_replicas(build, (X, y[:-1]))
    with pytest.raises(InvalidValue, match="index sets into one shared pair"):
        train_replicas(build, [(X, y), (X, y)], rows=[[0], [1]])
    with pytest.raises(InvalidType, match=r"data must be a pair \(X, y\) or a sequence of 1 pairs"):
        train_replicas(build, X)
    widths = iter([2, 3])
    with pytest.raises(InvalidValue, match="networks of one architecture"):
        train_replicas(lambda: MLP((5, next(widths))), (X, y), seed=[0, 1])
    with pytest.raises(InvalidValue, match="model, loss and data must fit together"):
        train_replicas(lambda: MLP((4, 2)), (X, y))
    with pytest.raises(InvalidValue, match="epochs must be a whole number from 1"):
        train_replicas(build, (X, y), epochs=0)


@pytest.mark.parametrize("norm", [None, "batch"])  # stacked, and one after another
@pytest.mark.filterwarnings("ignore:train_replicas")
def test_a_token_ends_all_of_them(norm):
    X, y = table()
    token, seen = CancelToken(), []

    def schedule(t, T):
        seen.append(t)
        if t >= 2:
            token.cancel()
        return 1.0

    def run(schedule=None):
        return train_replicas(
            lambda: MLP((5, 8, 2), norm=norm), (X, y), seed=[0, 1], epochs=50, batch_size=32,
            schedule=schedule, cancel=token,
        )  # fmt: skip

    with pytest.raises(Cancelled):
        run(schedule)
    assert 2 <= max(seen) < 4
    with pytest.raises(Cancelled):
        run()


def test_ctrl_c_ends_those_that_train_one_after_another():
    X, y = table()
    built = []

    def schedule(t, T):
        raise KeyboardInterrupt

    def build():
        built.append(MLP((5, 8, 2), norm="batch"))
        return built[-1]

    with pytest.raises(KeyboardInterrupt):
        train_replicas(build, (X, y), seed=[0, 1], epochs=2, schedule=schedule)
    assert all(layer.num_batches_tracked == 0 for net in built for layer in net if isinstance(layer, nn.BatchNorm1d))  # fmt: skip


@pytest.mark.parametrize(
    "build", [lambda: MLP((5, 4, 2)), lambda: MLP((5, 4, 2), activation="gelu")]
)
@pytest.mark.parametrize(
    "limits", [{"clip_norm": 0.02}, {"clip_value": 0.003}, {"clip_norm": 0.01, "clip_value": 0.004}]
)
def test_every_replica_is_clipped_on_its_own(build, limits):
    X, y = table()
    options = {"optimizer": "sgd", "epochs": 2, "batch_size": 16, **limits}
    replicas = train_replicas(build, (X, y), rows=FOLDS, seed=list(range(4)), lr=0.5, **options)
    models, histories = separate(
        build,
        [(X[r], y[r]) for r in FOLDS],
        lr=[0.5] * 4,
        weight_decay=[0] * 4,
        seeds=range(4),
        **options,
    )
    assert replicas.is_stacked
    assert_equal(replicas, models, histories)
