"""Load and use model folders in many wrong states, in little memory and time: ``python attack_folders.py ROOT SEEDS``."""

import json
import random
import resource
import signal
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import torch

import gradatim
import gradatim.data
from gradatim.errors import GradatimError
from gradatim.hashing import json_bytes, sign

VALUES = (
    None, True, -1, 0, 1, 10**6, 10**9, 2**31, 2**63, 10**30, -(10**12), 0.5, 1e308, float("nan"), "", "x", "<U500000000",
    "relu", [], [1] * 3, [10**9] * 4, {}, {"name": "mlp", "arguments": {"sizes": [10**6, 10**6]}}, {"name": "gpt"},
)  # fmt: skip


X = np.random.default_rng(0).normal(size=(12, 3))
RUNS = pd.DataFrame({"id": [1] * 5 + [2] * 7, "t": [*range(5), *range(7)], "a": X[:, 0], "b": X[:, 1], "c": ["u"] * 12})  # fmt: skip


def places(tree, path=()):
    """Every place of a tree of plain data, but for the facts that nothing is built from."""
    if path:
        yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()  # fmt: skip
    for key, value in items:
        if key not in ("about", "versions", "files", "sha256", "format"):
            yield from places(value, (*path, key))


def mutated(document, draw):
    """The document with one place changed or taken out."""
    copy = json.loads(json.dumps(document))
    *way, last = draw.choice(list(places(copy)))
    parent = copy
    for key in way:
        parent = parent[key]
    if draw.random() < 0.2:
        del parent[last]
    else:
        parent[last] = draw.choice(VALUES)
    return copy


def use(model):
    """Predict a few rows with every model of a folder; numbers must be finite."""
    name = type(model).__name__
    if name == "LanguageModel":
        return model.generate("a", 3)
    if name == "TranslationModel":
        return model.translate(["ab"])
    if name.startswith("Neural"):
        return [np.isfinite(model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X)).all()]  # fmt: skip
    rows = pd.DataFrame(
        {"x": X[:, 0], "a": X[:, 0], "b": ["u", "v", None] * 4, "t": ["good film", "", "bad"] * 4}
    )
    for own in model.models:
        if name == "SeriesModel":
            outputs = model.predict(rows[["x"]], model=own)["prediction"].to_numpy()
        elif name == "SequenceModel":
            outputs = model.predict_proba(RUNS, model=own) if model.labels else model.predict(RUNS, model=own)  # fmt: skip
        elif name == "GraphModel":
            width, ends = len(model.encoder.nodes), torch.tensor([[0, 1], [1, 0]])
            graphs = [gradatim.data.Graph(torch.ones(3, width), ends, edge_attr=torch.ones(2, len(model.encoder.edges)))]  # fmt: skip
            outputs = model.predict_proba(graphs, model=own) if model.labels else model.predict(graphs, model=own)  # fmt: skip
        elif name == "LinkModel":
            ends = model.known.graph.ids[:3]
            outputs = model.predict_proba(pd.DataFrame({"source": ends, "target": ends[::-1]}), model=own)  # fmt: skip
        elif name in ("ImageModel", "MaskModel"):
            pictures = np.zeros((2, model.side, model.side, model.channels), np.uint8)
            outputs = model.predict_proba(pictures, model=own) if name == "MaskModel" else model.outputs(pictures, own)  # fmt: skip
        elif name == "AnomalyModel":
            told = model.predict(rows.assign(step=range(12)), model=own)
            outputs = told["score"].dropna().to_numpy()
        elif name == "ClusterModel":
            outputs = model.predict(rows, model=own)["distance"].to_numpy()
        elif name == "TagModel":
            outputs = np.concatenate(model.predict_proba(rows["t"].tolist(), model=own))
        else:
            model.predict(rows, model=own)
            outputs = (model.predict_proba if model.labels else model.predict)(rows, model=own)
        assert np.isfinite(outputs).all(), outputs
    return None


def attack(root, seeds):
    """Use every folder in many wrong states, in little memory; what is neither a model nor one sentence ends it."""
    grown = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (grown + 2**31, grown + 2**31))
    for folder in sorted(Path(root).iterdir()):
        before = (folder / "model.json").read_bytes()
        for seed in range(seeds):
            document = mutated(json.loads(before), random.Random(f"{folder.name}{seed}"))
            (folder / "model.json").write_bytes(json_bytes(sign(document)))
            signal.alarm(20)
            try:
                use(gradatim.load_model(folder))
            except GradatimError as error:
                if "\n" in str(error):
                    raise AssertionError(f"{folder.name}, seed {seed}: {error}") from error
            except BaseException as error:
                raise AssertionError(f"{folder.name}, seed {seed}: {error!r}") from error
    signal.alarm(0)
    print("all ended")


if __name__ == "__main__":
    gradatim.NeuralClassifier  # noqa: B018  (PyTorch is loaded before memory is limited)
    attack(sys.argv[1], int(sys.argv[2]))
