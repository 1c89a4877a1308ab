"""Is a gradient right? Compare it with differences and say where it is worst."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from gradatim.backprop.finite_differences import Differences, central_differences
from gradatim.backprop.scalar_function import ScalarFunction, scalar_function
from gradatim.errors import InvalidValue


@dataclass(frozen=True)
class Entry:
    """One entry of one input: its gradient twice, and how far the two are apart."""

    name: str
    index: tuple[int, ...]
    analytic: float
    numeric: float
    relative_error: float

    def __str__(self) -> str:
        place = self.name + (str(list(self.index)) if self.index else "")
        return (
            f"{place}: gradient {self.analytic:.6g}, differences {self.numeric:.6g}, "
            f"relative error {self.relative_error:.1e}"
        )


@dataclass(frozen=True, repr=False)
class GradientCheck:
    """Verdict of :func:`check_gradients`; true where the gradient is right.

    Args:
        checked: Entries compared, by name of input or parameter.
        wrong: Entries whose relative error exceeds ``tol``, worst first.
        kinks: Entries at a kink, where the derivative jumps. There a gradient counts as right anywhere
            between the slopes of the two sides.
        worst: The entry with the largest relative error; ``None`` if nothing was compared.
        size: How many entries the inputs and parameters have in all.
        tol: Largest relative error that counts as right.
        is_batched: Whether differences were evaluated in batches; some functions allow only one by one.
    """

    checked: dict[str, int]
    wrong: list[Entry]
    kinks: list[Entry]
    worst: Entry | None
    size: int
    tol: float
    is_batched: bool

    @property
    def is_correct(self) -> bool:
        """Whether no entry is wrong."""
        return not self.wrong

    def __bool__(self) -> bool:
        return self.is_correct

    def __repr__(self) -> str:
        count = sum(self.checked.values())
        of = f" of {self.size}" if count < self.size else ""
        verdict = "right" if self.is_correct else f"WRONG in {len(self.wrong)}"
        lines = [f"Gradient {verdict}; {count}{of} entries compared."]
        if self.worst:
            lines.append(f"Worst is {self.worst}")
        if self.kinks:
            places = ", ".join(f"{e.name}{list(e.index)}" for e in self.kinks[:3])
            lines.append(f"{len(self.kinks)} at a kink, where the derivative jumps: {places}")
        return "\n".join(lines)


def check_gradients(
    f: Callable[..., Tensor] | nn.Module,
    inputs: Tensor | Sequence[Tensor] | Mapping[str, Tensor],
    *,
    gradients: Tensor | Sequence[Tensor] | Mapping[str, Tensor] | None = None,
    tol: float = 1e-5,
    max_entries: int = 1000,
    seed: int = 0,
) -> GradientCheck:
    r"""Compare a gradient with central differences in float64, entry by entry.

    .. math::
        e_j = \frac{|g_j - d_j|}{\max(|g_j|, |d_j|, \text{floor})}, \qquad
        d_j = \frac{E(x + h e_j) - E(x - h e_j)}{2h}

    The floor keeps rounding noise in :math:`d_j` from counting as an error where the gradient is nearly
    zero. A function with several outputs is checked through :math:`E=\sum_i v_i f_i` with
    random :math:`v`, which a wrong Jacobian passes with probability zero. Functions with random numbers
    see the same numbers in every evaluation; a module is checked on a copy.

    Args:
        f: Function of tensors, or a module, whose parameters are then checked as well, by name.
        inputs: Arguments of ``f``: one tensor, several, or a mapping of argument names to tensors.
            Floating ones are checked and reach ``f`` as float64; others are passed on as they are.
        gradients: The gradient to check, in the form of ``inputs`` or as a mapping by name, of an ``f``
            with one output. By default autograd's own, which checks a hand-written
            ``torch.autograd.Function``.
        tol: Largest relative error that counts as right.
        max_entries: Entries to compare in each input and parameter; larger ones are sampled.
        seed: For the sampling and for :math:`v`.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> check_gradients(lambda x: (x**3).sum(), x, gradients=3 * x**2).is_correct
        True
        >>> check_gradients(lambda x: (x**3).sum(), x, gradients=torch.tensor([3.0, 6.0]))
        Gradient WRONG in 1; 2 entries compared.
        Worst is x[1]: gradient 6, differences 12, relative error 5.0e-01
    """
    if tol <= 0 or max_entries < 1:
        raise InvalidValue(
            f"check_gradients: tol and max_entries must be positive, got {tol} and {max_entries}."
        )
    function = scalar_function(f, inputs, seed=seed)
    analytic = function.gradients() if gradients is None else function.given(gradients)
    scale = _scale(function, analytic)
    generator = torch.Generator().manual_seed(seed)
    entries: list[Entry] = []
    wrong: list[Entry] = []
    kinks: list[Entry] = []
    for name, gradient in analytic.items():
        chosen = torch.randperm(gradient.numel(), generator=generator)[:max_entries].sort().values
        chosen = chosen.to(gradient.device)
        evaluate = partial(function.evaluate, name)
        slopes = central_differences(evaluate, function.variables[name], chosen, scale=scale)
        error = _relative_error(gradient.flatten()[chosen], slopes, tol)
        found = _entries(name, gradient, chosen, slopes, error)
        entries += found
        wrong += [entry for entry in found if not entry.relative_error <= tol]
        kinks += [entry for entry, kink in zip(found, slopes.is_kink.tolist(), strict=True) if kink]
    return GradientCheck(
        checked={name: min(max_entries, g.numel()) for name, g in analytic.items()},
        wrong=sorted(wrong, key=lambda entry: -entry.relative_error),
        kinks=kinks,
        worst=max(entries, key=lambda entry: entry.relative_error, default=None),
        size=sum(g.numel() for g in analytic.values()),
        tol=tol,
        is_batched=function.is_batched,
    )


def _scale(function: ScalarFunction, analytic: dict[str, Tensor]) -> float:
    """Size of the terms in :math:`E`: its outputs, and what each entry contributes to first order."""
    terms = [
        float((function.variables[n] * g).abs().amax()) for n, g in analytic.items() if g.numel()
    ]
    return max([function.scale, *(term for term in terms if math.isfinite(term))])


def _relative_error(gradient: Tensor, slopes: Differences, tol: float) -> Tensor:
    low, high = torch.minimum(slopes.left, slopes.right), torch.maximum(slopes.left, slopes.right)
    nearest = torch.where(slopes.is_kink, torch.clamp(gradient, low, high), slopes.central)
    size = torch.maximum(gradient.abs(), nearest.abs())
    error = (gradient - nearest).abs() / torch.maximum(size, slopes.noise / tol)
    return torch.where(gradient == nearest, 0.0, error).nan_to_num(nan=math.inf)


def _entries(
    name: str, gradient: Tensor, chosen: Tensor, slopes: Differences, error: Tensor
) -> list[Entry]:
    indices = (
        torch.stack(torch.unravel_index(chosen, gradient.shape), dim=1) if gradient.ndim else None
    )
    places: list[Any] = [tuple(i) for i in indices.tolist()] if indices is not None else [()]
    columns = (gradient.flatten()[chosen].tolist(), slopes.central.tolist(), error.tolist())
    return [Entry(name, *row) for row in zip(places, *columns, strict=True)]
