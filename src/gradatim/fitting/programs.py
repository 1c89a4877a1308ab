"""A stored network as a program for other software: from plain tensors to what it says, with its scaling inside."""

import io
import json
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, Unavailable

if TYPE_CHECKING:
    from gradatim.fitting.stored import StoredModel

ABOUT = "gradatim-about.json"  # what a program of PyTorch says of itself
ROWS = "N"


class Input(NamedTuple):
    """An input of a program.

    Args:
        name: Its name in the file.
        example: A tensor of its type and shape.
        words: What it holds.
        free: The axes along which it may be longer or shorter, with the most that they take; 0 for any number.
    """

    name: str
    example: Tensor
    words: str
    free: Mapping[int, int] = {0: 0}


@dataclass(frozen=True)
class Program:
    """A network that is ready to be written.

    Args:
        module: From the inputs to the output, in evaluation mode.
        inputs: What it takes, in order.
        output: Name of what it gives.
        facts: What a user of the file must know: labels, vocabularies, what is done before.
    """

    module: nn.Module
    inputs: list[Input]
    output: str
    facts: dict[str, Any] = field(default_factory=dict)

    def trace(self) -> "torch.export.ExportedProgram":
        """Record the computation, for any number of rows."""
        axes: dict[tuple[int, int], Any] = {}
        shapes = tuple(
            {axis: axes.setdefault((axis, most), _dimension(axis, most)) for axis, most in i.free.items()}
            for i in self.inputs
        )  # fmt: skip
        with torch.no_grad(), _quiet():
            return torch.export.export(
                _Positional(self.module).eval(), tuple(i.example for i in self.inputs), dynamic_shapes=(shapes,)
            )  # fmt: skip

    def to_torch(self) -> bytes:
        """The program as PyTorch writes it; ``torch.export.load`` reads it without this package."""
        content = io.BytesIO()
        about = json.dumps({"inputs": self.lines(), "output": self.output, **self.facts})
        with _quiet():
            torch.export.save(self.trace(), content, extra_files={ABOUT: about})
        return content.getvalue()

    def to_onnx(self, title: str) -> bytes:
        """The program as ONNX.

        Args:
            title: What it does, in a sentence.
        """
        try:
            import onnxscript  # noqa: F401 - what PyTorch writes ONNX with
        except ImportError:
            raise Unavailable(
                "export: ONNX files need the package onnxscript. Try: pip install 'gradatim[export]'."
            ) from None
        names = [i.name for i in self.inputs]
        traced = self.trace()
        with _quiet():
            written = torch.onnx.export(
                traced, dynamo=True, verbose=False, input_names=names, output_names=[self.output]
            )
        assert written is not None
        model = written.model_proto
        model.producer_name, model.doc_string = "gradatim", title
        for name, fact in self.facts.items():
            entry = model.metadata_props.add()
            entry.key, entry.value = name, fact if isinstance(fact, str) else json.dumps(fact)
        return bytes(model.SerializeToString())

    def lines(self) -> list[str]:
        """What each input holds."""
        return [f"{i.name}: {i.words}" for i in self.inputs]


def refuse_to_export(stored: "StoredModel", which: str) -> NoReturn:
    """Raise, since a model is no network."""
    able = [name for name, model in stored.models.items() if hasattr(model, "compute")]
    remedy = f"Try --model {able[-1]!r}." if able else "This folder has none."
    raise InvalidValue(f"export: model must be a network, got {stored.choose(which)!r}. {remedy}")


class _Positional(nn.Module):
    """A module that takes any number of tensors."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs: Tensor) -> Tensor:
        out: Tensor = self.module(*inputs)
        return out


def _dimension(axis: int, most: int) -> Any:
    name = ROWS if axis == 0 else f"T{most}"
    return torch.export.Dim(name, max=most) if most else torch.export.Dim(name)


@contextmanager
def _quiet() -> Iterator[None]:
    """What the exporters tell their own developers reaches nobody."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
