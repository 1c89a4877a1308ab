"""How accurate a classifier remains under attack, and how far its samples are from an error."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from gradatim.errors import require
from gradatim.robust.linearization import deepfool
from gradatim.robust.norms import Norm, read_norm
from gradatim.robust.victim import Bounds, check_eps, class_scores, read_labels, under_attack

Attack = Callable[[nn.Module, Tensor, Tensor], Tensor]


class SizedAttack(Protocol):
    """An attack whose budget can be set, such as ``fgsm`` or ``functools.partial(pgd, steps=20)``."""

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, *, eps: float) -> Tensor: ...


class RobustnessCurve(NamedTuple):
    """Accuracy by budget.

    Args:
        epsilons: Budgets in ascending order, shape ``(E,)``.
        accuracy: Share of samples that no budget up to this one could turn, shape ``(E,)``.
    """

    epsilons: Tensor
    accuracy: Tensor


def robust_accuracy(
    model: nn.Module, data: tuple[object, object], attack: Attack, *, batch_size: int = 256
) -> float:
    """Share of samples that the model gets right as they are and after the attack.

    Args:
        model: A classifier; it is left as it was.
        data: Inputs and classes, as tensors or arrays.
        attack: Function ``(model, x, y) -> x'``, such as ``functools.partial(pgd, eps=0.1, early_exit=True)``.
            Samples that are wrong anyway are not attacked.
        batch_size: Samples at once.

    Example:
        >>> from functools import partial
        >>> from gradatim.robust import fgsm
        >>> model = nn.Linear(1, 1)
        >>> model.weight.data, model.bias.data = torch.ones(1, 1), torch.zeros(1)
        >>> X, y = torch.tensor([[-0.2], [0.2], [0.6], [0.7]]), torch.tensor([0, 1, 1, 0])
        >>> robust_accuracy(model, (X, y), partial(fgsm, eps=0.3))
        0.25
    """
    right = total = 0
    for x, y in _batches("robust_accuracy", model, data, batch_size):
        kept = _right(model, x, y)
        total += len(x)
        if kept.any():
            x, y = x[kept], y[kept]
            right += int(_right(model, attack(model, x, y), y).sum())
    return right / total


def robustness_curve(
    model: nn.Module,
    data: tuple[object, object],
    attack: SizedAttack,
    epsilons: Sequence[float],
    *,
    batch_size: int = 256,
) -> RobustnessCurve:
    """Measure the accuracy under attacks of growing budgets.

    What turned a sample within a small budget also does within a larger one, so that only samples still
    right are attacked again, and the curve never rises.

    Args:
        model: A classifier; it is left as it was.
        data: Inputs and classes, as tensors or arrays.
        attack: Called as ``attack(model, x, y, eps=eps)``.
        epsilons: Budgets; 0 gives the clean accuracy.
        batch_size: Samples at once.

    Example:
        >>> from gradatim.robust import fgsm
        >>> model = nn.Linear(1, 1)
        >>> model.weight.data, model.bias.data = torch.ones(1, 1), torch.zeros(1)
        >>> X, y = torch.tensor([[-0.2], [0.2], [0.6], [0.7]]), torch.tensor([0, 1, 1, 0])
        >>> robustness_curve(model, (X, y), fgsm, [0.0, 0.3, 0.65]).accuracy
        tensor([0.7500, 0.2500, 0.0000])
    """
    budgets = sorted(check_eps("robustness_curve", eps) for eps in epsilons)
    right, total = [0] * len(budgets), 0
    for x, y in _batches("robustness_curve", model, data, batch_size):
        total += len(x)
        kept = _right(model, x, y)
        for index, eps in enumerate(budgets):
            x, y = x[kept], y[kept]
            if not len(x):
                break
            kept = _right(model, attack(model, x, y, eps=eps), y)
            right[index] += int(kept.sum())
    return RobustnessCurve(torch.tensor(budgets), torch.tensor(right) / total)


def minimal_distances(
    model: nn.Module,
    data: tuple[object, object],
    *,
    norm: Norm = 2,
    bounds: Bounds | None = None,
    batch_size: int = 256,
) -> Tensor:
    """Distance from every sample to an error, as :func:`deepfool` finds it.

    Args:
        model: A classifier; it is left as it was.
        data: Inputs and classes, as tensors or arrays.
        norm: 1, 2 or ``"inf"``.
        bounds: Least and largest value of an entry.
        batch_size: Samples at once.

    Returns:
        Shape ``(N,)``: 0 where the model is wrong already, infinite where nothing was found.

    Example:
        >>> model = nn.Linear(2, 1)
        >>> model.weight.data, model.bias.data = torch.tensor([[3.0, 4.0]]), torch.tensor([-5.0])
        >>> X, y = torch.zeros(2, 2), torch.tensor([0, 1])
        >>> minimal_distances(model, (X, y))
        tensor([1.0200, 0.0000])
    """
    p = read_norm("minimal_distances", norm)
    found = []
    for x, y in _batches("minimal_distances", model, data, batch_size):
        kept = _right(model, x, y)
        sizes = x.new_zeros(len(x))
        if kept.any():
            perturbed = deepfool(model, x[kept], norm=p, bounds=bounds)
            size = torch.linalg.vector_norm((perturbed - x[kept]).flatten(1), ord=p, dim=1)
            sizes[kept] = torch.where(_right(model, perturbed, y[kept]), torch.inf, size)
        found.append(sizes)
    return torch.cat(found)


def _batches(
    owner: str, model: nn.Module, data: tuple[object, object], batch_size: int
) -> Iterator[tuple[Tensor, Tensor]]:
    device = next((parameter.device for parameter in model.parameters()), None)
    X, y = (torch.as_tensor(part) for part in data)
    require(len(X), f"{owner}: data must hold at least one sample", "none")
    y = read_labels(owner, X, y)
    for x, labels in zip(X.split(batch_size), y.split(batch_size), strict=True):
        yield x.to(device), labels.to(device)


def _right(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    with under_attack(model), torch.no_grad():
        return class_scores("robust_accuracy", model, x).argmax(1) == y
