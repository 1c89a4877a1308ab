"""Where weights came from: the lines that made them, gave them their first values, and froze them, before anything is learned."""

import sys
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from gradatim.doctor.facts import Place
from gradatim.doctor.identity import ByIdentity
from gradatim.doctor.patching import Patches, Safely
from gradatim.doctor.places import user_frame

WRITING = ("fill_", "zero_", "normal_", "uniform_", "copy_", "mul_", "div_", "add_", "__setitem__", "__imul__", "__itruediv__")  # fmt: skip
MOST_EVENTS = 20_000  # a loop that fills in data row by row need not be followed to its end


class Births:
    """Looks on until the first backward pass.

    Args:
        safely: Runs what looks on.
    """

    def __init__(self, safely: Safely) -> None:
        self.safely = safely
        self._made: ByIdentity[Tensor, Place] = ByIdentity()
        self._written: dict[int, tuple[weakref.ref[Tensor], Place]] = {}  # by storage
        self._frozen: ByIdentity[Tensor, Place] = ByIdentity()
        self._patches = Patches()
        self._events = 0

    def install(self) -> None:
        """Begin to look on."""
        self._patches.wrap(nn.Module, "register_parameter", self._registered)
        for name in WRITING:
            self._patches.wrap(Tensor, name, self._write)
        self._patches.wrap(Tensor, "requires_grad_", self._wants)
        original = torch._C.TensorBase.requires_grad
        freeze = self._freeze

        def get(tensor: Tensor) -> bool:
            return bool(original.__get__(tensor))  # type: ignore[attr-defined]

        def put(tensor: Tensor, wanted: bool) -> None:
            original.__set__(tensor, wanted)  # type: ignore[attr-defined]
            self.safely("what is frozen", freeze, tensor, wanted)

        self._patches.put(Tensor, "requires_grad", property(get, put))

    def remove(self) -> None:
        """Look away."""
        self._patches.undo()

    def start_of(self, parameter: Tensor) -> Place | None:
        """The line that gave a parameter its values, or that made it.

        Args:
            parameter: Of a module, or by itself.
        """
        written = self._written.get(parameter.untyped_storage().data_ptr())
        return written[1] if written is not None else self._made.get(parameter)

    def frozen_at(self, parameter: Tensor) -> Place | None:
        """The line that took a parameter its gradient.

        Args:
            parameter: That wants none.
        """
        return self._frozen.get(parameter)

    def assigned(self, parameter: Tensor) -> None:
        """``.data`` of a parameter was set."""
        self._note(parameter)

    def _registered(self, original: Callable[..., Any], module: nn.Module, name: str, parameter: Any) -> None:  # fmt: skip
        original(module, name, parameter)
        self.safely("parameters", self._make, parameter)

    def _make(self, parameter: Any) -> None:
        if not isinstance(parameter, Tensor) or parameter.is_meta:
            return
        key = parameter.untyped_storage().data_ptr()
        written = self._written.get(key)
        if written is not None and written[0]() is None:
            del self._written[key]  # of another tensor, whose memory this one got
        frame = user_frame(sys._getframe(3))
        if frame is not None:
            self._made[parameter] = Place(frame.f_code.co_filename, frame.f_lineno)

    def _write(self, original: Callable[..., Any], tensor: Tensor, *arguments: Any, **named: Any) -> Any:  # fmt: skip
        result = original(tensor, *arguments, **named)
        if self._events < MOST_EVENTS:
            self.safely("first values", self._note, tensor)
        return result

    def _note(self, tensor: Tensor) -> None:
        self._events += 1
        if type(tensor) not in {Tensor, nn.Parameter} or tensor.is_meta or tensor.dim() == 0 or not tensor.dtype.is_floating_point:  # fmt: skip
            return
        if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            return
        frame = user_frame(sys._getframe(2))
        if frame is not None:
            place = Place(frame.f_code.co_filename, frame.f_lineno)
            self._written[tensor.untyped_storage().data_ptr()] = weakref.ref(tensor), place

    def _wants(self, original: Callable[..., Any], tensor: Tensor, *arguments: Any, **named: Any) -> Any:  # fmt: skip
        result = original(tensor, *arguments, **named)
        wanted = named.get("requires_grad", arguments[0] if arguments else True)
        self.safely("what is frozen", self._freeze, tensor, wanted)
        return result

    def _freeze(self, tensor: Tensor, wanted: bool) -> None:
        if wanted:
            self._frozen.pop(tensor, None)
            return
        frame = user_frame(sys._getframe(2))
        if frame is not None and isinstance(tensor, nn.Parameter):
            self._frozen[tensor] = Place(frame.f_code.co_filename, frame.f_lineno)
