"""Networks of photographs with published weights: MobileNetV2 from the catalogue, and files under torchvision's names."""

import pickle
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gradatim.data.entries import find, require_cached
from gradatim.errors import GradatimError, InvalidValue
from gradatim.files import check_regular, load_tree, or_unavailable, save_tree
from gradatim.models.mobilenet import STAGES, MobileNetV2
from gradatim.models.published import counters
from gradatim.models.resnet import FORMS, BasicBlock, ResNet
from gradatim.models.weights import load_weights

MOBILENET = "mobilenet"
KNOWN = "MobileNetV2 or a ResNet of 18, 34, 50, 101 or 152 layers"
_CONVERTED = "mobilenet_v2.safetensors"
_WEIGHTS = "mobilenet_v2-b0353104.pth"
_SAFE = ".safetensors"

Weights = dict[str, Tensor]


def load_image_network(path: str | Path) -> MobileNetV2 | ResNet:
    """Read a network of images from a file of weights with torchvision's names; nothing in the file can run code.

    Which network it is follows from the names and shapes in the file. Its images ``(B, 3, H, W)`` have values in [0, 1],
    from which the means (0.485, 0.456, 0.406) of the channels are taken, then divided by (0.229, 0.224, 0.225).

    Args:
        path: ``.safetensors``, or ``.pth`` as PyTorch's ``save`` writes a ``state_dict``.

    Returns:
        The network, in evaluation mode.

    Example:
        >>> model = load_image_network("resnet18-f37072fd.pth")  # doctest: +SKIP
    """
    return _assemble(_read(Path(path)), str(path))


def published_mobilenet() -> MobileNetV2:
    """Load MobileNetV2 as it was trained on ImageNet: photographs to 1,000 classes.

    The file comes into the cache by ``gradatim data get mobilenet``; it is read as tensors only, and once.

    Returns:
        The network, in evaluation mode, for images as :func:`load_image_network` describes them.

    Example:
        >>> published_mobilenet()(torch.zeros(1, 3, 224, 224)).shape  # doctest: +SKIP
        torch.Size([1, 1000])

    Reference:
        Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks, 2018.
    """
    require_cached("published_mobilenet", MOBILENET)
    entry = find("published_mobilenet", MOBILENET)
    converted = entry.path(_CONVERTED)
    try:
        weights = load_tree(converted, kind="weights")
    except GradatimError:  # not there yet, or damaged
        weights = {name: tensor.clone() for name, tensor in _read(entry.path(_WEIGHTS)).items()}
        converted.unlink(missing_ok=True)
        save_tree(converted, weights, kind="weights")
    network = _assemble(weights, str(converted))
    assert isinstance(network, MobileNetV2)
    return network


def mobilenet_names() -> dict[str, str]:
    """For each part of a :class:`MobileNetV2` with weights, its name in torchvision's files.

    Example:
        >>> names = mobilenet_names()
        >>> names["stage2.0.filter.bn"], names["readout"]
        ('features.2.conv.1.1', 'classifier.1')
    """
    names: dict[str, str] = {}
    place = 0
    for own, their in (("stem", "features.0"), ("last", "features.18")):
        names |= {f"{own}.conv": f"{their}.0", f"{own}.bn": f"{their}.1"}
    for k, (factor, _, count, _) in enumerate(STAGES, 1):
        for block in range(count):
            place += 1
            own, their = f"stage{k}.{block}", f"features.{place}.conv"
            units = ["filter"] if factor == 1 else ["widen", "filter"]
            for at, unit in enumerate(units):
                names |= {f"{own}.{unit}.{part}": f"{their}.{at}.{n}" for n, part in enumerate(("conv", "bn"))}  # fmt: skip
            names |= {f"{own}.narrow.conv": f"{their}.{len(units)}", f"{own}.narrow.bn": f"{their}.{len(units) + 1}"}  # fmt: skip
    return names | {"readout": "classifier.1"}


def resnet_names(model: ResNet) -> dict[str, str]:
    """For each part of a :class:`ResNet` with weights, its name in torchvision's files.

    Args:
        model: The network.

    Example:
        >>> resnet_names(ResNet(18, 2))["stage2.0.shortcut.1"]
        'layer2.0.downsample.1'
    """
    own = dict.fromkeys(name.rpartition(".")[0] for name in model.state_dict())
    ends = {"conv": "conv1", "bn": "bn1", "readout": "fc"}
    return {name: ends.get(name, name.replace("stage", "layer").replace("shortcut", "downsample")) for name in own}  # fmt: skip


def _read(path: Path) -> Weights:
    """Tensors by name, whatever wraps them; ``module.`` of several devices is taken off."""
    place = f"load_image_network: {str(path)!r}"
    with or_unavailable(f"{place} cannot be read"):
        check_regular(path)
        content = _load(path, place)
    for wrapped in ("state_dict", "model"):
        if isinstance(content, Mapping) and isinstance(content.get(wrapped), Mapping):
            content = content[wrapped]
    if not isinstance(content, Mapping) or not all(isinstance(t, Tensor) for t in content.values()):
        raise InvalidValue(f"{place} must hold tensors by name, a state_dict, and does not.")
    return {str(name).removeprefix("module."): tensor for name, tensor in content.items()}


def _load(path: Path, place: str) -> Any:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        if path.suffix == _SAFE:
            return load_file(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of formats that end in an error anyway
            return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise InvalidValue(f"{place} must hold tensors alone, and asks for other code, which is not run.") from error  # fmt: skip
    except (SafetensorError, RuntimeError, EOFError, ValueError, LookupError, TypeError, AttributeError) as error:  # fmt: skip
        raise InvalidValue(f"{place} must be a file of weights (.pth, .safetensors), and is damaged or another file.") from error  # fmt: skip


def _assemble(tensors: Mapping[str, Tensor], place: str) -> MobileNetV2 | ResNet:
    """The network that tensors are for, with them."""
    is_finite = all(t.isfinite().all() for t in tensors.values() if t.is_floating_point())
    if not is_finite:
        raise InvalidValue(f"load_image_network: the weights in {place!r} must be finite, and are not.")  # fmt: skip
    model = _recognize(tensors, place)
    names = resnet_names(model) if isinstance(model, ResNet) else mobilenet_names()
    state = {}
    for name in model.state_dict():
        part, _, kind = name.rpartition(".")
        found = tensors.get(f"{names[part]}.{kind}")
        if found is not None:
            state[name] = found.float() if found.is_floating_point() else found
    load_weights("load_image_network", model, counters(model) | state)
    return model.eval()


def _recognize(tensors: Mapping[str, Tensor], place: str) -> MobileNetV2 | ResNet:
    """An empty network of the size that tensors have, found by their names."""
    if "features.18.0.weight" in tensors and "classifier.1.weight" in tensors:
        return MobileNetV2(len(tensors["classifier.1.weight"]))
    stages = [{name.split(".")[1] for name in tensors if name.startswith(f"layer{k}.")} for k in range(1, 5)]  # fmt: skip
    has_bottlenecks = "layer1.0.conv3.weight" in tensors
    for depth, (block, counts) in FORMS.items():
        is_same = tuple(map(len, stages)) == counts and (block is BasicBlock) != has_bottlenecks
        if is_same and "fc.weight" in tensors and "conv1.weight" in tensors:
            return ResNet(depth, len(tensors["fc.weight"]), in_channels=tensors["conv1.weight"].shape[1])  # fmt: skip
    shown = ", ".join(map(repr, list(tensors)[:3])) or "none"
    raise InvalidValue(f"load_image_network: {place!r} must hold the weights of {KNOWN}, got tensors such as {shown}.")  # fmt: skip
