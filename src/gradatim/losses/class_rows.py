"""Where the classes of an output lie: along the last axis, or along the second."""

from torch import Tensor

from gradatim.errors import InvalidValue


def check_classes(owner: str, count: int) -> None:
    """Raise unless there are two classes to tell apart: of one, the softmax is 1 whatever the model says.

    >>> check_classes("cross_entropy", 1)
    Traceback (most recent call last):
    ...
    gradatim.errors.InvalidValue: cross_entropy: output must hold logits of at least 2 classes, got 1, whose loss is 0 \
whatever the model says. Try loss='mse' for numbers, 'bce' for two classes.
    """
    if count == 1:
        raise InvalidValue(
            f"{owner}: output must hold logits of at least 2 classes, got 1, whose loss is 0 whatever the model says. "
            "Try loss='mse' for numbers, 'bce' for two classes."
        )


def class_rows(owner: str, output: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Bring logits ``(B, ..., K)`` of class indices ``(B, ...)`` to rows; leave ``(B, K, ...)`` as PyTorch has them.

    Args:
        owner: Who asks.
        output: Logits.
        target: Class indices, or class probabilities of the output's shape, whose classes lie along the second axis.

    Example:
        >>> import torch
        >>> tokens = torch.zeros(2, 5, dtype=torch.long)
        >>> class_rows("loss", torch.zeros(2, 5, 7), tokens)[0].shape
        torch.Size([10, 7])
        >>> class_rows("loss", torch.zeros(2, 7, 5), tokens)[0].shape
        torch.Size([2, 7, 5])
    """
    if output.ndim == 2:
        check_classes(owner, output.shape[1])
        return output, target
    if output.ndim > 2 and output.shape[:-1] == target.shape:
        if output.shape[:1] + output.shape[2:] == target.shape:
            raise InvalidValue(
                f"{owner}: output must show which axis holds the classes, got {tuple(output.shape)} for targets "
                f"{tuple(target.shape)}, where it may be the second or the last. "
                "Try token_cross_entropy for the last, nn.CrossEntropyLoss() for the second."
            )
        output, target = output.flatten(0, -2), target.flatten()
    check_classes(owner, output.shape[min(1, output.ndim - 1)])
    return output, target
