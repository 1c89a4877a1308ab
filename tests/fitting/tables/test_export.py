import json

import numpy as np
import pandas as pd
import pytest
import torch

from gradatim.data.tables.columns import Column
from gradatim.errors import InvalidType, InvalidValue
from gradatim.estimators import NeuralRegressor
from gradatim.fitting import export_onnx, export_torch
from gradatim.fitting.tables.model import TableModel
from gradatim.fitting.tables.predictors import Fitted, hold
from gradatim.fitting.tables.preprocessing import Encoder, Preprocessing

onnxruntime = pytest.importorskip("onnxruntime")


def feed(frame, model):
    """The columns as the graph wants them, made without the package's own reader."""
    inputs = {}
    for name in model.columns:
        column = frame[name]
        if name == "town":
            values = column.fillna("").to_numpy(dtype=object)
        elif name == "flag":
            values = column.map({"yes": 1.0, "no": 0.0}).to_numpy(float)
        elif name == "day":
            values = pd.to_datetime(column).to_numpy().astype("datetime64[D]").astype(float)
        else:
            values = column.to_numpy(float)
        inputs[name] = values[:, None]
    return inputs


@pytest.mark.parametrize("which", ["network", "linear"])
@pytest.mark.parametrize("target", ["kind", "price"])
def test_onnx_runtime_gives_the_same_numbers(fitted, tmp_path, target, which):
    path, results = fitted
    model = results[target].model
    if which == "linear":
        which = next(n for n, m in model.models.items() if m.kind == "chain" and n != "network")
    export_onnx(results[target].folder, tmp_path / "model.onnx", which=which)
    frame = pd.read_csv(path)
    frame.loc[3, "town"] = "Lugano"  # unseen
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    outputs = dict(
        zip(
            [o.name for o in session.get_outputs()],
            session.run(None, feed(frame, model)),
            strict=True,
        )
    )
    with pytest.warns(UserWarning, match="1 row has a category that training never saw"):
        expected = model.predict(frame, model=which)
    if target == "kind":
        with pytest.warns(UserWarning, match="never saw"):
            p = model.predict_proba(frame, model=which)
        np.testing.assert_allclose(outputs["probabilities"], p, rtol=1e-9, atol=1e-12)
        assert outputs["prediction"][:, 0].tolist() == expected.tolist()
    else:
        np.testing.assert_allclose(outputs["prediction"][:, 0], expected, rtol=1e-9)


@pytest.mark.parametrize("which", ["network", "linear"])
@pytest.mark.parametrize("target", ["kind", "price"])
def test_torch_gives_the_same_numbers(fitted, tmp_path, target, which):
    path, results = fitted
    model = results[target].model
    if which == "linear":
        which = next(n for n, m in model.models.items() if m.kind == "chain" and n != "network")
    told = {"gradatim-about.json": ""}
    export_torch(results[target].folder, tmp_path / "model.pt2", which=which)
    program = torch.export.load(tmp_path / "model.pt2", extra_files=told).module()
    about, frame = json.loads(told["gradatim-about.json"]), pd.read_csv(path)
    frame.loc[3, "town"] = "Lugano"  # unseen
    cells = feed(frame, model)
    numbers = np.concatenate([cells[name] for name in about["numbers"]], axis=1)
    codes = np.concatenate([code(cells[name], known) for name, known in about["levels"].items()], axis=1)  # fmt: skip
    found = program(torch.from_numpy(numbers), torch.from_numpy(codes)).numpy()
    predict = model.predict_proba if target == "kind" else model.predict
    with pytest.warns(UserWarning, match="never saw"):
        expected = predict(frame, model=which)
    np.testing.assert_allclose(found if target == "kind" else found[:, 0], expected, rtol=1e-9, atol=1e-12)  # fmt: skip


def code(cells, known):
    """Places in a list of categories: behind it any other, then a missing one."""
    places = {name: k for k, name in enumerate(known)} | {"": len(known) + 1}
    return np.vectorize(lambda name: places.get(name, len(known)))(cells)


