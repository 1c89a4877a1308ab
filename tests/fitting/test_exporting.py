"""Networks of every kind of data as programs of PyTorch and ONNX: other software gives the same numbers."""

import json

import numpy as np
import pandas as pd
import pytest
import torch

from gradatim.data.tokenizers import CharacterTokenizer
from gradatim.errors import InvalidType, InvalidValue, OutputRefused
from gradatim.fitting import export_onnx, export_torch
from gradatim.fitting.language.model import LanguageModel
from gradatim.fitting.programs import ABOUT
from gradatim.fitting.sequences.steps import Sequences
from gradatim.fitting.series.model import SeriesModel
from gradatim.fitting.series.networks import NetworkForecasts
from gradatim.fitting.series.problem import Layout
from gradatim.fitting.series.times import Axis
from gradatim.fitting.tags import model as tags
from gradatim.fitting.tags.features import number_words
from gradatim.fitting.texts.pretrained import cut_tokens
from gradatim.fitting.translation.model import TranslationModel
from gradatim.models import GPT, Forecaster, Transformer

from .test_stored import (
    SHARED,
    anomaly_model,
    image_model,
    pictures,
    sequence_model,
    steps_model,
    tag_model,
    tagged_model,
    text_model,
    valued_model,
)

WORDS = 12  # of a tagged sentence
onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")


def recurrent_series():
    """Two series and a recurrent network."""
    network = NetworkForecasts(Forecaster(1, 3, hidden_dim=4), {"length": 6, "scales": [2.0, 30.0]}, 3)  # fmt: skip
    return SeriesModel(
        layout=Layout(None, ("x", "y"), None), axis=Axis("order", 1.0), names=["x", "y"], horizon=3,
        models={"network": network}, reach={"network": np.ones((2, 3))}, **SHARED,
    )  # fmt: skip


def language():
    return LanguageModel(GPT(9, 12, dim=8, num_layers=1, num_heads=2), CharacterTokenizer("abcdefghi"), about={})  # fmt: skip


def translation():
    return TranslationModel(Transformer(7, 7, 12, dim=8, num_layers=1, num_heads=2, pad=0), CharacterTokenizer("abc"), about={})  # fmt: skip


def tokens(rows, steps):
    return torch.randint(1, 7, (rows, steps), generator=torch.Generator().manual_seed(rows))


def said_of_series(model):
    past = pd.DataFrame(np.random.default_rng(1).normal(size=(6, 2)), columns=["x", "y"])
    return (past.to_numpy().T.astype(np.float32),), model.predict(past)["prediction"].to_numpy().reshape(2, 3)  # fmt: skip


def said_of_runs(model):
    lengths = np.array([5, 2, 4])
    sequences = Sequences(np.random.default_rng(2).normal(size=(11, 3)).astype(np.float32), lengths, 1)  # fmt: skip
    return (sequences.padded(), lengths), model.fitted("network").outputs(sequences)


def said_of_rows(model):
    frame = pd.DataFrame({"a": [0.3, np.nan, 7.0], "b": ["u", None, "new"]})
    codes = np.array([[0], [3], [2]])
    return (frame[["a"]].to_numpy().copy(), codes), model.predict(frame)["score"].to_numpy()


def said_of_steps(model):
    x = np.random.default_rng(2).normal(size=(7, 2))
    windows = np.stack([x[k : k + 3] for k in range(5)])
    with pytest.warns(UserWarning, match="no score"):
        told = model.predict(pd.DataFrame(x, columns=["x", "a"]).assign(step=range(7)))
    return (windows,), told["score"].to_numpy()[2:]


def said_by(model, *rows):
    with torch.inference_mode():
        return tuple(r.numpy() for r in rows), model.network.eval()(*rows).numpy()


def said_of_texts(model):
    frame = pd.DataFrame({"t": ["good bad", "x good good bad", "bad"]})
    tokens = np.array([[4, 5, 0, 0, 0], [3, 4, 4, 5, 0], [5, 0, 0, 0, 0]])
    return (tokens, np.array([2, 4, 1])), model.predict_proba(frame, model="network")


def said_of_words(model):
    words = [["a", "b", "Zq", "a", "b", "b", "a", "a", "q", "a"], ["b"] * 10, ["q", "b"] * 5]
    numbers = np.stack(number_words(words, model.fitted("network").known))
    padded = np.pad(numbers, ((0, 0), (0, WORDS - 10), (0, 0)))
    return (padded, np.full(3, 10)), np.stack(model.predict_proba(words, model="network"))


