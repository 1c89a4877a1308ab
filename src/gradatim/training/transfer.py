"""Transfer learning: keep what a network knows, change what it says."""

from typing import Any, TypeVar

from torch import nn

from gradatim.errors import choose, require, require_whole
from gradatim.optim import decay_groups
from gradatim.randomness import seeded

Model = TypeVar("Model", bound=nn.Module)


def freeze(model: Model, *names: str, statistics: bool = False) -> Model:
    """Stop the parameters of some parts, or of all, from learning, in place.

    Batch normalization in a frozen part keeps its gain and shift. Its running averages still follow the data while the model
    trains, unless ``statistics`` keeps them: then it scales by them in training too, as few images of another kind would
    spoil what many have told.

    Args:
        model: The network.
        names: Names of its parts, such as ``"trunk"`` or ``"0"``; none for the whole.
        statistics: Whether batch normalization keeps its running averages, and uses them, whatever mode the model is in.

    Example:
        >>> model = freeze(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)), "0")
        >>> [parameter.requires_grad for parameter in model.parameters()]
        [False, False, True, True]
    """
    for part in _parts(model, names, "freeze"):
        part.requires_grad_(False)
        for norm in _norms(part) if statistics else []:
            if not _holds_of(norm):
                norm.register_forward_pre_hook(_hold_statistics)
    return model


def unfreeze(model: Model, *names: str, statistics: bool = False) -> Model:
    """Let the parameters of some parts, or of all, learn again, in place.

    Args:
        model: The network.
        names: Names of its parts; none for the whole.
        statistics: Whether running averages that were kept follow the data again too.

    Example:
        >>> model = unfreeze(freeze(nn.Linear(2, 1)))
        >>> all(parameter.requires_grad for parameter in model.parameters())
        True
    """
    for part in _parts(model, names, "unfreeze"):
        part.requires_grad_(True)
        for norm in _norms(part) if statistics else []:
            for key in _holds_of(norm):
                del norm._forward_pre_hooks[key]
                norm.train(model.training)
    return model


def _parts(model: nn.Module, names: tuple[str, ...], owner: str) -> list[nn.Module]:
    parts = dict(model.named_modules())
    return [parts[choose(owner, "names", name, parts)] for name in names or ("",)]


def _norms(part: nn.Module) -> list[nn.Module]:
    """What keeps running averages."""
    kinds = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
    return [norm for norm in part.modules() if isinstance(norm, kinds)]


def _hold_statistics(norm: nn.Module, inputs: object) -> None:
    """Use running averages, whatever mode the model was set to before this pass."""
    norm.training = False


def _holds_of(norm: nn.Module) -> list[int]:
    return [key for key, hook in norm._forward_pre_hooks.items() if hook is _hold_statistics]


def replace_head(model: Model, output_dim: int, *, name: str | None = None, seed: int = 0) -> Model:
    """Give a network a fresh last layer, in place.

    Args:
        model: The network.
        output_dim: Outputs of the new layer.
        name: Name of the layer to replace; by default the last dense one.
        seed: Seed of its weights.

    Example:
        >>> from gradatim.models import MLP
        >>> replace_head(MLP((64, 32, 10)), 4)[-1]
        Linear(in_features=32, out_features=4, bias=True)
    """
    require_whole("replace_head", output_dim=output_dim)
    layers = {key: layer for key, layer in model.named_modules() if isinstance(layer, nn.Linear)}
    rule = "replace_head: model must contain a dense layer"
    got = f"none within {type(model).__name__}"
    require(layers and "" not in layers, rule, got, "Put it into nn.Sequential.")
    chosen = list(layers)[-1] if name is None else choose("replace_head", "name", name, layers)
    old = layers[chosen]
    with seeded(seed):
        new = nn.Linear(old.in_features, output_dim, bias=old.bias is not None)
    parent, _, own = chosen.rpartition(".")
    setattr(model.get_submodule(parent), own, new.to(old.weight))
    sizes = getattr(model, "sizes", None)
    if name is None and isinstance(sizes, tuple):
        model.sizes = (*sizes[:-1], output_dim)  # type: ignore[assignment]  # a saved model is rebuilt from it
    if name is None and isinstance(getattr(model, "num_classes", None), int):
        model.num_classes = output_dim  # type: ignore[assignment]
    return model


def layerwise_groups(
    model: nn.Module, lr: float, *, decay: float = 0.8, weight_decay: float = 0.0
) -> list[dict[str, Any]]:
    r"""Parameter groups whose learning rates fall from the last part of a network to the first.

    .. math:: \eta_\ell = \eta\,\rho^{L-\ell}

    Pass them to any PyTorch optimizer, and that to the trainer, whose schedule scales all of them.

    Args:
        model: The network; its direct parts that learn are the layers, in order.
        lr: :math:`\eta` of the last one.
        decay: :math:`\rho`.
        weight_decay: Penalty on weights; biases and gains are left out.

    Example:
        >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
        >>> [group["lr"] for group in layerwise_groups(model, 0.1, decay=0.5)]
        [0.05, 0.1]
    """
    require(0.0 < decay <= 1.0, "layerwise_groups: decay must be in (0, 1]", decay, "Try 0.8.")
    parts = [part for part in model.children() if any(p.requires_grad for p in part.parameters())]
    require(parts, "layerwise_groups: model must have a part that learns", "none")
    return [
        {**group, "lr": lr * decay ** (len(parts) - place)}
        for place, part in enumerate(parts, 1)
        for group in decay_groups(part, weight_decay)
    ]
