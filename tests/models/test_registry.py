"""A description holds all that a model was built with, and rebuilding touches nobody's random numbers."""

import json

import pytest
import torch
from torch import nn

from gradatim.data import WordPieceTokenizer
from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import (
    BERT,
    GPT,
    MLP,
    BERTClassifier,
    RewardModel,
    SentenceEncoder,
    SequenceTagger,
    build,
    describe,
    load_weights,
    rebuild,
)
from gradatim.nn import DenseConnection, LSTMCell, MultiTask, ResidualLayer, StochasticDepth


def round_trip(model):
    """The model that a JSON file and its weights give back."""
    again = rebuild(json.loads(json.dumps(describe(model))))
    assert type(again) is type(model)
    load_weights("round_trip", again, model.state_dict())
    return again.train(model.training)


def test_a_trunk_is_described_with_its_head():
    model = BERTClassifier(BERT(20, 8, 4, 1, 2, dropout=0.3), 3, dropout=0.2).eval()
    description = describe(model)
    assert description["name"] == "bert_classifier"
    assert description["arguments"]["trunk"]["name"] == "bert"
    assert description["arguments"]["trunk"]["arguments"]["dropout"] == 0.3
    again, tokens = round_trip(model), torch.randint(20, (2, 5))
    assert torch.equal(again(tokens), model(tokens))
    assert again.drop.p == 0.2


def test_parts_by_name_lists_and_chains_are_described():
    """Three levels: a chain of layers within a model of two tasks."""
    trunk = nn.Sequential(
        DenseConnection(nn.Linear(3, 2, bias=False)),
        StochasticDepth(ResidualLayer(5, activation="tanh"), drop=0.1),
        nn.LeakyReLU(0.2),
    )
    model = MultiTask(trunk, {"name": MLP((5, 4, 2)), "arguments": nn.Linear(5, 1)})
    again, x = round_trip(model.eval()), torch.randn(4, 3)
    assert list(again.heads) == ["name", "arguments"]
    for task, output in model(x).items():
        assert torch.equal(again(x)[task], output)
    assert again.trunk[0].layer.bias is None
    assert again.trunk[2].negative_slope == 0.2


def test_named_children_keep_their_names():
    model = nn.Sequential()
    model.add_module("first", nn.Conv2d(1, 2, 3, stride=2, padding=1))
    model.add_module("norm", nn.BatchNorm2d(2))
    model = MultiTask(model.eval(), {"same": nn.Identity()}).eval()
    again, x = round_trip(model), torch.randn(2, 1, 5, 5)
    assert torch.equal(again(x)["same"], model(x)["same"])


def test_a_sentence_encoder_takes_its_tokenizer_along():
    tokenizer = WordPieceTokenizer.train("one two three", vocab_size=40)
    encoder = SentenceEncoder(BERT(tokenizer.vocab_size, 16, 8, 1, 2), tokenizer, max_length=12)
    again, texts = round_trip(encoder), ["one two", "three"]
    assert again.max_length == 12
    assert torch.equal(again.encode(texts), encoder.encode(texts))


def test_a_sentence_encoder_is_a_module_whose_vectors_have_length_one():
    tokenizer = WordPieceTokenizer.train("one two three", vocab_size=40)
    encoder = SentenceEncoder(BERT(tokenizer.vocab_size, 16, 8, 1, 2), tokenizer, max_length=12)
    row = tokenizer.encode_pair("one two", max_length=12).ids
    vector = encoder(torch.tensor([row]), torch.tensor([len(row)]))
    assert torch.allclose(vector, encoder.encode(["one two"]), atol=1e-6)
    assert not encoder.training


@pytest.mark.parametrize(
    "make", [lambda: MLP((2, 3)), lambda: RewardModel(GPT(10, 8, 4, 1, 2))], ids=["flat", "nested"]
)
def test_rebuilding_leaves_the_random_state_alone(make):
    description = describe(make())
    state = torch.get_rng_state()
    first = rebuild(description)
    assert torch.equal(torch.get_rng_state(), state)
    torch.rand(3)
    second = rebuild(description)
    pairs = zip(first.parameters(), second.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_a_description_of_the_version_before_is_read():
    stored = {
        "name": "mlp",
        "arguments": {"sizes": [2, 3, 1], "activation": "tanh", "dropout": 0.1},
    }
    model = rebuild(stored)
    assert model.sizes == (2, 3, 1)
    assert model.dropout == 0.1


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "sequence_tagger",
            {"input_dim": 4, "out_dim": 3, "num_tokens": 9},
            {"output_dim": 3, "vocab_size": 9},
        ),
        (
            "bag_of_embeddings",
            {"num_tokens": 9, "dim": 2, "out_dim": 3},
            {"output_dim": 3, "vocab_size": 9},
        ),
        (
            "seq2seq",
            {"source_tokens": 9, "target_tokens": 8},
            {"source_vocab_size": 9, "target_vocab_size": 8},
        ),
        (
            "transformer",
            {"source_size": 9, "target_size": 8, "context": 5, "dim": 4, "num_heads": 1},
            {"source_vocab_size": 9, "target_vocab_size": 8},
        ),
        ("ResidualLayer", {"in_dim": 4, "out_dim": 3}, {"input_dim": 4, "output_dim": 3}),
    ],
)
def test_arguments_are_read_by_the_names_they_had(name, old, new):
    model = rebuild({"name": name, "arguments": old})
    assert {key: getattr(model, key) for key in new} == new
    assert new.items() <= describe(model)["arguments"].items()


def test_strangers_are_refused_however_deep():
    with pytest.raises(
        InvalidType, match=r"describe: model must be one of Gradatim's own .* got GRU"
    ):
        describe(DenseConnection(nn.GRU(2, 2)))


def test_a_function_is_refused_with_a_remedy():
    sentence = "describe: arguments must be numbers, texts, modules .* Build the model by names"
    with pytest.raises(InvalidType, match=sentence):
        describe(SequenceTagger(2, 3, cell=LSTMCell))


def test_parts_are_rebuilt_but_not_built_by_name():
    with pytest.raises(InvalidValue, match=r"build: name must be one of .* got 'Linear'"):
        build("Linear", 2, 3)


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        ({"name": "mlpp", "arguments": {}}, "rebuild: name must be one of mlp, "),
        (
            {"name": "mlp", "arguments": {"size": [2]}},
            r"rebuild\('mlp'\): argument must be one of ",
        ),
        (
            {"name": "mlp", "arguments": {}},
            r"rebuild\('mlp'\): missing a required argument: 'sizes'",
        ),
    ],
)
def test_a_damaged_description_is_refused(description, sentence):
    with pytest.raises((InvalidValue, InvalidType), match=sentence):
        rebuild(description)
