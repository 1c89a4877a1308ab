"""Stored weights meet a model: checked first, loaded then."""

from collections.abc import Mapping

from torch import Tensor, nn

from gradatim.errors import InvalidValue


def check_weights(owner: str, model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Raise, naming the first differences, unless ``weights`` fit ``model`` exactly.

    Args:
        owner: Who asks, for the message.
        model: What they are for.
        weights: Tensors by name, as in ``state_dict``.

    Example:
        >>> check_weights("load", nn.Linear(2, 1), nn.Linear(3, 1).state_dict())
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: load: weights must fit the model, got weight (1, 3) instead of (1, 2). Build the model that was saved.
    """
    own = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    given = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    if own == given:
        return
    differences = [
        f"{name} {given.get(name, 'missing')} instead of {own.get(name, 'nothing')}"
        for name in dict.fromkeys([*own, *given])
        if own.get(name) != given.get(name)
    ]
    more = f" and {len(differences) - 3} more" if len(differences) > 3 else ""
    raise InvalidValue(
        f"{owner}: weights must fit the model, got {'; '.join(differences[:3])}{more}. "
        "Build the model that was saved."
    )


def load_weights(owner: str, model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Give ``model`` stored weights, or raise one sentence that says where they differ and change nothing.

    Args:
        owner: Who asks, for the message.
        model: What they are for, such as :func:`~gradatim.models.rebuild` makes.
        weights: Tensors by name, as in ``state_dict``.

    Example:
        >>> model = nn.Linear(1, 1)
        >>> load_weights("load", model, {"weight": Tensor([[2.0]]), "bias": Tensor([1.0])})
        >>> model(Tensor([[3.0]])).tolist()
        [[7.0]]
    """
    check_weights(owner, model, weights)
    model.load_state_dict(dict(weights))