def test_the_graph_holds_values_as_predict_does(fitted, tmp_path):
    path, results = fitted
    model = results["price"].model
    frame = pd.read_csv(path).iloc[:2]
    frame["x"] = [1e9, -1e9]  # ten deviations, past which no number is followed
    which = "ridge regression"
    model.models[which].settings.update(low=0.0, high=1.0)
    try:
        model.save(tmp_path / "held")
        export_onnx(tmp_path / "held", tmp_path / "m.onnx", which=which)
        session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
        found = dict(zip([o.name for o in session.get_outputs()], session.run(None, feed(frame, model)), strict=True))  # fmt: skip
        with pytest.warns(UserWarning, match="predictions of 2 rows lay further beyond the training values than their range"):  # fmt: skip
            expected = model.predict(frame, model=which)
    finally:
        y = results["price"].player.problem.y[results["price"].player.problem.train]
        model.models[which].settings.update(hold(y))
    assert found["prediction"][:, 0].tolist() == expected.tolist() == [1.0, 0.0]


def test_inputs_are_described(fitted, tmp_path):
    result = export_onnx(fitted[1]["kind"].folder, tmp_path / "m.onnx")
    assert "town: text, empty where missing" in result.inputs
    assert "day: days since 1970-01-01 UTC, NaN where missing" in result.inputs


def test_trees_are_refused_with_the_models_that_work(fitted, tmp_path):
    model = fitted[1]["kind"].model
    leaf = {name: np.zeros(1, np.int32) for name in ("feature", "left", "right")}
    arrays = leaf | {"roots": np.zeros((1, 2), np.int32), "threshold": np.array([np.inf]), "value": np.zeros(1), "start": np.zeros((1, 2))}  # fmt: skip
    trees = {**model.models, "gradient-boosted trees": Fitted("trees", 2, arrays, {"depth": 0})}
    copy = type(model)(
        target="kind", labels=model.labels, preprocessing=model.preprocessing, models=trees,
        recommended="gradient-boosted trees", about=model.about,
    )  # fmt: skip
    copy.save(tmp_path / "m")
    message = r"export: model must be a network or a linear model \(.*network\), got 'gradient-boosted trees'. Try --model 'network'."
    with pytest.raises(InvalidValue, match=message):
        export_onnx(tmp_path / "m", tmp_path / "m.onnx", which="recommended")
    assert not (tmp_path / "m.onnx").exists()


def test_other_folders_are_refused(tmp_path):
    X = np.arange(20.0)[:, None]
    NeuralRegressor((2,), epochs=1).fit(X, X[:, 0]).save(tmp_path / "m")
    with pytest.raises(
        InvalidType,
        match="export: model must be a folder with a network that 'gradatim fit' wrote, got a ",
    ):
        export_onnx(tmp_path / "m", tmp_path / "m.onnx")


OURS = [
    "prediction",
    "probabilities",
    "constant_0",
    "isnan_0",
    "where_1",
    "constant_1_",
    "concat_8",
    "$x^",
]


@pytest.mark.parametrize("labels", [[], ["n", "p"]])
def test_columns_may_be_called_like_parts_of_the_graph(tmp_path, labels):
    outputs = max(len(labels), 1)
    rng = np.random.default_rng(0)
    arrays = {"0.0.weight": rng.normal(size=(outputs, len(OURS))), "0.0.bias": rng.normal(size=outputs)}  # fmt: skip
    encoders = [Encoder(Column(name, "numeric"), 0.1, 2.0) for name in OURS]
    model = TableModel(
        target="y", labels=labels, preprocessing=Preprocessing(encoders), recommended="linear", about={"verdict": "Good."},
        models={"linear": Fitted("chain", len(labels), arrays)},
    )  # fmt: skip
    frame = pd.DataFrame(rng.normal(size=(5, len(OURS))), columns=OURS)
    export_onnx(model.save(tmp_path / "m"), tmp_path / "m.onnx", which="linear")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    assert [i.name for i in session.get_inputs()] == OURS
    names = [o.name for o in session.get_outputs()]
    found = session.run(None, {name: frame[[name]].to_numpy() for name in OURS})
    assert names == (["probabilities_", "prediction_"] if labels else ["prediction_"])
    expected = model.predict_proba(frame) if labels else model.predict(frame)[:, None]
    np.testing.assert_allclose(found[0], expected, rtol=1e-9)
