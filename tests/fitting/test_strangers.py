"""Folders from strangers: whatever they say, loading ends soon, in little memory, with a model or one sentence."""

import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import gradatim
from gradatim import NeuralClassifier, NeuralRegressor
from gradatim.data.tables.columns import Column
from gradatim.data.tokenizers import CharacterTokenizer
from gradatim.errors import InvalidValue
from gradatim.fitting.language.model import LanguageModel
from gradatim.fitting.tables.model import TableModel
from gradatim.fitting.tables.predictors import Fitted, average
from gradatim.fitting.tables.preprocessing import Encoder, Preprocessing
from gradatim.fitting.translation.model import TranslationModel
from gradatim.hashing import json_bytes, sign
from gradatim.model_folder import read_model, save_model
from gradatim.models import GPT, Transformer

from .test_stored import (
    anomaly_model,
    cluster_model,
    graph_model,
    image_model,
    link_model,
    mask_model,
    node_model,
    sequence_model,
    series_model,
    steps_model,
    tag_model,
    tagged_model,
    text_model,
    valued_model,
)

X = np.random.default_rng(0).normal(size=(40, 3))
TREES = {
    "roots": np.zeros((1, 2), np.int32), "feature": np.zeros(3, np.int32), "threshold": np.array([0.0, np.inf, np.inf]),
    "left": np.array([1, 1, 2], np.int32), "right": np.array([2, 1, 2], np.int32), "value": np.array([0.0, 1.0, -1.0]),
    "start": np.zeros((1, 2)),
}  # fmt: skip


COLUMNS = [
    Encoder(Column("a", "numeric"), 0.5, 2.0, 1.0, marks_missing=True),
    Encoder(Column("b", "categorical"), levels=["u"], known=["u", None], means=[[0.5], [-0.5]]),
]


def table_model():
    models = {
        "line": Fitted("chain", 2, {"0.0.weight": np.ones((4, 4)), "0.0.bias": np.ones(4), "0.1.weight": np.ones((2, 4)), "0.1.bias": np.ones(2)}, {"activation": "relu"}),
        "trees": Fitted("trees", 2, TREES, {"depth": 1, "trees": 1}),
        "nearest": Fitted("nearest", 2, {"rows": np.eye(4), "target": np.array([0, 1, 0, 1]), "prior": np.ones(2)}, {"neighbours": 2}),
        "process": Fitted("process", 2, {"rows": np.eye(4), "alpha": np.ones((1, 4)), "present": np.arange(2), "prior": np.ones(2) / 2}, {"parameters": [[1.0] * 4]}),
    }  # fmt: skip
    models["average"] = average([models["trees"], models["nearest"]], [0.5, 0.5])
    return TableModel(target="y", labels=["n", "p"], preprocessing=Preprocessing(COLUMNS), models=models, recommended="trees", about={})  # fmt: skip


def writer(kind, network):
    return kind(network, CharacterTokenizer("abc"), about={})


FOLDERS = {
    "table": table_model,
    "image": image_model,
    "mask": mask_model,
    "node": node_model,
    "link": link_model,
    "tagged-images": tagged_model,
    "numbers-of-images": valued_model,
    "text": text_model,
    "tag": tag_model,
    "series": series_model,
    "sequence": sequence_model,
    "graph": graph_model,
    "anomaly": anomaly_model,
    "cluster": cluster_model,
    "steps": steps_model,
    "language": lambda: writer(LanguageModel, GPT(3, 8, 8, 1, 2)),
    "translation": lambda: writer(
        TranslationModel, Transformer(6, 6, 8, dim=8, num_layers=1, num_heads=2)
    ),
    "classifier": lambda: NeuralClassifier((4,), epochs=1).fit(X, np.array(["a", "bb"] * 20)),
    "regressor": lambda: NeuralRegressor((4,), epochs=1).fit(X, X[:, 0]),
}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits memory as Linux does")
def test_whatever_a_folder_says_it_loads_or_is_refused(tmp_path):
    for name, build in FOLDERS.items():
        build().save(tmp_path / name)
    script = str(Path(__file__).with_name("attack_folders.py"))
    done = subprocess.run(
        [sys.executable, script, str(tmp_path), "25"], capture_output=True, text=True, timeout=300, check=False
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "all ended\n"), done.stderr[-3000:]


