"""A row is predicted alone as among others, whatever predicts it."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.ensemble import RandomForestClassifier

from gradatim.data import WordPieceTokenizer
from gradatim.data.tokenizers import ByteTokenizer
from gradatim.fitting.blocks import by_blocks
from gradatim.fitting.images import networks as images
from gradatim.fitting.language.judging import token_bits
from gradatim.fitting.series import networks as series
from gradatim.fitting.tables.candidates import NEAREST, PROCESS, fit_simple
from gradatim.fitting.tables.networks import NetworkSettings
from gradatim.fitting.tables.networks import fit_network as fit_table_network
from gradatim.fitting.tables.predictors import predict
from gradatim.fitting.tables.trees import forest_arrays
from gradatim.fitting.texts import networks as texts
from gradatim.fitting.texts.linear import fit_trivial
from gradatim.fitting.texts.pretrained import PretrainedNetwork
from gradatim.fitting.translation.batches import FIRST
from gradatim.fitting.translation.model import TranslationModel
from gradatim.models import BERT, GPT, SentenceEncoder, Transformer

RNG = np.random.default_rng(0)
ROWS = 70  # more than a block of 64
LETTERS = "abcdefgh"


@pytest.fixture(autouse=True)
def one_thread():
    """Threads share a sum in ways of their own."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)


def check(outputs, rows):
    """Alone, in odd groups and all at once: the same bits."""
    whole = outputs(rows)
    assert len(whole) == len(rows)
    for size in (1, 7):
        parts = [outputs(rows[k : k + size]) for k in range(0, len(rows), size)]
        assert np.array_equal(np.concatenate(parts), whole)
    order = np.random.default_rng(1).permutation(len(rows)).tolist()
    shuffled = rows[order] if isinstance(rows, np.ndarray) else [rows[k] for k in order]
    assert np.array_equal(outputs(shuffled), whole[order])
    assert outputs(rows[:0]).shape == (0, *whole.shape[1:])


def test_every_pass_has_the_same_shape_and_ends_with_the_filler():
    seen = []

    def apply(x, n):
        seen.append((x.tolist(), n.tolist()))
        return x + n

    out = by_blocks(apply, np.arange(4), np.full(4, 10), block=3, filler=(-1, 99))
    assert out.tolist() == [10, 11, 12, 13]
    assert seen == [([0, 1, -1], [10, 10, 99]), ([2, 3, -1], [10, 10, 99])]
    seen.clear()
    assert by_blocks(apply, np.arange(4), np.full(4, 10), block=3).tolist() == out.tolist()
    assert [x for x, _ in seen] == [[0, 1, 2], [3, 0, 0]]


@pytest.mark.parametrize("architecture", ["cnn", "resnet", "vit", "hybrid"])
def test_images(architecture):
    settings = images.ImageSettings(architecture, width=8, depth=8)
    module = images.build_network(settings, 3, 1, 12)
    model = images.ImageNetwork(module, 3, {"mean": 100.0, "spread": 50.0})
    check(model.outputs, RNG.integers(0, 256, (ROWS, 12, 12, 1), dtype=np.uint8))
    assert module.training  # the caller's mode is left alone


@pytest.mark.parametrize("classes", [3, 0])
@pytest.mark.parametrize("reader", ["bag", "gru"])
def test_texts(reader, classes):
    settings = texts.TextSettings(reader=reader, dim=8, hidden_dim=8, length=12)
    module = texts._build(4 + len(LETTERS), classes or 1, 0, settings)
    model = texts.TextNetwork(module, list(LETTERS), classes, {"length": 12, "scale": 2.0, "center": 1.0})  # fmt: skip
    check(model.outputs, [" ".join(RNG.choice([*LETTERS, "strange"], k % 15)) for k in range(ROWS)])


def test_a_published_encoder():
    tokenizer = WordPieceTokenizer.train(" ".join(LETTERS), vocab_size=40)
    encoder = SentenceEncoder(BERT(40, 32, 16, 2, 2), tokenizer, max_length=32)
    words = fit_trivial(np.array([0, 1, 1]), 2)
    model = PretrainedNetwork(encoder, np.zeros(16), np.ones(16), RNG.normal(size=(2, 16)), words, {"tokens": 32})  # fmt: skip
    check(model.outputs, [" ".join(RNG.choice(list(LETTERS), 1 + k % 29)) for k in range(ROWS)])


@pytest.mark.parametrize("reader", ["mlp", "gru"])
def test_series(reader):
    settings = series.SeriesSettings(reader=reader, hidden_dim=8)
    module = series._build(10, 3, settings)
    pasts = [RNG.normal(size=20 + k) for k in range(6)]
    model = series.NetworkForecasts(module, {"length": 10, "scales": [1.0] * 6}, 3)
    whole = model.forecast(pasts)
    alone = series.NetworkForecasts(module, {"length": 10, "scales": [1.0]}, 3)
    assert np.array_equal(np.concatenate([alone.forecast([past]) for past in pasts]), whole)


@pytest.mark.parametrize("classes", [3, 0])
@pytest.mark.parametrize(
    "name", ["network", "linear", NEAREST, PROCESS, "gradient-boosted trees", "forest"]
)
def test_tables(name, classes):
    X = RNG.normal(size=(ROWS, 4))
    y = RNG.integers(0, 3, ROWS) if classes else RNG.normal(size=ROWS)
    if name == "network":
        model = fit_table_network(X, y, classes, NetworkSettings(hidden=(8,), steps=20), 0)
    elif name == "forest":
        labels = RNG.integers(0, 3, ROWS)
        forest = RandomForestClassifier(5, random_state=0).fit(X, labels)
        model = forest_arrays(forest, np.full(3, 1 / 3))
    else:
        linear = "logistic regression" if classes else "ridge regression"
        model = fit_simple(linear if name == "linear" else name, X, y, classes, 0)
    check(lambda rows: predict(model, rows), X)


def test_translations():
    network = Transformer(FIRST + 256, FIRST + 256, 32, dim=16, num_layers=1, num_heads=2, pad=0)
    with torch.no_grad():
        for parameter in network.parameters():  # so that sentences end at all
            parameter.mul_(2.0)
    model = TranslationModel(network, ByteTokenizer(), about={})
    sentences = ["".join(RNG.choice(list(LETTERS), 1 + k % 30)) for k in range(20)]
    for num_beams in (1, 4):
        whole = model.translate(sentences, num_beams=num_beams)
        alone = [model.translate([text], num_beams=num_beams)[0] for text in sentences]
        assert alone == whole


def test_bits_of_a_text():
    model = GPT(8, 8, 16, 1, 2)
    tokens = RNG.integers(0, 8, 600)
    whole = token_bits(model, tokens)  # windows of 9 that overlap by half
    alone = [token_bits(model, tokens[k : k + 9]) for k in range(0, 592, 4)]
    assert np.array_equal(np.concatenate(alone), whole)


def test_a_table_of_no_rows_has_no_predictions():
    model = fit_simple("mean", np.zeros((5, 2)), np.arange(5.0), 0, 0)
    assert predict(model, pd.DataFrame({"a": [], "b": []}).to_numpy()).shape == (0,)
