"""What every public module does: it builds, keeps shape and dtype, learns, is stored, repeats itself, minds its own row.

A public module without an entry in :data:`CASES` fails. Where a law does not hold, :data:`EXCEPTIONS` says why; an
exception that has become false fails too.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from gradatim import generative, linear, models, neurons, timeseries
from gradatim import nn as layers
from gradatim.data import WordPieceTokenizer
from gradatim.models import describe, load_weights, rebuild
from gradatim.randomness import seeded

from .conftest import public_values

B = 3  # rows of a batch; no other size of the cases is 3


class Case(NamedTuple):
    """How to build a module, what to give it, and the shape of (the first part of) what comes out."""

    build: Callable[[], nn.Module]
    inputs: Callable[[], tuple[Any, ...]]
    shape: tuple[int, ...]


def real(*shape):
    return lambda: (torch.randn(B, *shape),)


def tokens(*shape, below=10):
    return lambda: (torch.randint(1, below, (B, *shape)),)


def both(*parts):
    return lambda: tuple(value for part in parts for value in part())


def cell(name, *, parts=1, width=6, dtype=None):
    """A cell of 4 inputs and 6 hidden units, with a state of ``parts`` parts."""

    def inputs():
        state = tuple(torch.randn(B, width, dtype=dtype) for _ in range(parts))
        return state, torch.randn(B, 4)

    return Case(lambda: getattr(layers, name)(4, 6), inputs, (B, width))


def signs(*shape):
    return lambda: (torch.randn(B, *shape).sign(),)


def hopfield():
    memory = neurons.Hopfield(8)
    memory.store(torch.randn(2, 8).sign())
    return memory


def dense_memory():
    memory = neurons.DenseMemory(8)
    memory.store(torch.randn(2, 8).sign())
    return memory


def modern_hopfield():
    memory = neurons.ModernHopfield(8)
    memory.store(torch.randn(5, 8))
    return memory


def sentence_encoder():
    tokenizer = WordPieceTokenizer.train("one two three", vocab_size=40)
    return models.SentenceEncoder(
        models.BERT(tokenizer.vocab_size, 16, 8, 2, 2), tokenizer, max_length=16
    )


def graph(*, width=4):
    """Three nodes of which two are joined, and one stands alone."""
    return lambda: (torch.randn(B, width), torch.tensor([[0, 1], [1, 0]]))


def lengths(*values):
    return lambda: (torch.tensor(values),)


def bert():
    return models.BERT(10, 8, 4, 2, 2)


def gpt():
    return models.GPT(10, 8, 4, 2, 2)


def two_tasks():
    return layers.MultiTask(nn.Linear(4, 8), {"digit": nn.Linear(8, 10), "parity": nn.Linear(8, 1)})


ragged = lengths(5, 2, 4)
CASES: dict[str, Case] = {
    # layers
    "AdditiveAttention": Case(lambda: layers.AdditiveAttention(4, 6, 5), both(real(4), real(7, 6)), (B, 6)),
    "AttentionPooling": Case(lambda: layers.AttentionPooling(4, 6), real(7, 4), (B, 4)),
    "DotAttention": Case(lambda: layers.DotAttention(4, 6), both(real(4), real(7, 6)), (B, 6)),
    "MultiHeadAttention": Case(lambda: layers.MultiHeadAttention(8, 2, is_rotary=True, is_causal=True), real(5, 8), (B, 5, 8)),
    "EncoderBlock": Case(lambda: layers.EncoderBlock(8, 2, dropout=0.1), real(5, 8), (B, 5, 8)),
    "DecoderBlock": Case(lambda: layers.DecoderBlock(8, 2), both(real(5, 8), real(7, 8)), (B, 5, 8)),
    "FeedForward": Case(lambda: layers.FeedForward(4, 8), real(5, 4), (B, 5, 4)),
    "Shortcut": Case(lambda: layers.Shortcut(4), real(5, 4), (B, 5, 4)),
    "LearnedPositions": Case(lambda: layers.LearnedPositions(5, 4), real(5, 4), (B, 5, 4)),
    "SinusoidalPositions": Case(lambda: layers.SinusoidalPositions(8, 4), real(5, 4), (B, 5, 4)),
    "Rotary": Case(lambda: layers.Rotary(4), real(5, 4), (B, 5, 4)),
    "BatchEnsembleLinear": Case(lambda: layers.BatchEnsembleLinear(4, 2, num_members=5), real(4), (B, 5, 2)),
    "PiecewiseLinearEncoding": Case(lambda: layers.PiecewiseLinearEncoding([[-1.0, 0.0, 1.0]] * 4), real(4), (B, 12)),
    "PeriodicEmbedding": Case(lambda: layers.PeriodicEmbedding(4, 6), real(4), (B, 24)),
    "DenseConnection": Case(lambda: layers.DenseConnection(nn.Linear(4, 2)), real(4), (B, 6)),
    "ResidualLayer": Case(lambda: layers.ResidualLayer(4, 6, activation="tanh"), real(4), (B, 6)),
    "HighwayLayer": Case(lambda: layers.HighwayLayer(4, activation="tanh"), real(4), (B, 4)),
    "SqueezeExcitation": Case(lambda: layers.SqueezeExcitation(4, reduction=2), real(4, 3, 3), (B, 4, 3, 3)),
    "ImageSelfAttention": Case(lambda: layers.ImageSelfAttention(4, num_heads=2), real(4, 3, 3), (B, 4, 3, 3)),
    "StochasticDepth": Case(lambda: layers.StochasticDepth(nn.Linear(4, 4), drop=0.2), real(4), (B, 4)),
    "StandardDropout": Case(lambda: layers.StandardDropout(keep=0.5), real(4), (B, 4)),
    "MultiTask": Case(two_tasks, real(4), (B, 10)),
    "Step": Case(lambda: layers.Step(at_zero=1.0), real(4), (B, 4)),
    "Erf": Case(lambda: layers.Erf(), real(4), (B, 4)),
    "Sign": Case(lambda: layers.Sign(), real(4), (B, 4)),
    # cells and what runs them
    "ElmanCell": cell("ElmanCell"),
    "ResidualCell": cell("ResidualCell"),
    "HighwayCell": cell("HighwayCell"),
    "DeepTransitionCell": cell("DeepTransitionCell"),
    "AntisymmetricCell": cell("AntisymmetricCell"),
    "LipschitzCell": cell("LipschitzCell"),
    "S6Cell": cell("S6Cell", width=24),
    "GRUCell": cell("GRUCell"),
    "ChoGRUCell": cell("ChoGRUCell"),
    "ChungGRUCell": cell("ChungGRUCell"),
    "MinGRUCell": cell("MinGRUCell"),
    "MinLSTMCell": cell("MinLSTMCell"),
    "LSTMCell": cell("LSTMCell", parts=2),
    "NoForgetLSTMCell": cell("NoForgetLSTMCell", parts=2),
    "OutputMapLSTMCell": cell("OutputMapLSTMCell", parts=2),
    "PeepholeLSTMCell": cell("PeepholeLSTMCell", parts=2),
    "LRUCell": cell("LRUCell", width=4, dtype=torch.complex64)._replace(build=lambda: layers.LRUCell(4, 8)),
    "Recurrent": Case(lambda: layers.Recurrent("lstm", 4, 6, num_layers=2, is_bidirectional=True), both(real(5, 4), ragged), (B, 5, 12)),
    "LRU": Case(lambda: layers.LRU(8), both(real(5, 8), ragged), (B, 5, 8)),
    # on graphs and sets
    "GCNLayer": Case(lambda: layers.GCNLayer(4, 2), graph(), (B, 2)),
    "GATLayer": Case(lambda: layers.GATLayer(4, 2, num_heads=2), graph(), (B, 4)),
    "GATv2Layer": Case(lambda: layers.GATv2Layer(4, 2, num_heads=2), graph(), (B, 4)),
    "SAGELayer": Case(lambda: layers.SAGELayer(4, 2), graph(), (B, 2)),
    "GINLayer": Case(lambda: layers.GINLayer(4, 2), graph(), (B, 2)),
    "ChebyshevLayer": Case(lambda: layers.ChebyshevLayer(4, 2, 2), graph(), (B, 2)),
    "PairNorm": Case(lambda: layers.PairNorm(), real(4), (B, 4)),
    "GCN": Case(lambda: models.GCN(4, 8, 2, dropout=0.0), graph(), (B, 2)),
    "GAT": Case(lambda: models.GAT(4, 8, 2, num_heads=2, dropout=0.0), graph(), (B, 2)),
    "GATv2": Case(lambda: models.GATv2(4, 8, 2, num_heads=2, dropout=0.0), graph(), (B, 2)),
    "GraphSAGE": Case(lambda: models.GraphSAGE(4, 8, 2, dropout=0.0), graph(), (B, 2)),
    "GIN": Case(lambda: models.GIN(4, 8, 2, dropout=0.0), graph(), (B, 2)),
    "ChebNet": Case(lambda: models.ChebNet(4, 8, 2, dropout=0.0), graph(), (B, 2)),
    "SGC": Case(lambda: models.SGC(4, 2), graph(), (B, 2)),
    "APPNP": Case(lambda: models.APPNP(4, 8, 2, dropout=0.0), graph(), (B, 2)),
    "GraphClassifier": Case(lambda: models.GraphClassifier(models.GCN(4, 8, 6, dropout=0.0), 6, 2), graph(), (1, 2)),
    "LinkPredictor": Case(lambda: models.LinkPredictor(models.GCN(4, 8, 6, dropout=0.0), 6, decoder="mlp", is_directed=True), both(graph(), lambda: (torch.tensor([[0, 2, 1, 0], [1, 0, 1, 2]]),)), (4,)),
    "PairNet": Case(lambda: models.PairNet(4, 6, 2), graph(), (1, 2)),
    "NTKMLP": Case(lambda: models.NTKMLP((4, 8, 2), bias_variance=0.1), real(4), (B, 2)),
    "DeepSets": Case(lambda: models.DeepSets(4, 8, 2), real(5, 4), (B, 2)),
    "EquivariantDeepSets": Case(lambda: models.EquivariantDeepSets(4, 8, 2, pooling="attention"), real(5, 4), (B, 5, 2)),
    "PointNet": Case(lambda: models.PointNet(2, dims=(4, 8)), real(9, 3), (B, 2)),
    "PointNetSegmenter": Case(lambda: models.PointNetSegmenter(2, dims=(4, 8)), real(9, 3), (B, 9, 2)),
    # models of vectors
    "MLP": Case(lambda: models.MLP((4, 8, 2), norm="batch", dropout=0.1), real(4), (B, 2)),
    "ResidualMLP": Case(lambda: models.ResidualMLP((4, 8, 8, 2)), real(4), (B, 2)),
    "TabMLP": Case(lambda: models.TabMLP(4, 2, num_members=5, edges=[[-1.0, 0.0, 1.0]] * 4), real(4), (B, 5, 2)),
    "HighwayMLP": Case(lambda: models.HighwayMLP((4, 8, 8, 2)), real(4), (B, 2)),
    "DenselyConnectedMLP": Case(lambda: models.DenselyConnectedMLP((4, 8, 8, 2)), real(4), (B, 2)),
    # of images
    "MLPMixer": Case(lambda: models.MLPMixer(8, 2, 1, 10, dim=8, num_layers=2), real(1, 8, 8), (B, 10)),
    "ImageEncoder": Case(lambda: models.ImageEncoder(8, 10, widths=(4, 6)), real(1, 8, 8), (B, 10)),
    "ImageDecoder": Case(lambda: models.ImageDecoder(10, 8, widths=(4, 6)), real(10), (B, 1, 8, 8)),
    "AlexNet": Case(lambda: models.AlexNet(10, image_size=67, dense=(8,)), real(3, 67, 67), (B, 10)),
    "LeNet": Case(lambda: models.LeNet(10), real(1, 28, 28), (B, 10)),
    "FastCNN": Case(lambda: models.FastCNN(10, widths=(8, 8, 8)), real(2 + 1, 32, 32), (B, 10)),
    "VGG": Case(lambda: models.VGG(((8,), (8, 8)), 10, in_channels=1), real(1, 8, 8), (B, 10)),
    "CifarResNet": Case(lambda: models.CifarResNet(8, 10, in_channels=1), real(1, 16, 16), (B, 10)),
    "ResNet": Case(lambda: models.ResNet(18, 10, in_channels=1), real(1, 32, 32), (B, 10)),
    "MobileNetV2": Case(lambda: models.MobileNetV2(10, width=0.25, in_channels=1, dropout=0.0), real(1, 32, 32), (B, 10)),
    "DenseNet": Case(lambda: models.DenseNet(22, 4, 10, in_channels=1), real(1, 16, 16), (B, 10)),
    "TimeMLP": Case(lambda: models.TimeMLP(4, 5, hidden_dim=8, condition_dim=6, dropout=0.1), both(real(4), lengths(0.2, 0.5, 1.0), lengths(0, 4, 5)), (B, 4)),
    "TimeUNet": Case(lambda: models.TimeUNet(1, 6, 5, widths=(4, 8), num_blocks=1, condition_dim=6), both(real(1, 6, 6), lengths(0.2, 0.5, 1.0), lengths(0, 4, 5)), (B, 1, 6, 6)),
    "UNet": Case(lambda: models.UNet(1, 2, widths=(4, 8)), real(1, 8, 8), (B, 2, 8, 8)),
    "DCGANGenerator": Case(lambda: models.DCGANGenerator(4, 8, width=2, num_classes=5), both(real(4), lengths(0, 4, 1)), (B, 1, 8, 8)),
    "DCGANDiscriminator": Case(lambda: models.DCGANDiscriminator(16, width=2, num_classes=5, norm="spectral"), both(real(1, 16, 16), lengths(0, 4, 1)), (B,)),
    "ViT": Case(lambda: models.ViT(8, 2, 10, dim=8, num_layers=2, num_heads=2), real(1, 8, 8), (B, 10)),
    "HybridViT": Case(lambda: models.HybridViT(16, 10, dim=8, num_layers=2, num_heads=2), real(1, 16, 16), (B, 10)),
    "ClassTokenEncoder": Case(lambda: models.ClassTokenEncoder(5, 8, 2, 2), real(5, 8), (B, 8)),
    # of sequences
    "BagOfEmbeddings": Case(lambda: models.BagOfEmbeddings(10, 4, 2), both(tokens(5), ragged), (B, 2)),
    "LRUStack": Case(lambda: models.LRUStack(4, 8, 5, num_layers=2), both(real(5, 4), ragged), (B, 5, 5)),
    "TCN": Case(lambda: models.TCN(4, 6, num_layers=2), both(real(5, 4), ragged), (B, 5, 6)),
    "SequenceEncoder": Case(lambda: models.SequenceEncoder(4, 6, num_layers=2), both(real(5, 4), ragged), (B, 5, 6)),
    "SequenceClassifier": Case(lambda: models.SequenceClassifier(4, 2), both(real(5, 4), ragged), (B, 2)),
    "SequenceTagger": Case(lambda: models.SequenceTagger(4, 2), both(real(5, 4), ragged), (B, 5, 2)),
    "FeatureTagger": Case(lambda: models.FeatureTagger((10, 10), (3, 2), 2), both(tokens(5, 2), ragged), (B, 5, 2)),
    "TextAndColumns": Case(lambda: models.TextAndColumns(models.BagOfEmbeddings(10, 4, 6), 3, 6, 2), both(tokens(5), ragged, real(3)), (B, 2)),
    "SkipGram": Case(lambda: models.SkipGram(10, 4), both(tokens(), tokens(3)), (B, 3)),
    "SequenceGenerator": Case(lambda: models.SequenceGenerator(4, 10), both(real(4), tokens(5)), (B, 5, 10)),
    "Seq2Seq": Case(lambda: models.Seq2Seq(10, 11), both(tokens(5), ragged, tokens(7)), (B, 7, 11)),
    "CTC": Case(lambda: models.CTC(4, 6), both(real(5, 4), ragged), (B, 5, 7)),
    "Forecaster": Case(lambda: models.Forecaster(2, 4), real(5, 2), (B, 4, 2, 2)),
    "SequenceAutoencoder": Case(lambda: models.SequenceAutoencoder(2, 4), real(5, 2), (B, 5, 2)),
    "RecurrentLanguageModel": Case(lambda: models.RecurrentLanguageModel(10), tokens(5), (B, 5, 10)),
    "GPT": Case(gpt, tokens(5), (B, 5, 10)),
    "RewardModel": Case(lambda: models.RewardModel(gpt()), tokens(5), (B,)),
    "Transformer": Case(lambda: models.Transformer(10, 11, 8, dim=8, num_heads=2), both(tokens(5), tokens(7)), (B, 7, 11)),
    "TransformerEncoder": Case(lambda: models.TransformerEncoder(8, 2, 2), real(5, 8), (B, 5, 8)),
    "TransformerDecoder": Case(lambda: models.TransformerDecoder(8, 2, 2), both(real(5, 8), real(7, 8)), (B, 5, 8)),
    "BERT": Case(bert, both(tokens(5), ragged, tokens(5, below=2)), (B, 5, 4)),
    "BERTClassifier": Case(lambda: models.BERTClassifier(bert(), 2), both(tokens(5), ragged), (B, 2)),
    "BERTTagger": Case(lambda: models.BERTTagger(bert(), 2), both(tokens(5), ragged), (B, 5, 2)),
    "BERTSpanReader": Case(lambda: models.BERTSpanReader(bert()), tokens(5), (B, 5, 2)),
    "BERTPretraining": Case(lambda: models.BERTPretraining(bert()), both(tokens(5), ragged), (B, 5, 10)),
    "SentenceEncoder": Case(sentence_encoder, both(tokens(5), ragged), (B, 8)),
    # of the topics
    "Invariant": Case(lambda: public_modules()["Invariant"](nn.Linear(4, 2), (lambda x: x, lambda x: x.flip(-1))), real(4), (B, 2)),
    "Hopfield": Case(hopfield, signs(8), (B, 8)),
    "DenseMemory": Case(dense_memory, signs(8), (B, 8)),
    "ModernHopfield": Case(modern_hopfield, real(8), (B, 8)),
    "ThresholdUnit": Case(lambda: neurons.ThresholdUnit([1.0, -1.0], 0.5), real(2), (B,)),
    "ThresholdNetwork": Case(lambda: neurons.ThresholdNetwork([(torch.ones(4, 2), torch.ones(4)), (torch.ones(1, 4), torch.ones(1))]), real(2), (B, 1)),
    "GaussianBasis": Case(lambda: linear.GaussianBasis(torch.linspace(-1, 1, 4)), real(), (B, 4)),
    "Bernoulli": Case(lambda: generative.Bernoulli(), both(real(4), real(4)), (B,)),
    "Gaussian": Case(lambda: generative.Gaussian(4), both(real(4), real(4)), (B,)),
    "LinearAutoencoder": Case(lambda: generative.LinearAutoencoder(4, 2), real(4), (B, 4)),
    "Autoencoder": Case(lambda: generative.Autoencoder(models.MLP((4, 8, 2)), models.MLP((2, 8, 4)), noise=0.1), real(4), (B, 4)),
    "RowLikelihood": Case(lambda: generative.RowLikelihood([1, 1, -2, -1]), both(real(5), real(5)), (B,)),
    "Diffusion": Case(lambda: generative.Diffusion(models.TimeMLP(4, hidden_dim=8, condition_dim=6)), both(real(4), lengths(0.2, 0.5, 1.0)), (B, 4)),
    "FlowMatching": Case(lambda: generative.FlowMatching(models.TimeMLP(4, 5, hidden_dim=8, condition_dim=6)), both(real(4), lengths(0.2, 0.5, 1.0), lengths(0, 4, 5)), (B, 4)),
    "VAE": Case(lambda: generative.VAE(models.MLP((4, 8, 4)), models.MLP((7, 8, 4)), 2, num_classes=5), both(real(4), lengths(0, 4, 1)), (B, 4)),
    "GAN": Case(lambda: generative.GAN(models.MLP((2, 8, 4)), models.MLP((4, 8, 1)), 2), real(2), (B, 4)),
    "TDNN": Case(lambda: timeseries.TDNN(4, input_dim=2, hidden=(8,)), real(9, 2), (B, 6, 1)),
}  # fmt: skip

POOLER = "the pooler serves pool(), which forward does not call"
PART = "a part that keeps no arguments: the model that holds it is described"
NEIGHBOURS = "rows are nodes of one graph, which hear of each other"
TOPIC = "the registry of models stands below the topics"
# (module, law): why it does not hold there
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("BERT", "gradient"): POOLER,
    ("BERTTagger", "gradient"): POOLER,
    ("BERTSpanReader", "gradient"): POOLER,
    ("SentenceEncoder", "gradient"): POOLER,
    ("BERTPretraining", "gradient"): "the second task has a forward of its own, next_logits",
    **{
        (name, "describe"): PART
        for name in (
            "EncoderBlock", "DecoderBlock", "Shortcut", "TransformerEncoder", "TransformerDecoder",
            "ClassTokenEncoder", "SequenceEncoder",
        )
    },
    **{
        (name, "describe"): TOPIC
        for name in (
            "Hopfield", "DenseMemory", "ModernHopfield", "ThresholdUnit", "ThresholdNetwork", "GaussianBasis", "TDNN",
        )
    },
    **{
        (name, "rows"): NEIGHBOURS
        for name in (
            "GCNLayer", "GATLayer", "GATv2Layer", "SAGELayer", "GINLayer", "ChebyshevLayer", "PairNorm", "GCN", "GAT", "GATv2",
            "GraphSAGE", "GIN", "ChebNet", "SGC", "APPNP", "GraphClassifier", "LinkPredictor", "PairNet",
        )
    },
    ("GAN", "gradient"): "the discriminator serves score(), which forward does not call",
    ("Invariant", "describe"): "it holds transformations, which are functions",
}  # fmt: skip


def public_modules():
    """Public modules of every room that can be built, by name."""
    classes = ((label.split(".", 1)[1], value) for label, value in public_values())
    return {
        name: value
        for name, value in classes
        if inspect.isclass(value) and issubclass(value, nn.Module) and not inspect.isabstract(value)
    }


def law(name):
    """Run a check for every case; those in :data:`EXCEPTIONS` must fail."""
    marks = {
        module: pytest.mark.xfail(reason=reason, strict=True)
        for (module, which), reason in EXCEPTIONS.items()
        if which == name
    }
    cases = [pytest.param(key, marks=marks.get(key, ()), id=key) for key in CASES]
    return pytest.mark.parametrize("name", cases)


def make(name, seed=0, dtype=torch.float32):
    """A module and its inputs, in ``dtype``."""
    with seeded(seed):
        module = CASES[name].build().to(dtype)
    with seeded(100 + seed):
        inputs = CASES[name].inputs()
    return module, cast(inputs, dtype)


def cast(value, dtype):
    """Floating tensors in ``dtype``, complex ones in the complex type of it."""
    if isinstance(value, tuple):
        return tuple(cast(item, dtype) for item in value)
    if not (value.is_floating_point() or value.is_complex()):
        return value
    return value.to(dtype.to_complex() if value.is_complex() else dtype)


def run(module, inputs):
    """The numbers of the output, in order; masks say nothing of their own."""
    if isinstance(module, layers.Shortcut):  # two halves around a branch
        return [module.leave(inputs[0], module.enter(inputs[0]))]
    return [part for part in leaves(module(*inputs)) if part.dtype is not torch.bool]


def leaves(value):
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from leaves(item)


def row(value, index):
    """One row of the inputs."""
    if isinstance(value, tuple):
        return tuple(row(item, index) for item in value)
    return value[index : index + 1]


def same(first, second):
    return len(first) == len(second) and all(
        torch.equal(a, b) for a, b in zip(first, second, strict=True)
    )


def test_every_public_module_has_a_case():
    found = public_modules()
    assert set(found) - set(CASES) == set(), "add them to CASES"
    assert set(CASES) - set(found) == set(), "they are not public"


def test_exceptions_name_cases_and_laws():
    laws = {"builds", "dtype", "gradient", "stored", "describe", "seeds", "rows"}
    strangers = {key for key in EXCEPTIONS if key[0] not in CASES or key[1] not in laws}
    assert strangers == set()


@law("builds")
def test_it_builds_with_the_shape_it_says(name):
    module, inputs = make(name)
    assert isinstance(module, public_modules()[name])
    assert tuple(run(module.eval(), inputs)[0].shape) == CASES[name].shape


@law("dtype")
def test_it_keeps_the_dtype(name):
    shapes = []
    for dtype in (torch.float32, torch.float64):
        module, inputs = make(name, dtype=dtype)
        outputs = run(module.eval(), inputs)
        real_outputs = [part for part in outputs if part.is_floating_point()]
        assert {part.dtype for part in real_outputs} == {dtype}
        assert all(part.dtype == dtype.to_complex() for part in outputs if part.is_complex())
        shapes.append([part.shape for part in outputs])
    assert shapes[0] == shapes[1]


@law("gradient")
def test_a_gradient_reaches_every_parameter(name):
    module, inputs = make(name, dtype=torch.float64)
    parameters = {key: value for key, value in module.named_parameters() if value.requires_grad}
    if not parameters:
        return
    with seeded(1), torch.no_grad():  # what starts at zero hides what stands before it
        for parameter in parameters.values():
            parameter.add_(0.1 * torch.randn_like(parameter))
    outputs = [part for part in run(module.train(), inputs) if part.requires_grad]
    weights = [torch.randn_like(part) for part in outputs]
    sum((part * w).sum().abs() for part, w in zip(outputs, weights, strict=True)).backward()
    without = {
        key for key, value in parameters.items() if value.grad is None or not value.grad.any()
    }
    assert without == set()


@law("stored")
def test_stored_weights_give_the_same_output(name):
    module, inputs = make(name)
    other, _ = make(name, seed=1)
    weights = {key: value.clone() for key, value in module.state_dict().items()}
    load_weights("test", other, load(save(weights)) if weights else {})
    assert same(run(other.eval(), inputs), run(module.eval(), inputs))


@law("describe")
def test_a_description_gives_the_same_model(name):
    module, inputs = make(name)
    known = generative.MODELS
    again = rebuild(json.loads(json.dumps(describe(module, beside=known))), beside=known)
    load_weights("test", again, module.state_dict())
    assert type(again) is type(module)
    assert repr(again) == repr(module)
    assert same(run(again.eval(), inputs), run(module.eval(), inputs))


@law("seeds")
def test_equal_seeds_give_equal_weights_and_outputs(name):
    first, inputs = make(name)
    second, _ = make(name)
    assert same(list(first.state_dict().values()), list(second.state_dict().values()))
    outputs = []
    for module in (first, second):
        with seeded(3):
            outputs.append(run(module.train(), inputs))
    assert same(*outputs)


@law("rows")
@torch.inference_mode()
def test_in_eval_mode_a_row_ignores_its_batch_mates(name):
    module, inputs = make(name, dtype=torch.float64)
    whole = run(module.eval(), inputs)
    for index in range(B):
        for part, alone in zip(whole, run(module, row(inputs, index)), strict=True):
            axis = next(
                i for i, (n, m) in enumerate(zip(part.shape, alone.shape, strict=True)) if n != m
            )
            torch.testing.assert_close(
                alone, part.narrow(axis, index, 1), rtol=1e-9, atol=1e-9, equal_nan=True
            )


@pytest.mark.parametrize("name", list(CASES))
def test_an_unknown_argument_is_refused(name):
    with pytest.raises(TypeError, match=r"no_such_argument|unexpected keyword"):
        public_modules()[name](no_such_argument=1)