def rewrite(folder, change):
    path = folder / "model.json"
    document = json.loads(path.read_bytes())
    change(document)
    path.write_bytes(json_bytes(sign(document)))
    return folder


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("table", lambda d: d["models"]["trees"]["settings"].update(depth=10**12), "depth must be a whole number from 0 to 3, got 1000000000000"),
        ("table", lambda d: d["models"]["nearest"].update(classes=10**9), "classes must be a whole number"),
        ("table", lambda d: d["models"]["process"]["settings"].update(parameters=[[1.0] * 10**6]), "parameters of a process must be positive numbers"),
        ("series", lambda d: d.update(horizon=10**9), "reach of every model must have a row for each series"),
        ("series", lambda d: d["models"]["last"].update(period=10**9), "period must be a whole number"),
        ("sequence", lambda d: d.update(block=10**9), "block must be a whole number from 0 to 100000"),
        ("sequence", lambda d: d.update(block=0), "block must be at least 1"),
        ("sequence", lambda d: d.update(num_static=10**9), "num_static must be a whole number from 0 to 3"),
        ("sequence", lambda d: d["models"]["network"]["settings"].update(length=10**9), "length must be a whole number"),
        ("sequence", lambda d: d["models"]["1-NN with DTW"].update(classes=10**9), "classes must be a whole number"),
        ("sequence", lambda d: d["models"]["ridge on random kernels"].update(num_channels=10**12), "num_channels must be a whole number"),
        ("image", lambda d: d.update(side=10**6), "side must be a whole number from 0 to 2048"),
        ("graph", lambda d: d["models"]["Weisfeiler-Lehman kernel ridge"].update(rounds=10**9), "rounds must be a whole number from 0 to 4"),
        ("graph", lambda d: d["models"]["trees on counts"].update(source="odour"), "source must be one of"),
        ("graph", lambda d: d["encoder"]["degree"].update(scale=0.0), "finite levels in order and a positive scale"),
        ("graph", lambda d: d["encoder"]["nodes"][0].update(levels=[2.0, 1.0]), "finite levels in order and a positive scale"),
        ("graph", lambda d: d["models"]["network"]["module"]["arguments"].update(hidden_dim=10**9), "load_model"),
        ("mask", lambda d: d.update(side=10**6), "side must be a whole number from 0 to 512"),
        ("mask", lambda d: d.update(side=12), "side must be a multiple of 8, got 12"),
        ("mask", lambda d: d["models"]["pixels"].update(classes=10**9), "classes must be a whole number from 0 to 50"),
        ("mask", lambda d: d["models"]["network"]["module"]["arguments"].update(widths=[10**6, 10**6]), "load_model"),
        ("node", lambda d: d["models"]["averages"].update(hops=10**9), "hops must be a whole number from 0 to 10"),
        ("node", lambda d: d["models"]["appnp"]["module"]["arguments"].update(steps=10**6), "steps must be a whole number from 1 to 100"),
        ("node", lambda d: d["models"]["network"]["module"]["arguments"].update(hidden_dim=2**16), "weights must fit the model"),
        ("node", lambda d: d["ids"].append("e"), "features must be finite, one row for each of 5 nodes"),
        ("node", lambda d: d["ids"].__setitem__(0, "b"), "ids of nodes must be texts, each once"),
        ("link", lambda d: d["models"]["appnp"]["module"]["arguments"]["encoder"]["arguments"].update(steps=10**6), "steps must be a whole number from 1 to 100"),
        ("link", lambda d: d["models"]["network"]["module"]["arguments"].update(hidden_dim=2**16), "weights must fit the model"),
        ("link", lambda d: d["models"]["network"]["module"].update(name="gcn"), "the network must be a link_predictor, got 'gcn'"),
        ("link", lambda d: d["models"]["common"].update(source="odour"), "source must be one of"),
        ("link", lambda d: d["models"]["common"].update(source="columns"), "load_model"),
        ("link", lambda d: d["ids"].append("e"), "features must be finite, one row for each of 5 nodes"),
        ("tagged-images", lambda d: d["models"]["network"]["settings"].update(side=10**6), "side must be a whole number from 0 to 2048"),
        ("tagged-images", lambda d: d["models"]["network"]["settings"].update(tiles=10**6), "tiles must be a whole number from 0 to 4"),
        ("text", lambda d: d["models"]["network"]["settings"].update(length=10**9), "length must be a whole number"),
        ("tag", lambda d: d["models"]["hidden Markov model"].update(classes=10**9), "counts must be of the words and tags"),
        ("tag", lambda d: d["models"]["network"]["module"]["arguments"].update(hidden_dim=2**16), "weights must fit the model"),
        ("tag", lambda d: d["models"]["network"]["known"][1].append("x"), "values of features must be those of the network"),
        ("tag", lambda d: d.update(layout=["columns", 10**9, 0, 1]), "columns must be a whole number from 0 to"),
        ("anomaly", lambda d: d["models"]["isolation forest"]["settings"].update(depth=10**12), "depth must be a whole number from 0 to"),
        ("anomaly", lambda d: d["models"]["nearest neighbours"]["settings"].update(neighbours=10**9), "neighbours must be a whole number from 0 to 40"),
        ("cluster", lambda d: d.update(weights=[1.0] * 10**4), "weights must be 4 positive numbers"),
        ("cluster", lambda d: d.update(weights=[1.0, -1.0, 1.0, 1.0]), "weights must be 4 positive numbers"),
        ("cluster", lambda d: d["models"]["k-means"].update(kind="x" * 10**6), "kind must be k-means"),
        ("cluster", lambda d: d["reader"].update(form="series"), "load_model"),
        ("steps", lambda d: d["reader"].update(window=10**9), "window must be a whole number from 0 to 1000"),
        ("steps", lambda d: d["reader"].update(window=4), "load_model: "),
        ("language", lambda d: d["network"]["arguments"].update(dim=2**16), "weights must fit the model"),
        ("language", lambda d: d["network"]["arguments"].update(num_layers=10**6), "must have the parts that its weights are for"),
        ("language", lambda d: d["network"]["arguments"].update(num_layers=10**9), "numbers of the model must be at most 1,048,576"),
        ("classifier", lambda d: d["architecture"]["arguments"].update(sizes=[3, 10**6, 10**6, 2]), "weights must fit the model"),
    ],
)  # fmt: skip
def test_sizes_are_those_of_the_weights(tmp_path, kind, change, message):
    folder = rewrite(FOLDERS[kind]().save(tmp_path / "m"), change)
    with pytest.raises(InvalidValue, match=message):
        gradatim.load_model(folder)


