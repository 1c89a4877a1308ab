"""Estimators behave as scikit-learn demands and give the same predictions after saving."""

import json
import warnings
from functools import partial

import numpy as np
import pytest
import torch
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks

import gradatim
from gradatim import NeuralClassifier, NeuralRegressor
from gradatim.errors import GradatimError, InvalidValue
from gradatim.hashing import json_bytes, sign
from gradatim.losses import huber

IRIS, DIABETES = load_iris(return_X_y=True), load_diabetes(return_X_y=True)


@parametrize_with_checks(
    [
        NeuralClassifier((32,), lr=0.01, epochs=40),
        NeuralRegressor((32,), lr=0.01, epochs=40),
        NeuralClassifier((32,), lr=0.01, epochs=40, norm="layer", clip_norm=5.0),
        NeuralRegressor((32,), lr=0.01, epochs=40, loss="huber", clip_value=1.0),
    ],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": "repeated rows fall into other batches; with full batches it holds",
    },
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_default_classifier_is_valid_too():
    assert NeuralClassifier().fit(*IRIS).score(*IRIS) > 0.95


def test_probabilities_sum_to_one_and_agree_with_predictions():
    model = NeuralClassifier((8,), epochs=5, members=2).fit(*IRIS)
    p = model.predict_proba(IRIS[0])
    np.testing.assert_allclose(p.sum(1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.classes_[p.argmax(1)], model.predict(IRIS[0]))


def test_ensemble_averages_its_members():
    one = [
        NeuralClassifier((8,), epochs=3, seed=s).fit(*IRIS).predict_proba(IRIS[0]) for s in (5, 6)
    ]
    both = NeuralClassifier((8,), epochs=3, seed=5, members=2).fit(*IRIS).predict_proba(IRIS[0])
    np.testing.assert_allclose(both, np.mean(one, 0), rtol=1e-12)


def test_works_in_pipeline_grid_and_cross_validation():
    pipeline = make_pipeline(PolynomialFeatures(2), NeuralClassifier((8,), lr=0.02, epochs=20))
    assert cross_val_score(pipeline, *IRIS, cv=3).mean() > 0.8
    grid = GridSearchCV(
        NeuralRegressor((4,), epochs=5),
        {"lr": [1e-4, 1e-1], "hidden": [(4,), (8, 8)]},
        cv=2,
    ).fit(*DIABETES)
    assert grid.best_params_["lr"] == 1e-1


def test_early_stopping_restores_the_best_epoch():
    model = NeuralRegressor((64,), epochs=200, lr=0.02, early_stopping=True, patience=3)
    history = model.fit(*DIABETES).history_
    assert len(history) < 200
    assert "no improvement" in history.stopped


def test_seed_and_random_state():
    p = [
        NeuralClassifier((8,), epochs=2, seed=s).fit(*IRIS).predict_proba(IRIS[0])
        for s in (1, 1, 2)
    ]
    np.testing.assert_array_equal(p[0], p[1])
    assert np.abs(p[0] - p[2]).max() > 1e-3
    q = [
        NeuralClassifier((8,), epochs=2, random_state=r).fit(*IRIS).predict(IRIS[0]) for r in (3, 3)
    ]
    np.testing.assert_array_equal(*q)


def test_shift_and_scale_of_inputs_and_target_change_nothing():
    X, y = DIABETES
    a = NeuralRegressor((8,), epochs=5).fit(X, y).predict(X)
    b = NeuralRegressor((8,), epochs=5).fit(X * 1000 + 7, y * 50 - 3).predict(X * 1000 + 7)
    np.testing.assert_allclose(b, a * 50 - 3, rtol=2e-3)


@pytest.mark.parametrize(
    "labels", [np.array(["no", "ja", "é"]), np.array([2, 5, 9]), np.array([0.5, 1.0, 2.0])]
)
def test_saved_classifier_predicts_the_same(tmp_path, labels):
    y = labels.astype(str)[IRIS[1]] if labels.dtype.kind == "f" else labels[IRIS[1]]
    model = NeuralClassifier((8, 4), epochs=3, members=2, dropout=0.1).fit(IRIS[0], y)
    folder = model.save(tmp_path / "model")
    again = gradatim.load_model(folder)
    np.testing.assert_array_equal(again.predict_proba(IRIS[0]), model.predict_proba(IRIS[0]))
    np.testing.assert_array_equal(again.predict(IRIS[0]), model.predict(IRIS[0]))
    assert again.get_params() == model.get_params() | {"hidden": [8, 4]}
    assert sorted(p.name for p in folder.iterdir()) == ["model.json", "model.safetensors"]
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_folder_that_says_learning_rate_is_read(tmp_path):
    """As an earlier version wrote it."""
    model = NeuralClassifier((4,), epochs=1, lr=0.02).fit(*IRIS)
    path = model.save(tmp_path / "model") / "model.json"
    document = json.loads(path.read_text())
    parameters = document["parameters"]
    parameters["learning_rate"] = parameters.pop("lr")
    document["format"] = 1
    path.write_text(json.dumps(document))
    again = gradatim.load_model(tmp_path / "model")
    assert again.lr == 0.02
    assert np.array_equal(again.predict(IRIS[0]), model.predict(IRIS[0]))


def test_weights_of_another_network_are_refused(tmp_path):
    folder = NeuralClassifier((4,), epochs=1).fit(*IRIS).save(tmp_path / "model")
    path = folder / "model.json"
    document = json.loads(path.read_text())
    document["architecture"]["arguments"]["sizes"] = [4, 5, 3]
    path.write_bytes(json_bytes(sign(document)))
    sentence = r"load_model: weights must fit the model, got 0.weight \(4, 4\) instead of \(5, 4\)"
    with pytest.raises(InvalidValue, match=sentence):
        gradatim.load_model(folder)


def test_saved_regressor_predicts_the_same_for_several_outputs(tmp_path):
    X, y = DIABETES
    y2 = np.stack([y, -y], 1)
    model = NeuralRegressor((8,), epochs=3).fit(X, y2)
    again = gradatim.load_model(model.save(tmp_path / "m"))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    model.fit(X, y).save(tmp_path / "m")  # replaces the folder
    assert gradatim.load_model(tmp_path / "m").predict(X).shape == (len(X),)


def test_a_folder_that_is_not_a_model_is_never_replaced(tmp_path):
    (tmp_path / "precious.txt").write_text("keep")
    model = NeuralClassifier((4,), epochs=1).fit(*IRIS)
    with pytest.raises(GradatimError, match="must be new, empty or a model folder"):
        model.save(tmp_path)
    assert (tmp_path / "precious.txt").read_text() == "keep"


def test_damaged_folders_give_one_sentence(tmp_path):
    folder = NeuralClassifier((4,), epochs=1).fit(*IRIS).save(tmp_path / "m")
    with pytest.raises(GradatimError, match=r"has no model\.json"):
        gradatim.load_model(tmp_path / "absent")
    weights = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    with pytest.raises(GradatimError, match="is damaged"):
        gradatim.load_model(folder)
    (folder / "model.json").write_text("{")
    with pytest.raises(GradatimError, match="is damaged"):
        gradatim.load_model(folder)
    (folder / "model.json").write_text('{"format": 99}')
    with pytest.raises(GradatimError, match="must have format 1 or 2, got 99"):
        gradatim.load_model(folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"members": 0}, "members must be at least 1, got 0"),
        ({"activation": "rleu"}, "Try 'relu'"),
        ({"optimizer": "adan"}, "Try 'adam'"),
        ({"hidden": (0,)}, "positive widths"),
        ({"epochs": 0}, "epochs must be a whole number from 1, got 0"),
        (
            {"loss": "mse"},
            "loss must be one of cross_entropy, smoothed_cross_entropy, focal, got 'mse'",
        ),
        ({"norm": "bacth"}, "Try 'batch'"),
        ({"clip_norm": 0.0}, "clip_norm must be more than 0"),
        ({"clip_value": -1.0}, "clip_value must be more than 0"),
        ({"early_stopping": True, "validation_fraction": 0.001}, "must leave a row on both sides"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(GradatimError, match=message):
        NeuralClassifier(**arguments).fit(*IRIS)


def test_one_class_is_refused():
    with pytest.raises(GradatimError, match="at least two classes, got one class"):
        NeuralClassifier().fit(IRIS[0], np.zeros(150))


@pytest.mark.parametrize("build", [NeuralClassifier, NeuralRegressor])
def test_no_rate_given_is_that_of_the_optimizer(build):
    data = IRIS if build is NeuralClassifier else DIABETES
    for optimizer, lr in (("adam", 1e-3), ("adadelta", 1.0), ("rmsprop", 1e-2)):
        model = build((4,), epochs=1, optimizer=optimizer).fit(*data)
        assert model.history_["lr"] == [lr]
        twins = [build((4,), epochs=1, optimizer=optimizer, seed=s) for s in (0, 1)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # adadelta and rmsprop train one after another
            build.fit_replicas(twins, [data] * 2)
        assert [twin.history_["lr"] for twin in twins] == [[lr], [lr]]


def test_a_robust_loss_is_not_drawn_by_outliers():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 1))
    y = 3 * X[:, 0] + 0.05 * rng.normal(size=300)
    y[:30] += 40.0
    options = {"hidden": (), "epochs": 150, "lr": 0.02, "seed": 0}
    errors = {}
    for name in ("mse", "mae", "huber", partial(huber, delta=0.01)):
        model = NeuralRegressor(loss=name, **options).fit(X, y)
        errors[str(name)[:5]] = float(np.mean((model.predict(X[30:]) - y[30:]) ** 2))
    assert errors.pop("mse") > 4 * max(errors.values())