# a model, and other inputs than those it was traced with, with what predict says of them
KINDS = {
    "image": (image_model, lambda m: ((pictures(),), m.predict_proba(pictures(), model="network"))),
    "tagged images": (
        tagged_model,
        lambda m: ((pictures(),), m.predict_proba(pictures(), model="network")),
    ),
    "numbers of images": (
        valued_model,
        lambda m: ((pictures(),), m.predict(pictures(), model="network")),
    ),
    "series": (recurrent_series, said_of_series),
    "sequence": (sequence_model, said_of_runs),
    "anomaly": (anomaly_model, said_of_rows),
    "steps": (steps_model, said_of_steps),
    "text": (text_model, said_of_texts),
    "tag": (tag_model, said_of_words),
    "language": (language, lambda m: said_by(m, tokens(5, 11))),
    "translation": (translation, lambda m: said_by(m, tokens(3, 8), tokens(3, 8))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_programs_say_what_predict_says(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(tags, "EXPORTED", WORDS)
    build, say = KINDS[kind]
    model = build()
    model.save(tmp_path / "m")
    inputs, expected = say(model)
    result = export_torch(tmp_path / "m", tmp_path / "m.pt2")
    told = {ABOUT: ""}
    program = torch.export.load(result.path, extra_files=told).module()
    found = program(*map(torch.from_numpy, inputs)).detach().numpy()
    real = tuple(map(slice, expected.shape))  # steps behind the end of a row mean nothing
    np.testing.assert_allclose(found[real], expected, rtol=1e-5, atol=1e-6)
    assert json.loads(told[ABOUT])["inputs"] == result.inputs
    result = export_onnx(tmp_path / "m", tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(result.path)
    names = [i.name for i in session.get_inputs()]
    assert [line.split(":")[0] for line in result.inputs] == names
    (found,) = session.run(None, dict(zip(names, inputs, strict=True)))
    np.testing.assert_allclose(found[real], expected, rtol=1e-4, atol=1e-5)
    for write, place in ((export_torch, "m.pt2"), (export_onnx, "m.onnx")):
        write(tmp_path / "m", tmp_path / place)  # an older one of ours is replaced


def test_a_published_encoder_with_its_words_says_what_predict_says(tmp_path):
    model = text_model()
    model.save(tmp_path / "m")
    fitted = model.fitted("published")
    texts = ["good film", "a bad film", "film"]
    rows = cut_tokens(fitted.encoder.tokenizer, texts, 12)
    tokens = np.zeros((3, 12), dtype=np.int64)
    for line, row in zip(tokens, rows, strict=True):
        line[: len(row)] = row
    inputs = (tokens, np.array([len(row) for row in rows]), fitted.words.features(texts).toarray())
    export_torch(tmp_path / "m", tmp_path / "m.pt2", which="published")
    found = torch.export.load(tmp_path / "m.pt2").module()(*map(torch.from_numpy, inputs))
    expected = model.predict_proba(pd.DataFrame({"t": texts}), model="published")
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-5, atol=1e-6)


def test_what_is_no_network_or_not_ours_is_refused(tmp_path):
    image_model().save(tmp_path / "m")
    with pytest.raises(InvalidValue, match=r"export: model must be a network, got 'pixels'\. Try --model 'network'\."):  # fmt: skip
        export_torch(tmp_path / "m", tmp_path / "m.pt2", which="pixels")
    assert not (tmp_path / "m.pt2").exists()
    for write in (export_torch, export_onnx):
        (tmp_path / "mine").write_bytes(b"PK\x03\x04 my own")
        with pytest.raises(OutputRefused):
            write(tmp_path / "m", tmp_path / "mine")
        assert (tmp_path / "mine").read_bytes() == b"PK\x03\x04 my own"


def test_a_model_without_a_network_says_so(tmp_path):
    from gradatim import NeuralRegressor

    X = np.random.default_rng(0).normal(size=(20, 2))
    NeuralRegressor(epochs=1).fit(X, X[:, 0]).save(tmp_path / "m")
    with pytest.raises(InvalidType, match="export: model must"):
        export_torch(tmp_path / "m", tmp_path / "m.pt2")