def test_classes_take_the_room_of_their_texts(tmp_path):
    folder = FOLDERS["classifier"]().save(tmp_path / "m")
    rewrite(folder, lambda d: d.update(classes_dtype="<U500000000"))
    assert gradatim.load_model(folder).classes_.nbytes < 100


def write(folder, description, tensors):
    """A folder of which every file is as it says, whatever it holds."""
    own = {k: v for k, v in description.items() if k not in ("files", "sha256", "kind", "format", "versions")}  # fmt: skip
    return save_model(folder, description["kind"], own, tensors)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("feature", [4, 0, 0], "features of a model must be among 4"),
        ("feature", [-1, 0, 0], "nodes of trees must lead"),
        ("feature", [0.0, 0.0, 0.0], "nodes of trees must lead"),
        ("left", [3, 1, 2], "nodes of trees must lead"),
        ("left", [1, 0, 2], "nodes of trees must lead"),  # in a circle
        ("right", [-2, 1, 2], "nodes of trees must lead"),
        ("right", [2, 1], "nodes of trees must lead"),
        ("roots", [[0, 3]], "nodes of trees must lead"),
        ("roots", [[0, 0, 0]], "damaged|an output for each of 2 labels"),
        ("value", [0.0, 1.0], "nodes of trees must lead"),
    ],
)
@pytest.mark.parametrize("place", ["trees/", "average/0:"])
def test_trees_lead_somewhere(tmp_path, place, name, values, message):
    description, tensors = read_model(table_model().save(tmp_path / "m"))
    kind = torch.float64 if isinstance(values[0], float) else torch.int32
    tensors[place + name] = torch.tensor(values, dtype=kind)
    with pytest.raises(InvalidValue, match=message):
        gradatim.load_model(write(tmp_path / "n", description, tensors))


