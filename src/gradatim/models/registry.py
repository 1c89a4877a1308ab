"""Build models by name, and describe them so that a JSON file can rebuild them."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from torch import nn

from gradatim.errors import InvalidType, choose
from gradatim.models.bag_of_embeddings import BagOfEmbeddings
from gradatim.models.bert import BERT
from gradatim.models.ctc import CTC
from gradatim.models.densely_connected_mlp import DenselyConnectedMLP
from gradatim.models.densenet import DenseNet
from gradatim.models.fast_cnn import FastCNN
from gradatim.models.forecaster import Forecaster
from gradatim.models.gpt import GPT
from gradatim.models.highway_mlp import HighwayMLP
from gradatim.models.hybrid_vit import HybridViT
from gradatim.models.lenet import LeNet
from gradatim.models.lru import LRUStack
from gradatim.models.mlp import MLP
from gradatim.models.mlp_mixer import MLPMixer
from gradatim.models.recurrent_language_model import RecurrentLanguageModel
from gradatim.models.residual_mlp import ResidualMLP
from gradatim.models.resnet import CifarResNet, ResNet
from gradatim.models.seq2seq import Seq2Seq
from gradatim.models.sequence_classifier import SequenceClassifier
from gradatim.models.sequence_generator import SequenceGenerator
from gradatim.models.sequence_tagger import SequenceTagger
from gradatim.models.transformer import Transformer
from gradatim.models.unet import UNet
from gradatim.models.vgg import VGG
from gradatim.models.vit import ViT

# convolutions of the five stages, by the number of layers with weights
_VGG_STAGES = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def _vgg(depth: int) -> Callable[..., nn.Module]:
    widths = zip((64, 128, 256, 512, 512), _VGG_STAGES[depth], strict=True)
    stages = tuple((width,) * count for width, count in widths)
    return partial(VGG, stages, dense=(4096, 4096), pooled_size=7, is_normalized=False)


MODELS: dict[str, Callable[..., nn.Module]] = {
    "mlp": MLP,
    "residual_mlp": ResidualMLP,
    "highway_mlp": HighwayMLP,
    "densely_connected_mlp": DenselyConnectedMLP,
    "mlp_mixer": MLPMixer,
    "lru": LRUStack,
    "gpt": GPT,
    "bert": BERT,
    "transformer": Transformer,
    "bag_of_embeddings": BagOfEmbeddings,
    "sequence_classifier": SequenceClassifier,
    "sequence_tagger": SequenceTagger,
    "sequence_generator": SequenceGenerator,
    "seq2seq": Seq2Seq,
    "ctc": CTC,
    "forecaster": Forecaster,
    "recurrent_language_model": RecurrentLanguageModel,
    "lenet": LeNet,
    "fast_cnn": FastCNN,
    "vgg": VGG,
    **{f"vgg{depth}": _vgg(depth) for depth in _VGG_STAGES},
    "cifar_resnet": CifarResNet,
    **{f"resnet{depth}": partial(CifarResNet, depth) for depth in (20, 32, 44, 56, 110)},
    "resnet": ResNet,
    **{f"resnet{depth}": partial(ResNet, depth) for depth in (18, 34, 50, 101, 152)},
    "densenet": DenseNet,
    "densenet100": partial(DenseNet, 100, 12),
    "unet": UNet,
    "vit": ViT,
    "hybrid_vit": HybridViT,
}


def build(name: str, /, *args: Any, **arguments: Any) -> nn.Module:
    """Build the model called ``name`` with its own arguments; unknown ones are refused.

    >>> build("mlp", sizes=(2, 3, 1))[0]
    Linear(in_features=2, out_features=3, bias=True)
    """
    constructor = MODELS[choose("build", "name", name, MODELS)]
    signature = inspect.signature(constructor)
    for argument in arguments:
        choose(f"build({name!r})", "argument", argument, signature.parameters)
    try:
        signature.bind(*args, **arguments)
    except TypeError as error:
        raise InvalidType(f"build({name!r}): {error}. It takes {signature}.") from None
    return constructor(*args, **arguments)


def describe(model: nn.Module) -> dict[str, Any]:
    """Return ``{"name", "arguments"}`` of a registered model, plain enough for JSON.

    >>> describe(build("mlp", (2, 3, 1), activation="tanh"))["arguments"]["activation"]
    'tanh'
    """
    for name, constructor in MODELS.items():
        if type(model) is constructor:
            keys = inspect.signature(constructor).parameters
            values = {key: getattr(model, key) for key in keys}
            return {
                "name": name,
                "arguments": {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()},
            }
    raise InvalidType(
        f"describe: model must be one of Gradatim's own ({', '.join(MODELS)}), got {type(model).__name__}. "
        "Save its state_dict instead."
    )


def rebuild(description: dict[str, Any]) -> nn.Module:
    """Build the model that :func:`describe` described, with fresh weights."""
    return build(description["name"], **description["arguments"])
