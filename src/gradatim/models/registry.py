"""Build models by name, and describe them so that a JSON file can rebuild them."""

import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from torch import Tensor, nn

import gradatim.nn as layers
from gradatim.data.tokenizers.kinds import KINDS, Tokenizer, rebuild_tokenizer
from gradatim.errors import InvalidType, choose
from gradatim.models.alexnet import AlexNet
from gradatim.models.appnp import APPNP
from gradatim.models.bag_of_embeddings import BagOfEmbeddings
from gradatim.models.bert import BERT
from gradatim.models.bert_heads import BERTClassifier, BERTSpanReader, BERTTagger
from gradatim.models.bert_pretraining import BERTPretraining
from gradatim.models.cheb_net import ChebNet
from gradatim.models.ctc import CTC
from gradatim.models.dcgan import DCGANDiscriminator, DCGANGenerator
from gradatim.models.deep_sets import DeepSets, EquivariantDeepSets
from gradatim.models.densely_connected_mlp import DenselyConnectedMLP
from gradatim.models.densenet import DenseNet
from gradatim.models.fast_cnn import FastCNN
from gradatim.models.feature_tagger import FeatureTagger
from gradatim.models.forecaster import Forecaster
from gradatim.models.gat import GAT
from gradatim.models.gatv2 import GATv2
from gradatim.models.gcn import GCN
from gradatim.models.gin import GIN
from gradatim.models.gpt import GPT
from gradatim.models.graph_classifier import GraphClassifier
from gradatim.models.graph_sage import GraphSAGE
from gradatim.models.highway_mlp import HighwayMLP
from gradatim.models.hybrid_vit import HybridViT
from gradatim.models.image_coding import ImageDecoder, ImageEncoder
from gradatim.models.lenet import LeNet
from gradatim.models.link_predictor import LinkPredictor
from gradatim.models.lru import LRUStack
from gradatim.models.mlp import MLP
from gradatim.models.mlp_mixer import MLPMixer
from gradatim.models.mobilenet import MobileNetV2
from gradatim.models.ntk_mlp import NTKMLP
from gradatim.models.pair_net import PairNet
from gradatim.models.pointnet import PointNet, PointNetSegmenter
from gradatim.models.recurrent_language_model import RecurrentLanguageModel
from gradatim.models.residual_mlp import ResidualMLP
from gradatim.models.resnet import CifarResNet, ResNet
from gradatim.models.reward_model import RewardModel
from gradatim.models.sentence_encoder import SentenceEncoder
from gradatim.models.seq2seq import Seq2Seq
from gradatim.models.sequence_autoencoder import SequenceAutoencoder
from gradatim.models.sequence_classifier import SequenceClassifier
from gradatim.models.sequence_generator import SequenceGenerator
from gradatim.models.sequence_tagger import SequenceTagger
from gradatim.models.sgc import SGC
from gradatim.models.skip_gram import SkipGram
from gradatim.models.tab_mlp import TabMLP
from gradatim.models.tcn import TCN
from gradatim.models.text_and_columns import TextAndColumns
from gradatim.models.time_mlp import TimeMLP
from gradatim.models.time_unet import TimeUNet
from gradatim.models.transformer import Transformer
from gradatim.models.unet import UNet
from gradatim.models.vgg import VGG
from gradatim.models.vit import ViT
from gradatim.randomness import seeded

# convolutions of the five stages, by the number of layers with weights
_VGG_STAGES = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def _vgg(depth: int) -> Callable[..., nn.Module]:
    widths = zip((64, 128, 256, 512, 512), _VGG_STAGES[depth], strict=True)
    stages = tuple((width,) * count for width, count in widths)
    return partial(VGG, stages, dense=(4096, 4096), pooled_size=7, is_normalized=False)


