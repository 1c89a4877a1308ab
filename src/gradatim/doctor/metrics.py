"""What a program computes from outputs: predictions, hits, losses by hand, and dropout as a function."""

import sys
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from gradatim.doctor.facts import Place
from gradatim.doctor.places import is_library, user_place

if TYPE_CHECKING:
    from gradatim.doctor.observing import Observer


class Metrics:
    """Stands around ``argmax``, ``max``, ``eq``, ``mean`` and ``dropout``.

    Args:
        observer: Who is told.
    """

    def __init__(self, observer: "Observer") -> None:
        self.observer = observer

    def dropped(self, original: Any, *arguments: Any, **named: Any) -> Any:
        """Dropout as a function is active unless it is told otherwise."""
        if not torch.is_grad_enabled() and len(arguments) < 3 and "training" not in named:
            frame = sys._getframe(2)
            owner = frame.f_locals.get("self")
            if isinstance(owner, nn.Module) and not owner.training and not is_library(frame.f_code.co_filename):  # fmt: skip
                self.observer.evaluations.dropped = Place(frame.f_code.co_filename, frame.f_lineno)
        return original(*arguments, **named)

    def averaged(self, original: Any, *arguments: Any, **named: Any) -> Any:
        result = original(*arguments, **named)
        if not torch.is_grad_enabled() and arguments and isinstance(result, Tensor) and result.dim() == 0:  # fmt: skip
            values, observer = arguments[0], self.observer
            if isinstance(values, Tensor) and values.dim() and not is_library(sys._getframe(2).f_code.co_filename):  # fmt: skip
                observer.safely("losses by hand", observer.evaluations.by_hand, values, result, observer.steps)  # fmt: skip
        return result

    def argmax(self, original: Any, *arguments: Any, **named: Any) -> Any:
        value = arguments[0] if arguments else None
        if isinstance(value, Tensor) and value.dim() >= 1 and value.numel() > 1:
            frame = sys._getframe(2)
            if not is_library(frame.f_code.co_filename):
                self.observer.safely("metrics", self._column, original, value, arguments, named)
        return original(*arguments, **named)

    def _column(self, original: Any, value: Tensor, arguments: Any, named: Any) -> None:
        observer = self.observer
        dim = named.get("dim", arguments[1] if len(arguments) > 1 else None)
        if not isinstance(dim, int):
            return
        if not torch.is_grad_enabled():
            observer.evaluations.judge(observer.steps)
        if value.dim() >= 2 and value.shape[dim] == 1 and value.dtype.is_floating_point and value.shape[0] > 1:  # fmt: skip
            observer.count("argmax-of-one", True, user_place())
        elif value.dim() == 2 and value.dtype.is_floating_point:
            observer.count("compared-as-classes", True, user_place())

    def equal(self, original: Any, *arguments: Any, **named: Any) -> Any:
        result = original(*arguments, **named)
        if isinstance(result, Tensor) and result.dim() >= 1 and result.numel() > 1 and len(arguments) == 2:  # fmt: skip
            other = arguments[1]
            if isinstance(other, Tensor) and other.dim() and not is_library(sys._getframe(2).f_code.co_filename):  # fmt: skip
                self.observer.safely("metrics", self._pairs, arguments[0], other, result)
        return result

    def _pairs(self, one: Tensor, other: Tensor, result: Tensor) -> None:
        observer = self.observer
        if not torch.is_grad_enabled():
            observer.evaluations.judge(observer.steps)
        shapes = sorted([tuple(one.shape), tuple(other.shape)], key=len)
        n = result.shape[0]
        same = one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()
        if n > 1 and shapes == [(n,), (n, 1)] and not same:
            observer.count("compared-shapes", True, user_place())
        elif one.shape == other.shape and one.dim() <= 2:
            hits = float(result.float().mean()) if result.device.type == "cpu" else 1.0
            observer.count("compared-as-classes", True, user_place(), None, hits=hits)
