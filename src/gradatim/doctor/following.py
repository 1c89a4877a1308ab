"""Every operation of a forward pass with its result and its line."""

from typing import Any, NamedTuple

from torch import Tensor
from torch.overrides import TorchFunctionMode

from gradatim.doctor.calls import tensors
from gradatim.doctor.facts import Place
from gradatim.doctor.places import user_place

MOST_RESULTS = 2000


class Result(NamedTuple):
    """What an operation gave, its name and its line."""

    value: Tensor
    name: str
    place: Place


class Followed(TorchFunctionMode):
    """Keeps the result of every operation, and its line."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[Result] = []

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # fmt: skip
        result = function(*args, **(kwargs or {}))
        first = next(tensors(result), None)
        if first is not None and first.dim() and len(self.results) < MOST_RESULTS:
            name = getattr(function, "__name__", "")
            self.results.append(Result(first.detach(), name, user_place()))
        return result