MODELS: dict[str, Callable[..., nn.Module]] = {
    "mlp": MLP,
    "tab_mlp": TabMLP,
    "residual_mlp": ResidualMLP,
    "highway_mlp": HighwayMLP,
    "densely_connected_mlp": DenselyConnectedMLP,
    "mlp_mixer": MLPMixer,
    "lru": LRUStack,
    "tcn": TCN,
    "gpt": GPT,
    "bert": BERT,
    "bert_classifier": BERTClassifier,
    "bert_tagger": BERTTagger,
    "bert_span_reader": BERTSpanReader,
    "bert_pretraining": BERTPretraining,
    "reward_model": RewardModel,
    "sentence_encoder": SentenceEncoder,
    "transformer": Transformer,
    "bag_of_embeddings": BagOfEmbeddings,
    "sequence_autoencoder": SequenceAutoencoder,
    "sequence_classifier": SequenceClassifier,
    "sequence_tagger": SequenceTagger,
    "skip_gram": SkipGram,
    "text_and_columns": TextAndColumns,
    "feature_tagger": FeatureTagger,
    "sequence_generator": SequenceGenerator,
    "seq2seq": Seq2Seq,
    "ctc": CTC,
    "forecaster": Forecaster,
    "recurrent_language_model": RecurrentLanguageModel,
    "image_encoder": ImageEncoder,
    "image_decoder": ImageDecoder,
    "lenet": LeNet,
    "alexnet": AlexNet,
    "fast_cnn": FastCNN,
    "vgg": VGG,
    **{f"vgg{depth}": _vgg(depth) for depth in _VGG_STAGES},
    "cifar_resnet": CifarResNet,
    **{f"resnet{depth}": partial(CifarResNet, depth) for depth in (20, 32, 44, 56, 110)},
    "resnet": ResNet,
    **{f"resnet{depth}": partial(ResNet, depth) for depth in (18, 34, 50, 101, 152)},
    "densenet": DenseNet,
    "densenet100": partial(DenseNet, 100, 12),
    "mobilenet": MobileNetV2,
    "unet": UNet,
    "time_mlp": TimeMLP,
    "time_unet": TimeUNet,
    "dcgan_generator": DCGANGenerator,
    "dcgan_discriminator": DCGANDiscriminator,
    "vit": ViT,
    "hybrid_vit": HybridViT,
    "deep_sets": DeepSets,
    "equivariant_deep_sets": EquivariantDeepSets,
    "pointnet": PointNet,
    "pointnet_segmenter": PointNetSegmenter,
    "gcn": GCN,
    "gat": GAT,
    "gatv2": GATv2,
    "graph_sage": GraphSAGE,
    "gin": GIN,
    "cheb_net": ChebNet,
    "sgc": SGC,
    "appnp": APPNP,
    "graph_classifier": GraphClassifier,
    "ntk_mlp": NTKMLP,
    "link_predictor": LinkPredictor,
    "pair_net": PairNet,
}


def _sequential(children: Mapping[str, nn.Module]) -> nn.Sequential:
    return nn.Sequential(OrderedDict(children))


# What a described model may hold besides models: Gradatim's layers and PyTorch's, by the name of their class.
_PUBLIC = (getattr(layers, name) for name in layers.__all__)
_LAYERS: dict[str, Callable[..., nn.Module]] = {
    part.__name__: part
    for part in _PUBLIC
    if isinstance(part, type) and issubclass(part, nn.Module)
}
_TORCH: dict[str, Callable[..., nn.Module]] = {
    **{part.__name__: part for part in layers.ACTIVATIONS.values()},
    **{
        part.__name__: part
        for part in (
            nn.Linear, nn.Embedding, nn.Conv1d, nn.Conv2d, nn.ConvTranspose2d, nn.MaxPool2d, nn.AvgPool2d,
            nn.AdaptiveAvgPool2d, nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm, nn.GroupNorm, nn.Dropout, nn.Flatten,
            nn.Softmax, nn.LogSoftmax,
        )
    },
    "Sequential": _sequential,
}  # fmt: skip
_BUILDERS = _TORCH | _LAYERS | MODELS
Beside = Mapping[str, Callable[..., nn.Module]]  # classes known to somebody else, by name
# Arguments by the names they had, for descriptions of an earlier version.
_RENAMED = {
    "out_dim": "output_dim",
    "in_dim": "input_dim",
    "num_tokens": "vocab_size",
    "source_tokens": "source_vocab_size",
    "target_tokens": "target_vocab_size",
    "source_size": "source_vocab_size",
    "target_size": "target_vocab_size",
}
_WHERE = ("device", "dtype")  # of PyTorch's layers: a description says what, not where


def _parameters(constructor: Callable[..., nn.Module]) -> Mapping[str, inspect.Parameter]:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {
        key: parameter
        for key, parameter in inspect.signature(constructor).parameters.items()
        if parameter.kind in named and key not in _WHERE and not key.startswith("_")
    }


def build(name: str, /, *args: Any, **arguments: Any) -> nn.Module:
    """Build the model called ``name`` with its own arguments; unknown ones are refused.

    >>> build("mlp", sizes=(2, 3, 1))[0]
    Linear(in_features=2, out_features=3, bias=True)
    """
    return _build("build", name, MODELS, *args, **arguments)


def _build(
    owner: str,
    name: str,
    known: Mapping[str, Callable[..., nn.Module]],
    *args: Any,
    **arguments: Any,
) -> nn.Module:
    constructor = known[choose(owner, "name", name, known)]
    signature = inspect.signature(constructor)
    for argument in arguments:
        choose(f"{owner}({name!r})", "argument", argument, signature.parameters)
    try:
        signature.bind(*args, **arguments)
    except TypeError as error:
        raise InvalidType(f"{owner}({name!r}): {error}. It takes {signature}.") from None
    return constructor(*args, **arguments)


