"""Where a NaN comes from: the step again, operation by operation, up to the first that makes one from finite numbers."""

import math
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from gradatim.doctor.calls import tensors
from gradatim.doctor.nodes import line_of
from gradatim.doctor.places import user_place

if TYPE_CHECKING:
    from gradatim.doctor.trying import Trial

HARMLESS = {"empty", "empty_like", "new_empty", "empty_strided", "full", "full_like", "masked_fill", "masked_fill_", "where", "fill_", "scalar_tensor", "new_full", "new_empty_strided", "lift_fresh", "_local_scalar_dense", "isnan", "isfinite"}  # fmt: skip


class Tracer:
    """Watches the steps from ``at`` on.

    Args:
        trial: What it reports to.
        at: Step in which the loss is not finite; its operations and those of the step before are looked at.
    """

    def __init__(self, trial: "Trial", at: int) -> None:
        self.trial, self.at = trial, at
        self.mode: _Mode | None = None
        self.round(0)

    def round(self, steps: int) -> None:
        """A step is over."""
        if self.mode is None and steps >= self.at - 1:
            self.mode = _Mode(self.trial, self.at)
            self.mode.__enter__()
            torch.set_anomaly_enabled(
                True, False
            )  # backward operations get the lines of their forward


class _Mode(TorchDispatchMode):
    def __init__(self, trial: "Trial", at: int) -> None:
        super().__init__()
        self.trial, self.at = trial, at
        self.made: set[int] = (
            set()
        )  # storages of results: what holds them is no input of the user's

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        name = function.overloadpacket.__name__
        given = [t for t in tensors([args, kwargs or {}]) if t.dtype.is_floating_point]
        if name not in HARMLESS and not _finite(result):
            arises = _has_nan(result) and not any(
                _has_nan(t) for t in given
            )  # of infinity, as where all is masked
            if arises or all(_finite(t) for t in given) or "data" in name:
                largest = max((float(t.detach().abs().nan_to_num(posinf=0.0).max()) for t in given if t.numel()), default=0.0)  # fmt: skip
                self._tell(name, largest if math.isfinite(largest) else 0.0, "finite")
            elif self.at > 0 and any(_is_input(t) and _key(t) not in self.made for t in given):
                self._tell(name, 0.0, "input")
        self.made.update(_key(t) for t in tensors(result) if t.dtype.is_floating_point)
        return result

    def _tell(self, name: str, largest: float, kind: str) -> None:
        node = torch._C._current_autograd_node()
        place = user_place()
        if node is not None and (forward := line_of(node)[0]).line is not None:
            place = forward
        self.trial.end(
            "traced", operation=name.strip("_"), file=place.file, line=place.line, largest=largest, kind=kind,
            way="backward" if node is not None else "forward",
        )  # fmt: skip


def _finite(value: Any) -> bool:
    return all(bool(torch.isfinite(t).all()) for t in tensors(value) if t.dtype.is_floating_point)


def _has_nan(value: Any) -> bool:
    return any(bool(torch.isnan(t).any()) for t in tensors(value) if t.dtype.is_floating_point)


def _key(value: Tensor) -> int:
    return value.untyped_storage().data_ptr()


def _is_input(value: Tensor) -> bool:
    return not value.requires_grad and value.grad_fn is None and not _finite(value)
