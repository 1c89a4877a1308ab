"""An autoencoder as a module of tensors, from cells or windows to scores."""

from typing import Any

import torch
from torch import Tensor, nn

from gradatim.fitting.anomalies.networks import Autoencoder
from gradatim.fitting.anomalies.readers import Reader, TableReader, WindowReader
from gradatim.fitting.programs import Input, Program
from gradatim.fitting.tables.preprocessing import LIMIT
from gradatim.fitting.tables.program import TableFeatures, table_inputs


def detector_program(fitted: Autoencoder, reader: Reader) -> Program:
    """The program of a detector; above 1 is an alarm.

    Args:
        fitted: The trained autoencoder.
        reader: From rows to features.
    """
    facts: dict[str, Any]
    features: nn.Module
    if isinstance(reader, TableReader):
        inputs, facts = table_inputs(reader.preprocessing)
        features = TableFeatures(reader.preprocessing)
    else:
        shape = (reader.window, reader.channels)
        words = f"double of shape (N, {shape[0]}, {shape[1]}), the last steps of a series up to the one that is judged, channels in the order of 'channels', without gaps"
        inputs = [Input("windows", torch.zeros(2, *shape, dtype=torch.float64), words)]
        facts = {"channels": list(reader.layout.channels)}
        features = WindowFeatures(reader)
    return Program(Oddness(features, fitted), inputs, "score", facts)


class WindowFeatures(nn.Module):
    """Standardized windows, flat."""

    def __init__(self, reader: WindowReader) -> None:
        super().__init__()
        for name, values in (("center", reader.center), ("scale", reader.scale)):
            self.register_buffer(name, torch.tensor(values, dtype=torch.float64))
        self.center: Tensor
        self.scale: Tensor

    def forward(self, windows: Tensor) -> Tensor:
        return ((windows - self.center) / self.scale).clamp(-LIMIT, LIMIT).flatten(1)


class Oddness(nn.Module):
    """Scores of rows in units of the threshold."""

    def __init__(self, features: nn.Module, fitted: Autoencoder) -> None:
        super().__init__()
        self.features, self.module, self.fitted = features, fitted.module, fitted
        scale = torch.tensor(fitted.settings["scale"], dtype=torch.float64)
        self.register_buffer("scale", scale)
        self.scale: Tensor

    def forward(self, *inputs: Tensor) -> Tensor:
        x = self.features(*inputs)  # (N, F)
        odd = ((x - self.fitted.compute(x).double()) / self.scale).square().mean(1)
        return odd / self.fitted.settings["threshold"]