@pytest.mark.parametrize(
    ("kind", "name", "change"),
    [
        ("table", "nearest/rows", lambda t: t[:, :3]),
        ("table", "nearest/prior", lambda t: t[:1].expand(3)),
        ("table", "line/0.0.weight", lambda t: t[:, :3]),
        ("table", "line/0.1.bias", lambda t: t[:1].expand(3)),
        ("text", "words/weight", lambda t: t[:, :1]),
        ("text", "words/bias", lambda t: t[:1].expand(3)),
        ("tag", "tag per word/pairs", lambda t: t + 1),
        ("tag", "hidden Markov model/pairs", lambda t: t[:, :2]),
        ("tag", "hidden Markov model/moves", lambda t: t[:1]),
        ("tag", "tag frequencies/start", lambda t: -t),
        ("tag", "published/weight", lambda t: t[:, :9]),
        ("tag", "published/bias", lambda t: t[:1].expand(3)),
        ("image", "pixels/0.0.weight", lambda t: t[:, :9]),
        ("mask", "pixels/weight", lambda t: t[:, :3]),
        ("mask", "pixels/weight", lambda t: t[:2]),
        ("mask", "pixels/scale", lambda t: t * 0.0),
        ("mask", "threshold/shares", lambda t: t[:, :2]),
        ("mask", "threshold/shares", lambda t: t[:1]),
        ("mask", "shares/shares", lambda t: t[:2]),
        ("mask", "shares/shares", lambda t: t[None].expand(2, 3)),
        ("node", "graph/x", lambda t: t[:, :2]),
        ("node", "graph/x", lambda t: t * float("nan")),
        ("node", "graph/index", lambda t: t + 9),
        ("node", "graph/index", lambda t: t - 1),
        ("node", "graph/index", lambda t: t.double()),
        ("node", "graph/weight", lambda t: -t),
        ("node", "graph/attr", lambda t: t[:2]),
        ("node", "labels/codes", lambda t: t + 9),
        ("node", "labels/rows", lambda t: t + 9),
        ("node", "labels/prior", lambda t: t[:1]),
        ("node", "line/0.0.weight", lambda t: t[:, :2]),
        ("link", "graph/x", lambda t: t[:, :2]),
        ("link", "graph/index", lambda t: t + 9),
        ("link", "graph/weight", lambda t: -t),
        ("link", "graph/attr", lambda t: t[:2]),
        ("link", "features/0.0.weight", lambda t: t[:, :2]),
        ("link", "common/0.0.bias", lambda t: t[:1].expand(3)),
        ("series", "last/reach", lambda t: t[:, :2]),
        ("cluster", "k-means/centers", lambda t: t[:, :3]),
        ("cluster", "k-means/centers", lambda t: t[:1]),
        ("cluster", "k-means/centers", lambda t: t.float()),
        ("cluster", "k-means/reach", lambda t: t[None]),
        ("graph", "Weisfeiler-Lehman kernel ridge/known", lambda t: t.flip(0)),
        ("graph", "Weisfeiler-Lehman kernel ridge/known", lambda t: t[:3]),
        ("graph", "Weisfeiler-Lehman kernel ridge/0.0.weight", lambda t: t[:, :2]),
        ("graph", "logistic regression on counts/0.0.weight", lambda t: t[:, :2]),
        ("graph", "trees on counts/feature", lambda t: t + 10**6),
        ("sequence", "1-NN with DTW/values", lambda t: t[:, :2]),
        ("sequence", "1-NN with DTW/lengths", lambda t: t[:5]),
        ("sequence", "1-NN with DTW/target", lambda t: t + 5),
        ("sequence", "trees on statistics/feature", lambda t: t + 10**6),
        ("sequence", "ridge on random kernels/kernels.dilations", lambda t: t * 10**6),
        ("sequence", "ridge on random kernels/kernels.channels", lambda t: t + 7),
        ("sequence", "ridge on random kernels/kernels.channels", lambda t: t[:, :80]),
        ("sequence", "ridge on random kernels/kernels.thresholds", lambda t: t[:84]),
        ("sequence", "ridge on random kernels/0.0.weight", lambda t: t[:, :9]),
        ("anomaly", "isolation forest/typical", lambda t: t[:2]),
        ("anomaly", "isolation forest/feature", lambda t: t + 9),
        ("anomaly", "isolation forest/left", lambda t: t * 0),
        ("anomaly", "principal components/down", lambda t: t[:3]),
        ("anomaly", "principal components/places", lambda t: t + 1),
        ("anomaly", "principal components/scale", lambda t: t * 0),
        ("anomaly", "nearest neighbours/rows", lambda t: t[:, :3]),
        ("anomaly", "single columns/group", lambda t: t + 5),
        ("anomaly", "single columns/weight", lambda t: t[:2]),
        ("anomaly", "single columns/first", lambda t: t - 9),
        ("anomaly", "single columns/numeric", lambda t: t.double()),
        ("steps", "forecast error/up", lambda t: t[:1]),
        ("regressor", "mean", lambda t: t[:2]),
        ("classifier", "scale", lambda t: t[:2]),
    ],
)
def test_tensors_fit_each_other(tmp_path, kind, name, change):
    description, tensors = read_model(FOLDERS[kind]().save(tmp_path / "m"))
    tensors[name] = change(tensors[name]).contiguous()
    with pytest.raises(InvalidValue, match=r"^load_model: .*\.$"):
        gradatim.load_model(write(tmp_path / "n", description, tensors))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("table", lambda d: d["models"]["line"]["settings"].clear()),
        ("table", lambda d: d["models"]["trees"]["settings"].clear()),
        ("table", lambda d: d["models"]["average"]["settings"].update(weights=[{}, 1.0])),
        ("table", lambda d: d["models"]["average"]["settings"].update(weights=[1.0])),
        ("table", lambda d: d["preprocessing"][0].update(scale="x")),
        ("table", lambda d: d["preprocessing"][0].update(scale=0.0, center=1.0)),
        ("table", lambda d: d["preprocessing"][1].update(means=[[0.5]])),
        ("table", lambda d: d["preprocessing"][1].update(means=[[0.5], [float("nan")]])),
        ("table", lambda d: d["preprocessing"][1]["column"].update(name=7)),
        ("table", lambda d: d.update(labels=["a"])),
        ("table", lambda d: d.update(labels=[])),
        ("image", lambda d: d["models"]["network"]["settings"].pop("mean")),
        ("mask", lambda d: d["models"]["network"]["settings"].pop("mean")),
        ("mask", lambda d: d["models"]["threshold"]["settings"].update(channel="odour")),
        ("mask", lambda d: d["models"]["threshold"]["settings"].pop("is_local")),
        ("mask", lambda d: d["models"]["shares"].update(kind="nothing")),
        ("mask", lambda d: d.update(labels=["a", "b"])),
        ("mask", lambda d: d.update(labels=["a", "b", 3])),
        ("mask", lambda d: d["style"].update(values=[0, 1])),
        ("mask", lambda d: d["style"].update(kind="grey")),
        ("mask", lambda d: d.pop("style")),
        ("tagged-images", lambda d: d["models"]["pixels"].update(members=[])),
        ("tagged-images", lambda d: d["models"]["pixels"]["members"].pop()),
        ("tagged-images", lambda d: d["models"]["network"]["settings"].update(views=3)),
        ("tagged-images", lambda d: d["models"]["network"]["settings"].update(mean=[1.0, 1.0])),
        ("numbers-of-images", lambda d: d.update(labels=["a", "b"])),
        ("numbers-of-images", lambda d: d["models"]["network"]["settings"].update(scale=[])),
        ("node", lambda d: d.update(is_directed=3)),
        ("node", lambda d: d.update(edge_features=None)),
        ("node", lambda d: d.update(labels=["a"])),
        ("node", lambda d: d["features"].update(counts=["u"])),
        ("node", lambda d: d["features"].update(counts=[7, 8])),
        ("node", lambda d: d["models"]["network"]["settings"].pop("scale")),
        ("node", lambda d: d["models"]["labels"].update(alpha="x")),
        ("link", lambda d: d.update(is_directed=3)),
        ("link", lambda d: d.update(labels=["a"])),
        ("link", lambda d: d["features"].update(counts=["u"])),
        ("link", lambda d: d["models"]["common"].update(is_directed="no")),
        ("link", lambda d: d["models"]["network"]["module"]["arguments"].update(encoder="gcn")),
        ("text", lambda d: d["models"]["words"].update(terms=["good"])),
        ("text", lambda d: d["models"]["network"].update(classes=0)),
        ("tag", lambda d: d["models"]["tag per word"].update(words=["good"])),
        ("tag", lambda d: d["models"]["tag per word"].update(method="guess")),
        ("tag", lambda d: d["models"]["network"].update(known=[])),
        ("tag", lambda d: d.update(labels=["a"])),
        ("tag", lambda d: d.update(layout=["rows", 0, 0, 0])),
        ("series", lambda d: d["models"]["network"]["settings"].update(scales=[])),
        ("series", lambda d: d["models"]["last"].update(kind="nothing")),
        ("series", lambda d: d["axis"].update(step=0.0)),
        ("graph", lambda d: d["encoder"]["nodes"].pop()),
        ("graph", lambda d: d["encoder"].pop("degree")),
        ("graph", lambda d: d["models"]["network"].update(classes=0)),
        ("graph", lambda d: d["models"]["class frequencies"].update(source="bag")),
        ("graph", lambda d: d.update(labels=["a"])),
        ("sequence", lambda d: d["axis"].update(step=0.0)),
        ("sequence", lambda d: d["axis"].update(step="x")),
        ("sequence", lambda d: d["axis"].update(kind="never")),
        ("sequence", lambda d: d["layout"].update(series={})),
        ("sequence", lambda d: d["models"]["network"]["settings"].pop("size")),
        ("sequence", lambda d: d["models"]["network"]["settings"].update(size=0)),
        ("sequence", lambda d: d["models"]["network"].update(classes=0)),
        ("sequence", lambda d: d["models"]["ridge on random kernels"].update(source="nothing")),
        ("sequence", lambda d: d["models"]["1-NN with DTW"]["settings"].update(right=2.0)),
        ("sequence", lambda d: d["preprocessing"].pop()),
        ("series", lambda d: d["layout"].update(group={})),
        ("anomaly", lambda d: d.update(alarms=2.0)),
        ("anomaly", lambda d: d["reader"].update(form="image")),
        ("anomaly", lambda d: d["models"]["network"]["settings"].update(scale=[1.0])),
        ("anomaly", lambda d: d["models"]["network"]["settings"].update(scale=[0.0] * 4)),
        ("anomaly", lambda d: d["models"]["network"]["settings"].update(threshold=0.0)),
        ("anomaly", lambda d: d["models"]["network"]["settings"].update(form="recurrent")),
        ("anomaly", lambda d: d["models"]["single columns"]["settings"].clear()),
        ("anomaly", lambda d: d["reader"]["preprocessing"].pop()),
        ("steps", lambda d: d["reader"]["layout"].update(group={})),
        ("steps", lambda d: d["reader"]["layout"].update(channels=["x"])),
        ("steps", lambda d: d["reader"].update(scale=[1.0, 0.0])),
        ("steps", lambda d: d["reader"].update(center=[float("nan"), 0.0])),
        ("steps", lambda d: d["models"]["network"].update(channels=10**9)),
        ("steps", lambda d: d["models"]["network"].update(channels=4)),
        ("regressor", lambda d: d.update(target_mean="")),
        ("classifier", lambda d: d.update(features=10**9)),
    ],
)  # fmt: skip
def test_facts_that_predictions_need_are_read_with_the_folder(tmp_path, kind, change):
    folder = rewrite(FOLDERS[kind]().save(tmp_path / "m"), change)
    with pytest.raises(InvalidValue, match=r"^load_model: .*\.$"):
        gradatim.load_model(folder)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("kind", FOLDERS)