@pytest.mark.parametrize(
    "options",
    [
        {"norm": "layer"},
        {"norm": "batch"},
        {"clip_norm": 0.01},
        {"clip_value": 0.001},
        {"clip_value": 0.01, "clip_norm": 0.05},
        {"loss": "smoothed_cross_entropy"},
        {"loss": lambda output, target: torch.nn.functional.cross_entropy(output, target)},
    ],
    ids=lambda options: " ".join(options),
)
def test_options_hold_alone_and_as_replicas(options):
    plain = NeuralClassifier((8,), epochs=3, lr=0.02).fit(*IRIS).predict_proba(IRIS[0])
    build = partial(NeuralClassifier, (8,), epochs=3, lr=0.02, **options)
    alone = [build(seed=s).fit(*IRIS).predict_proba(IRIS[0]) for s in (0, 1)]
    together = [build(seed=s) for s in (0, 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NeuralClassifier.fit_replicas(together, [IRIS] * 2)
    for own, twin in zip(alone, together, strict=True):
        np.testing.assert_allclose(twin.predict_proba(IRIS[0]), own, atol=1e-5)
    if not callable(options.get("loss")):
        assert np.abs(alone[0] - plain).max() > 1e-4


def test_the_options_are_saved_and_a_function_is_not(tmp_path):
    options = {"norm": "batch", "loss": "huber", "clip_norm": 1.0, "clip_value": 0.5, "lr": None}
    model = NeuralRegressor((4,), epochs=1, **options).fit(*DIABETES)
    again = gradatim.load_model(model.save(tmp_path / "m"))
    assert {name: again.get_params()[name] for name in options} == options
    np.testing.assert_array_equal(again.predict(DIABETES[0]), model.predict(DIABETES[0]))
    model = NeuralRegressor((4,), epochs=1, loss=partial(huber, delta=2.0)).fit(*DIABETES)
    with pytest.raises(InvalidValue, match=r"save: loss must be a name.*set_params\(loss='mse'\)"):
        model.save(tmp_path / "n")
    assert not (tmp_path / "n").exists()
    model.set_params(loss="mse").save(tmp_path / "n")


@pytest.mark.parametrize("build", [NeuralClassifier, NeuralRegressor])
def test_whole_weights_are_repeated_rows_in_full_batches(build):
    X, y = IRIS if build is NeuralClassifier else DIABETES
    X, y = X[::3], y[::3]
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    settings = {"batch_size": 10_000, "epochs": 20, "lr": 0.01, "optimizer": "sgd"}
    model, again = build((8,), **settings), build((8,), **settings)
    model.fit(X, y, weight)
    again.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    say = "predict_proba" if build is NeuralClassifier else "predict"
    np.testing.assert_allclose(getattr(model, say)(X), getattr(again, say)(X), rtol=1e-4)


def test_balanced_classes_and_replicas_with_weights():
    X, y = IRIS
    rows = np.concatenate([np.arange(100), np.arange(100, 104)])
    X, y, weight = X[rows], y[rows], np.random.default_rng(1).uniform(0.5, 2, 104)
    plain, balanced = (NeuralClassifier((), epochs=60, lr=0.01, class_weight=w).fit(X, y) for w in (None, "balanced"))  # fmt: skip
    rare = y == 2
    assert balanced.predict_proba(X[rare])[:, 2].mean() > plain.predict_proba(X[rare])[:, 2].mean()
    twins = [NeuralClassifier((4,), epochs=3, class_weight={2: 5.0}, seed=s) for s in (0, 1)]
    NeuralClassifier.fit_replicas(twins, [(X, y, weight)] * 2)
    alone = NeuralClassifier((4,), epochs=3, class_weight={2: 5.0}, seed=1).fit(X, y, weight)
    np.testing.assert_allclose(twins[1].predict_proba(X), alone.predict_proba(X), rtol=1e-4)
    with pytest.raises(
        GradatimError, match=r"class_weight must name classes of the target .*got 'a'"
    ):
        NeuralClassifier(class_weight={"a": 2.0}).fit(X, y)
    with pytest.raises(GradatimError, match="sample_weight must not be negative"):
        NeuralClassifier().fit(X, y, -weight)