def describe(model: nn.Module, *, beside: Beside | None = None) -> dict[str, Any]:
    """Return ``{"name", "arguments"}`` of a model, plain enough for JSON; modules that it was given are described too.

    Args:
        model: One of ``MODELS`` or a layer of :mod:`gradatim.nn`; PyTorch's usual layers may stand within.
        beside: Other classes by name, such as ``gradatim.generative.MODELS``, or of your own; each keeps its arguments
            as attributes of the same names.

    Example:
        >>> describe(build("mlp", (2, 3, 1), activation="tanh"))["arguments"]["activation"]
        'tanh'
        >>> describe(layers.DenseConnection(nn.Dropout(0.5)))["arguments"]
        {'layer': {'name': 'Dropout', 'arguments': {'p': 0.5, 'inplace': False}}}
    """
    beside = beside or {}
    names = {constructor: name for name, constructor in (_BUILDERS | dict(beside)).items()}
    name = names.get(type(model))
    if name not in _LAYERS and name not in MODELS and name not in beside:
        raise _stranger(model)
    return _describe(model, names)


def _stranger(model: nn.Module) -> InvalidType:
    return InvalidType(
        f"describe: model must be one of Gradatim's own ({', '.join(MODELS)}), got {type(model).__name__}. "
        "Save its state_dict instead."
    )


def _describe(model: nn.Module, names: Mapping[Any, str]) -> dict[str, Any]:
    if type(model) is nn.Sequential:
        children = _plain(dict(model.named_children()), names)
        return {"name": "Sequential", "arguments": {"children": children}}
    if type(model) not in names:
        raise _stranger(model)
    keys = _parameters(type(model))
    missing = next((key for key in keys if not hasattr(model, key)), None)
    if missing is not None:
        raise InvalidType(
            f"describe: {type(model).__name__} must keep its argument {missing} to be described, and does not. "
            "Save its state_dict instead."
        )
    arguments = {key: _plain(_argument(model, key), names) for key in keys}
    return {"name": names[type(model)], "arguments": arguments}


def _argument(model: nn.Module, key: str) -> object:
    """The value that ``model`` was built with.

    A part that was asked for by name has the argument's name, and its own stands beside it, as ``encoder_name``. A
    layer of PyTorch keeps its bias where it was told to have one.
    """
    value = getattr(model, f"{key}_name", None) or getattr(model, key)
    has_bias = key == "bias" and (value is None or isinstance(value, Tensor))
    return value is not None if has_bias else value


def _plain(value: Any, names: Mapping[Any, str]) -> Any:
    """What JSON can keep of an argument."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | nn.ModuleList):
        return [_plain(item, names) for item in value]
    if isinstance(value, Mapping | nn.ModuleDict):
        return {str(key): _plain(item, names) for key, item in value.items()}
    if isinstance(value, nn.Module):
        return _describe(value, names)
    if type(value) in KINDS.values():
        return cast(Tokenizer, value).describe()
    raise InvalidType(
        f"describe: arguments must be numbers, texts, modules or collections of them, got {value!r}. "
        "Build the model by names, such as cell='lstm'."
    )


def rebuild(
    description: Mapping[str, Any], *, seed: int = 0, beside: Beside | None = None
) -> nn.Module:
    """Build the model that :func:`describe` described; its weights mean nothing until :func:`load_weights`.

    Nobody's random numbers are used up.

    Args:
        description: What :func:`describe` returned, as JSON keeps it; one of an earlier version is read too.
        seed: Of the weights that it begins with.
        beside: Other classes by name, those that ``describe`` was given.

    Example:
        >>> rebuild(describe(layers.DenseConnection(nn.Linear(3, 2))))
        DenseConnection(
          (layer): Linear(in_features=3, out_features=2, bias=True)
        )
    """
    with seeded(seed):
        return _rebuild(description, _BUILDERS | dict(beside or {}))


def _rebuild(description: Mapping[str, Any], builders: Beside) -> nn.Module:
    name = choose("rebuild", "name", description["name"], builders)
    known = _parameters(builders[name])
    given = {
        key if key in known else _RENAMED.get(key, key): _given(value, builders)
        for key, value in description["arguments"].items()
    }
    return _build("rebuild", name, builders, **given)


def _given(value: Any, builders: Beside) -> Any:
    """The argument that :func:`_plain` has written."""
    if isinstance(value, list):
        return tuple(_given(item, builders) for item in value)
    if not isinstance(value, dict):
        return value
    if not isinstance(value.get("name"), str):  # of modules by name, one may be called "name"
        return {key: _given(item, builders) for key, item in value.items()}
    return _rebuild(value, builders) if "arguments" in value else rebuild_tokenizer(value)