def test_weights_that_are_not_finite_are_noticed(tmp_path, kind, bad):
    description, tensors = read_model(FOLDERS[kind]().save(tmp_path / "m"))
    wanted = f"{description.get('recommended', '')}/" if "models" in description else ""
    name = next(n for n, t in tensors.items() if n.startswith(wanted) and t.is_floating_point() and n != f"{wanted}threshold" and "reach" not in n)  # fmt: skip
    tensors[name].view(-1)[0] = bad
    write(tmp_path / "n", description, tensors)
    with pytest.raises(InvalidValue, match="finite, and are not"):
        gradatim.load_model(tmp_path / "n")


def test_another_model_that_is_not_finite_is_left_out(tmp_path):
    description, tensors = read_model(table_model().save(tmp_path / "m"))
    tensors["nearest/rows"] = torch.full_like(tensors["nearest/rows"], float("nan"))
    write(tmp_path / "n", description, tensors)
    loaded = gradatim.load_model(tmp_path / "n")
    with pytest.raises(
        InvalidValue,
        match="predict: model must be one of trees, process, average, line, got 'nearest'",
    ):
        loaded.choose("nearest")


@pytest.mark.parametrize("kind", FOLDERS)
def test_loading_draws_nobody_s_random_numbers(tmp_path, kind):
    folder = FOLDERS[kind]().save(tmp_path / "m")
    numpys = np.random.get_state
    before = torch.get_rng_state(), numpys()[1].copy(), random.getstate()
    gradatim.load_model(folder)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert np.array_equal(numpys()[1], before[1])
    assert random.getstate() == before[2]
