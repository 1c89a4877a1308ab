"""What takes tensors out of the graph: ``detach``, ``item``, ``numpy`` and the like, in the first steps."""

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from gradatim.doctor.facts import Place
from gradatim.doctor.patching import Patches
from gradatim.doctor.places import is_library, user_frame

DETACHING = ("detach", "item", "numpy", "tolist", "argmax")
MOST_EVENTS = 400


class Detaching:
    """Keeps the calls, their lines and the nodes they cut off.

    Attributes:
        events: Since the last backward.
    """

    def __init__(self) -> None:
        self.events: list[tuple[str, Place, Any]] = []
        self._patches = Patches()
        self._is_watching = False

    def watch(self, wanted: bool) -> None:
        """Look for ``detach``, ``item``, ``numpy`` and the like in the first steps."""
        if wanted and not self._is_watching:
            for name in DETACHING:
                self._patches.wrap(Tensor, name, self._detached(name))
            original = torch._C.TensorBase.data
            record = self._record

            def get(tensor: Tensor) -> Tensor:
                record("data", tensor)
                value: Tensor = original.__get__(tensor)  # type: ignore[attr-defined]
                return value

            def put(tensor: Tensor, value: Tensor) -> None:
                original.__set__(tensor, value)  # type: ignore[attr-defined]

            self._patches.put(Tensor, "data", property(get, put))
        elif not wanted and self._is_watching:
            self._patches.undo()
        self._is_watching = wanted

    def _detached(self, name: str) -> Callable[..., Any]:
        def around(original: Any, tensor: Tensor, *arguments: Any, **named: Any) -> Any:
            self._record(name, tensor)
            return original(tensor, *arguments, **named)

        return around

    def _record(self, name: str, tensor: Tensor) -> None:
        if not tensor.requires_grad or tensor.grad_fn is None or len(self.events) >= MOST_EVENTS:  # fmt: skip
            return
        frame = user_frame(sys._getframe(2))
        caller = sys._getframe(3)
        if frame is None or (is_library(caller.f_code.co_filename) and "torch" not in caller.f_code.co_filename):  # fmt: skip
            return
        if frame is not caller and name in {"detach", "data"}:
            return  # a library's own business
        self.events.append((name, Place(frame.f_code.co_filename, frame.f_lineno), tensor.grad_fn))  # fmt: skip
