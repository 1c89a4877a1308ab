"""Model folders: what was saved is what is loaded, and folders of the version before are read."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import save_file

import gradatim
from gradatim.data import Graph, WordPieceTokenizer
from gradatim.data.mask_files import MaskStyle
from gradatim.data.tables.columns import Column
from gradatim.data.tokenizers import CharacterTokenizer
from gradatim.errors import InvalidValue
from gradatim.fitting.anomalies.candidates import TABLES, fit_simple
from gradatim.fitting.anomalies.detectors import calibrate
from gradatim.fitting.anomalies.model import AnomalyModel
from gradatim.fitting.anomalies.networks import Autoencoder
from gradatim.fitting.anomalies.readers import TableReader, WindowReader
from gradatim.fitting.anomalies.steps import Layout as StepLayout
from gradatim.fitting.clusters.centers import fit_centers
from gradatim.fitting.clusters.model import ClusterModel
from gradatim.fitting.graphs.candidates import fit_simple as fit_simple_graph
from gradatim.fitting.graphs.candidates import simple_models as simple_graphs
from gradatim.fitting.graphs.encoding import learn_encoder
from gradatim.fitting.graphs.memory import read_memory
from gradatim.fitting.graphs.model import GraphModel
from gradatim.fitting.graphs.networks import GraphNetwork, GraphSettings
from gradatim.fitting.graphs.networks import build_network as build_graph_network
from gradatim.fitting.images.model import ImageModel
from gradatim.fitting.images.networks import ImageNetwork, ImageSettings, build_network
from gradatim.fitting.images.tags import PerTag
from gradatim.fitting.language.model import LanguageModel
from gradatim.fitting.links.candidates import PairModel
from gradatim.fitting.links.model import LinkModel
from gradatim.fitting.links.networks import LinkNetwork, LinkSettings
from gradatim.fitting.links.networks import build_network as build_link_network
from gradatim.fitting.masks.model import MaskModel
from gradatim.fitting.masks.networks import MaskNetwork, MaskSettings
from gradatim.fitting.masks.networks import build_network as build_unet
from gradatim.fitting.masks.simple import SimpleMasks
from gradatim.fitting.nodes.candidates import FeatureModel
from gradatim.fitting.nodes.features import NodeFeatures
from gradatim.fitting.nodes.known_graph import KnownGraph, KnownNodes
from gradatim.fitting.nodes.model import NodeModel
from gradatim.fitting.nodes.networks import NodeNetwork, NodeSettings
from gradatim.fitting.nodes.networks import build_network as build_node_network
from gradatim.fitting.nodes.propagation import Propagation
from gradatim.fitting.sequences.candidates import SequenceAverage
from gradatim.fitting.sequences.candidates import fit_simple as fit_simple_sequence
from gradatim.fitting.sequences.candidates import simple_models as simple_sequences
from gradatim.fitting.sequences.model import SequenceModel
from gradatim.fitting.sequences.networks import SequenceNetwork, SequenceSettings
from gradatim.fitting.sequences.networks import build_network as build_sequence
from gradatim.fitting.sequences.raw import Layout as SequenceLayout
from gradatim.fitting.sequences.steps import Sequences
from gradatim.fitting.series.candidates import LAST, SimpleForecasts
from gradatim.fitting.series.model import SeriesModel
from gradatim.fitting.series.networks import NetworkForecasts
from gradatim.fitting.series.problem import ONLY, Layout
from gradatim.fitting.series.times import Axis
from gradatim.fitting.tables.predictors import Fitted
from gradatim.fitting.tables.preprocessing import Encoder, Preprocessing
from gradatim.fitting.tags.counted import CHAIN, FREQUENCIES, PER_WORD, fit_counts
from gradatim.fitting.tags.model import TagModel
from gradatim.fitting.tags.networks import TagNetwork
from gradatim.fitting.tags.pretrained import PretrainedTags
from gradatim.fitting.texts.linear import WordModel
from gradatim.fitting.texts.model import TextModel
from gradatim.fitting.texts.networks import TextNetwork
from gradatim.fitting.texts.pretrained import PretrainedNetwork
from gradatim.models import (
    BERT,
    GPT,
    MLP,
    BagOfEmbeddings,
    FeatureTagger,
    MobileNetV2,
    SentenceEncoder,
    SequenceAutoencoder,
)

SHARED = {"recommended": "network", "about": {"verdict": "Better."}}
PIXELS = Fitted("chain", 2, {"0.0.weight": np.ones((2, 64)), "0.0.bias": np.array([0.5, 0.0])})


def image_model():
    settings = ImageSettings(width=8)
    network = ImageNetwork(build_network(settings, 2, 1, 8), 2, {"mean": 9.0, "spread": 2.0})
    return ImageModel(labels=["a", "b"], side=8, channels=1, models={"pixels": PIXELS, "network": network}, **SHARED)  # fmt: skip


def mask_model():
    settings = MaskSettings(width=4, depth=2)
    network = MaskNetwork(build_unet(settings, 3, 1), 3, {"mean": 9.0, "spread": 2.0})
    style = MaskStyle("palette", (0, 1, 9), ((0, 0, 0), (255, 0, 0), (1, 2, 3)))
    arrays = {"weight": np.ones((3, 7)), "bias": np.arange(3.0), "center": np.zeros(7), "scale": np.ones(7)}  # fmt: skip
    models = {
        "shares": SimpleMasks("class frequencies", 3, {"shares": np.array([0.2, 0.5, 0.3])}),
        "threshold": SimpleMasks("threshold", 3, {"shares": np.eye(3)[:2] / 2 + 1 / 6, "threshold": np.array([9.0])}, {"channel": "brightness", "is_local": False}),
        "pixels": SimpleMasks("logistic regression on pixels", 3, arrays, {"is_balanced": False}),
        "network": network,
    }  # fmt: skip
    return MaskModel(labels=style.names(), side=8, channels=1, style=style, models=models, **SHARED)


def node_model():
    """Classes of nodes, with weights and columns of edges."""
    features = NodeFeatures(Preprocessing([Encoder(Column("p", "numeric"), 0.5, 2.0)]), ["u", "v"])
    edges = Preprocessing([Encoder(Column("weight", "numeric"), 1.0, 2.0)])
    index = np.array([[0, 1, 2], [1, 2, 3]])
    graph = KnownGraph(["a", "b", "c", "d"], np.eye(4, 3, dtype=np.float32), index, np.array([1.0, 2.0, 3.0]), np.ones((3, 1)), False)  # fmt: skip
    line = Fitted("chain", 2, {"0.0.weight": np.ones((2, 3)), "0.0.bias": np.array([0.5, 0.0])})
    plain = {"epochs": 3, "center": 0.0, "scale": 1.0}
    models = {"line": FeatureModel(line), "averages": FeatureModel(line, 2), "labels": Propagation(np.array([0, 3]), np.array([0, 1]), np.array([0.5, 0.5]), 0.8)}  # fmt: skip
    for name in ("gcn", "sage", "gat", "appnp"):
        module = build_node_network(NodeSettings(name, hidden_dim=8), 3, 2, 1)
        models["network" if name == "gat" else name] = NodeNetwork(module, 2, dict(plain))
    return NodeModel(target="y", labels=["n", "p"], known=KnownNodes(features, edges, graph), models=models, **SHARED)  # fmt: skip


def link_model():
    """Links one way, with columns of nodes and edges."""
    known = node_model().known
    graph = replace(known.graph, is_directed=True)
    line = Fitted("chain", 2, {"0.0.weight": np.ones((2, 1)), "0.0.bias": np.array([0.5, 0.0])})
    wide = Fitted("chain", 2, {"0.0.weight": np.ones((2, 6)), "0.0.bias": np.array([0.5, 0.0])})
    models = {"features": PairModel("columns", wide, True)}
    models |= {source: PairModel(source, line, True) for source in ("nothing", "attachment", "common", "adamic-adar")}  # fmt: skip
    for name in ("gcn", "sage", "gat", "appnp"):
        module = build_link_network(LinkSettings(name, hidden_dim=8), 3, 1, is_directed=True)
        models["network" if name == "gat" else name] = LinkNetwork(module, {"epochs": 3})
    return LinkModel(labels=["apart", "joined"], known=replace(known, graph=graph), models=models, **SHARED)  # fmt: skip


def tagged_model():
    """Labels of which an image may have several; the network sees tiles, mirrored, at another size."""
    published = {
        "mean": [9.0, 9.0, 9.0],
        "spread": [2.0, 2.0, 2.0],
        "side": 32,
        "tiles": 2,
        "views": 2,
        "is_tagged": True,
        "is_published": True,
    }
    network = ImageNetwork(MobileNetV2(2, width=0.1), 2, published)
    models = {"pixels": PerTag([PIXELS, PIXELS]), "network": network}
    return ImageModel(
        labels=["a", "b"], side=8, channels=1, is_tagged=True, models=models, **SHARED
    )


def valued_model():
    """Numbers of images."""
    about = {"mean": 9.0, "spread": 2.0, "center": 3.0, "scale": 2.0, "low": 0.0, "high": 9.0}
    network = ImageNetwork(build_network(ImageSettings(width=8), 1, 1, 8), 0, about)
    line = Fitted("chain", 0, {"0.0.weight": np.ones((1, 64)), "0.0.bias": np.zeros(1)})
    return ImageModel(
        labels=[], side=8, channels=1, models={"pixels": line, "network": network}, **SHARED
    )


def words():
    return WordModel(["good", "bad film"], np.array([1.0, 2.0]), np.array([[1.0, -1.0], [0.0, 3.0]]), np.zeros(2), 2, {"penalty": 0.1})  # fmt: skip


def text_model():
    tokenizer = WordPieceTokenizer.train("good bad film", vocab_size=40)
    encoder = SentenceEncoder(BERT(40, 16, 8, 1, 2), tokenizer, max_length=16)
    models = {
        "words": words(),
        "network": TextNetwork(BagOfEmbeddings(6, 4, 2), ["good", "bad"], 2, {"length": 5}),
        "published": PretrainedNetwork(encoder, np.ones(8), np.full(8, 2.0), np.eye(2, 8), words(), {"tokens": 12}),
    }  # fmt: skip
    return TextModel(text=["t"], target="y", labels=["n", "p"], models=models, **SHARED)


def tag_model():
    sentences, y = [["good", "film"], ["Bad", "film", "ends"]], np.array([0, 1, 0, 1, 1])
    tokenizer = WordPieceTokenizer.train("good bad film", vocab_size=40)
    encoder = SentenceEncoder(BERT(40, 16, 8, 1, 2), tokenizer, max_length=16)
    known = [["good", "film"], ["ood"], ["od"], ["goo"], ["s", "c"]]
    network = FeatureTagger([len(own) + 2 for own in known], [4, 2, 2, 2, 2], 2, hidden_dim=4)
    models = {
        **{name: fit_counts(name, sentences, y, 2) for name in (FREQUENCIES, PER_WORD, CHAIN)},
        "network": TagNetwork(network, known, 2, {}),
        "published": PretrainedTags(encoder, np.ones(16), np.full(16, 2.0), np.eye(2, 16), np.zeros(2), {}),
    }  # fmt: skip
    return TagModel(labels=["jj", "nn"], layout=["slashes", 0, 0, 0], models=models, **SHARED)


def series_model():
    models = {
        "last": SimpleForecasts(LAST, 3, 1),
        "network": NetworkForecasts(MLP((4, 5, 3)), {"length": 4, "scales": [2.0]}, 3),
    }
    reach = {"last": np.full((1, 3), 0.5), "network": np.ones((1, 3))}
    return SeriesModel(
        layout=Layout(None, ("x",), None), axis=Axis("order", 1.0), names=[ONLY], horizon=3, models=models,
        reach=reach, **SHARED,
    )  # fmt: skip


def sequence_model():
    """Two columns that move, one category that stays; every model of series."""
    rng = np.random.default_rng(0)
    columns = [Encoder(Column("a", "numeric"), 0.5, 2.0), Encoder(Column("b", "numeric")), Encoder(Column("c", "categorical"), levels=["u"])]  # fmt: skip
    own = Sequences(rng.normal(size=(40, 3)).astype(np.float32), np.array([4, 6] * 4), 1)
    y = np.arange(8) % 2
    network = SequenceNetwork(build_sequence(SequenceSettings("tcn", hidden_dim=4), 3, 2, 5), 2, {"length": 5, "size": 1})  # fmt: skip
    models = {name: fit_simple_sequence(name, own, y, 2, 0) for name in simple_sequences(2)}
    models["average"] = SequenceAverage([models[simple_sequences(2)[2]], network], [0.25, 0.75])
    return SequenceModel(
        target="y", labels=["n", "p"], layout=SequenceLayout("id", "t"), axis=Axis("number", 1.0), num_static=1, block=1,
        preprocessing=Preprocessing(columns), models={**models, "network": network}, **SHARED,
    )  # fmt: skip


def runs():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"id": [1] * 5 + [2] * 7, "t": [*range(5), *range(7)], "a": rng.normal(size=12), "b": rng.normal(size=12), "c": ["u"] * 12})  # fmt: skip


def some_graphs(count=12):
    """Paths with a label and a measure of each node, and a label of each edge."""
    rng = np.random.default_rng(0)
    found = []
    for k in range(count):
        n = 3 + k % 4
        line = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
        x = torch.from_numpy(np.stack([rng.integers(0, 3, n), rng.normal(size=n)], 1))
        kinds = torch.from_numpy(rng.integers(0, 2, n - 1)).repeat(2)[:, None]
        found.append(Graph(x, torch.cat([line, line.flip(0)], 1), edge_attr=kinds))
    return found


def graph_model():
    """Every model of graphs."""
    raw = read_memory(some_graphs(24))
    encoder, y = learn_encoder(raw), np.arange(24) % 2
    graphs = encoder.encode(raw)
    models = {name: fit_simple_graph(name, graphs, y, 2, 0) for name in simple_graphs(2)}
    network = GraphNetwork(build_graph_network(GraphSettings(hidden_dim=4), encoder.width, 2), 2, {"epochs": 1})  # fmt: skip
    return GraphModel(target="y", labels=["n", "p"], encoder=encoder, models={**models, "network": network}, **SHARED)  # fmt: skip


def anomaly_model():
    """Every kind of detector of a table with a number and a category."""
    columns = [
        Encoder(Column("a", "numeric"), 0.5, 2.0, 1.0, marks_missing=True),
        Encoder(Column("b", "categorical"), levels=["u", "v"]),
    ]
    reader = TableReader(Preprocessing(columns))
    X = np.random.default_rng(0).normal(size=(40, 4))
    models = {name: fit_simple(name, X, reader.shape(), 0) for name in TABLES}
    models["network"] = Autoencoder(MLP((4, 3, 2, 3, 4)), {"form": "dense", "scale": [1.0] * 4}, 0)
    for model in models.values():
        calibrate(model, X, 0.1)
    return AnomalyModel(alarms=0.1, reader=reader, models=models, **SHARED)


def cluster_model():
    """Two clusters of a table with a number and a category."""
    columns = [
        Encoder(Column("a", "numeric"), 0.5, 2.0, 1.0, marks_missing=True),
        Encoder(Column("b", "categorical"), levels=["u", "v"]),
    ]
    X = np.random.default_rng(0).normal(size=(40, 4))
    return ClusterModel(
        models={"k-means": fit_centers(X, 2, 0)}, recommended="k-means", about=SHARED["about"],
        reader=TableReader(Preprocessing(columns)), weights=np.ones(4),
    )  # fmt: skip


def steps_model():
    """Detectors of two channels, three steps at a time."""
    reader = WindowReader(StepLayout("step", ("x", "a"), None), 3, [0.0, 1.0], [1.0, 2.0])
    X = np.random.default_rng(0).normal(size=(40, 6))
    network = Autoencoder(
        SequenceAutoencoder(2, 2, hidden_dim=3), {"form": "recurrent", "scale": [1.0] * 6}, 2
    )
    models = {
        "forecast error": fit_simple("forecast error", X, reader.shape(), 0),
        "network": network,
    }
    for model in models.values():
        calibrate(model, X, 0.1)
    return AnomalyModel(alarms=0.1, reader=reader, models=models, **SHARED)


def pictures():
    return np.random.default_rng(0).integers(0, 256, (5, 8, 8, 1), dtype=np.uint8)


def texts():
    return pd.DataFrame({"t": ["good film", "bad film", "", "neither"]})


def cells():
    return pd.DataFrame({"a": [0.3, None, 7.0], "b": ["u", None, "new"]})


def past():
    return pd.DataFrame({"x": np.random.default_rng(0).normal(size=12)})


KINDS = {
    "image": (image_model, lambda model, name: model.predict_proba(pictures(), model=name)),
    "mask": (mask_model, lambda model, name: model.predict_proba(pictures(), model=name)),
    "tagged images": (
        tagged_model,
        lambda model, name: model.predict_proba(pictures(), model=name),
    ),
    "numbers of images": (valued_model, lambda model, name: model.predict(pictures(), model=name)),
    "text": (text_model, lambda model, name: model.predict_proba(texts(), model=name)),
    "tag": (
        tag_model,
        lambda model, name: np.concatenate(model.predict_proba(["good film", "x Y z"], model=name)),
    ),
    "series": (series_model, lambda model, name: model.predict(past(), model=name).to_numpy()),
    "node": (node_model, lambda model, name: model.fitted(name).outputs(model.known.graph.view())),
    "link": (
        link_model,
        lambda model, name: model.fitted(name).outputs(
            model.known.graph.view(), np.array([[0, 3], [2, 1]])
        ),
    ),
    "sequence": (sequence_model, lambda model, name: model.predict_proba(runs(), model=name)),
    "graph": (graph_model, lambda model, name: model.predict_proba(some_graphs(5), model=name)),
    "anomaly": (anomaly_model, lambda model, name: model.predict(cells(), model=name)["score"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_saved_is_what_is_loaded(kind, tmp_path):
    build, predict = KINDS[kind]
    model = build()
    model.save(tmp_path / "m", {"note.txt": b"more"})
    assert (tmp_path / "m" / "note.txt").read_bytes() == b"more"
    state = torch.random.get_rng_state()
    loaded = gradatim.load_model(tmp_path / "m")
    assert torch.random.get_rng_state().equal(state)
    assert type(loaded) is type(model)
    assert (loaded.recommended, loaded.about) == ("network", SHARED["about"])
    assert repr(loaded) == repr(model)
    for name in model.models:
        np.testing.assert_array_equal(predict(loaded, name), predict(model, name))
        assert loaded.models[name].parameters == model.models[name].parameters
    assert loaded.fitted() is loaded.models["network"]
    with pytest.raises(InvalidValue, match="predict: model must be one of"):
        loaded.choose("netwrk")
    again = loaded.save(tmp_path / "again", {"note.txt": b"more"})
    for file in ("model.json", "model.safetensors"):
        assert (again / file).read_bytes() == (tmp_path / "m" / file).read_bytes()


@pytest.mark.parametrize(
    "build",
    [
        image_model,
        mask_model,
        node_model,
        link_model,
        text_model,
        tag_model,
        series_model,
        sequence_model,
        graph_model,
        anomaly_model,
        steps_model,
    ],
)
def test_weights_of_another_network_are_refused_by_name(build, tmp_path):
    build().save(tmp_path / "m")
    description = json.loads((tmp_path / "m" / "model.json").read_text())
    tensors = {
        name: torch.zeros(7) if name.startswith("network/") and name.endswith("weight") else tensor
        for name, tensor in gradatim.model_folder.read_model(tmp_path / "m")[1].items()
    }
    write(tmp_path / "m", description | {"format": 1}, tensors)
    with pytest.raises(InvalidValue, match=r"load_model: weights must fit the model, got .* \(7,\) instead of"):  # fmt: skip
        gradatim.load_model(tmp_path / "m")


def write(folder, description, tensors):
    folder.mkdir(exist_ok=True)
    (folder / "model.json").write_text(json.dumps(description))
    save_file(tensors, folder / "model.safetensors")


def test_a_folder_of_series_of_the_version_before(tmp_path):
    """Its models do not say their horizon; the folder does."""
    module = MLP((4, 5, 3))
    tensors = {f"network/{name}": tensor for name, tensor in module.state_dict().items()}
    tensors |= {"network/reach": torch.ones(1, 3), "smooth/reach": torch.zeros(1, 3)}
    tensors["smooth/rates"] = torch.tensor([[0.5, 0.0, 0.0, 1.0]], dtype=torch.float64)
    description = {
        "format": 1, "kind": "series", "versions": {}, "layout": {"time": None, "values": ["x"], "group": None},
        "axis": {"kind": "order", "step": 1.0}, "names": [""], "horizon": 3, "recommended": "network",
        "models": {
            "smooth": {"kind": "exponential smoothing", "period": 1},
            "network": {
                "kind": "network", "settings": {"length": 4, "scales": [2.0]},
                "module": gradatim.models.describe(module),
            },
        },
        "about": {},
    }  # fmt: skip
    write(tmp_path / "m", description, tensors)
    model = gradatim.load_model(tmp_path / "m")
    x = past()["x"].to_numpy()
    level = x[0]
    for value in x[1:]:
        level = 0.5 * value + 0.5 * level
    np.testing.assert_allclose(model.forecast([x], "smooth"), np.full((1, 3), level))
    with torch.no_grad():
        window = torch.from_numpy((x[-4:] - x[-1]) / 2.0).float()
        expected = module.eval()(window[None]).double().numpy() * 2.0 + x[-1]
    np.testing.assert_allclose(model.forecast([x]), expected, rtol=1e-6)
    table = model.predict(past())
    np.testing.assert_allclose(table["high"] - table["low"], 2.0)


def test_a_folder_of_texts_of_the_version_before(tmp_path):
    module = BagOfEmbeddings(6, 4, 2).eval()
    tensors = {f"network/{name}": tensor for name, tensor in module.state_dict().items()}
    tensors |= {
        "linear on words/rarity": torch.tensor([1.0], dtype=torch.float64),
        "linear on words/weight": torch.tensor([[-2.0], [2.0]], dtype=torch.float64),
        "linear on words/bias": torch.zeros(2, dtype=torch.float64),
    }
    description = {
        "format": 1, "kind": "text", "versions": {}, "text": "t", "target": "y", "labels": ["n", "p"],
        "recommended": "linear on words",
        "models": {
            "linear on words": {"kind": "words", "classes": 2, "settings": {"penalty": 0.1}, "terms": ["good"]},
            "network": {
                "kind": "network", "classes": 2, "settings": {"length": 5}, "words": ["good", "bad"],
                "module": gradatim.models.describe(module),
            },
        },
        "about": {},
    }  # fmt: skip
    write(tmp_path / "m", description, tensors)
    model = gradatim.load_model(tmp_path / "m")
    # the only term of the first text has length 1: logits -2 and 2
    assert model.predict_proba(texts())[0, 1] == pytest.approx(1 / (1 + np.exp(-4)))
    assert model.predict_proba(texts())[1].tolist() == [0.5, 0.5]
    with torch.no_grad():
        expected = module(torch.tensor([[4, 3]]), torch.tensor([2])).softmax(-1)
    found = model.predict_proba(texts(), model="network")[:1]
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5)


def test_a_writer_keeps_network_and_tokenizer(tmp_path):
    model = LanguageModel(GPT(3, 8, 8, 1, 2), CharacterTokenizer("abc"), about={"task": "x"})
    model.save(tmp_path / "m")
    loaded = gradatim.load_model(tmp_path / "m")
    assert loaded.generate("ab", 9, seed=1) == model.generate("ab", 9, seed=1)
    assert (loaded.about, repr(loaded)) == ({"task": "x"}, repr(model))
    assert not loaded.network.training
