"""A network or linear model of a table as a module of tensors, preprocessing included."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.fitting.programs import Input, Program
from gradatim.fitting.tables.export import check_chain, check_no_text
from gradatim.fitting.tables.ladders import ladder_module
from gradatim.fitting.tables.model import TableModel
from gradatim.fitting.tables.one_row import known_levels, level_rows
from gradatim.fitting.tables.predictors import Fitted, layers_of
from gradatim.fitting.tables.preprocessing import LIMIT, PERIODS, Encoder, Preprocessing


def table_program(table: TableModel, which: str) -> Program:
    """The program of a model: numbers and category codes to probabilities or values.

    Args:
        table: The model.
        which: ``"network"``, ``"recommended"``, or another model.
    """
    check_chain(table, which)
    fitted = table.fitted(which)
    inputs, facts = table_inputs(table.preprocessing)
    if fitted.classes:
        facts["labels"] = table.labels
    module = TableAnswer(table.preprocessing, fitted)
    return Program(module, inputs, "probabilities" if fitted.classes else "prediction", facts)


def table_inputs(preprocessing: Preprocessing) -> tuple[list[Input], dict[str, Any]]:
    """What a program takes in the place of a table, and the facts that say how to make it.

    Args:
        preprocessing: How columns become features.
    """
    encoders = preprocessing.encoders
    check_no_text(encoders)
    levels = {e.column.name: known_levels(e) for e in encoders if e.column.kind == "categorical"}
    numbers = [e.column.name for e in encoders if e.column.kind != "categorical"]
    inputs = [
        Input("numbers", torch.zeros(2, len(numbers), dtype=torch.float64), f"double of shape (N, {len(numbers)}), the columns 'numbers' in order, NaN where missing; truth values as 0 and 1, dates as days since 1970-01-01 UTC"),
        Input("codes", torch.zeros(2, len(levels), dtype=torch.long), f"int64 of shape (N, {len(levels)}), the columns 'levels' in order: the place of the category in its list, the length of the list for any other, one more where it is missing"),
    ]  # fmt: skip
    return inputs, {"numbers": numbers, "levels": levels}


def _keep(where: nn.ParameterList, values: np.ndarray) -> None:
    where.append(nn.Parameter(torch.from_numpy(np.array(values, np.float64)), False))


class TableFeatures(nn.Module):
    """The features of the cells of a table, in double precision.

    Args:
        preprocessing: How columns become features.
    """

    def __init__(self, preprocessing: Preprocessing) -> None:
        super().__init__()
        self.encoders = preprocessing.encoders
        self.tables = nn.ParameterList()  # rows of features by code
        for encoder in self.encoders:
            if encoder.column.kind == "categorical":
                _keep(self.tables, level_rows(encoder))

    def forward(self, numbers: Tensor, codes: Tensor) -> Tensor:
        parts, number, code = [], 0, 0
        for encoder in self.encoders:
            if encoder.column.kind == "categorical":
                parts.append(self.tables[code][codes[:, code]])
                code += 1
            else:
                parts += _scaled(encoder, numbers[:, number : number + 1])
                number += 1
        return torch.cat(parts, 1)  # (N, features)


class TableAnswer(nn.Module):
    """What a chain of dense layers answers to the cells of a table, in double precision.

    Args:
        preprocessing: How columns become features.
        fitted: The chain.
    """

    def __init__(self, preprocessing: Preprocessing, fitted: Fitted) -> None:
        super().__init__()
        self.classes, self.settings = fitted.classes, fitted.settings
        self.features = TableFeatures(preprocessing)
        self.ladders = ladder_module(fitted.arrays)
        self.weights, self.biases, self.depth = nn.ParameterList(), nn.ParameterList(), 0
        for layers in layers_of(fitted):
            self.depth = len(layers)
            for weight, bias in layers:
                _keep(self.weights, weight)
                _keep(self.biases, bias)

    def forward(self, numbers: Tensor, codes: Tensor) -> Tensor:
        x = self.ladders(self.features(numbers, codes))
        starts = range(0, len(self.weights), self.depth)
        said = torch.stack([self._member(x, start) for start in starts]).mean(0)
        if self.classes:
            return said
        s = self.settings
        value = said * s.get("scale", 1.0) + s.get("center", 0.0)
        return value.clamp(s.get("low", -np.inf), s.get("high", np.inf))

    def _member(self, h: Tensor, start: int) -> Tensor:
        for k in range(start, start + self.depth):
            h = nn.functional.linear(h, self.weights[k], self.biases[k])
            if k < start + self.depth - 1:
                h = h.relu() if self.settings["activation"] == "relu" else h.tanh()
        return h.softmax(1) if self.classes else h


def _scaled(encoder: Encoder, cells: Tensor) -> list[Tensor]:
    """A number as features: scaled, its cycles, and whether it is missing."""
    missing = cells.isnan()
    filled = torch.where(missing, encoder.fill, cells)
    parts = [((filled - encoder.center) / encoder.scale).clamp(-LIMIT, LIMIT)]
    for period in encoder.periods:
        angle = filled * (2 * torch.pi / PERIODS[period])
        parts += [angle.sin(), angle.cos()]
    return parts + [missing.to(cells.dtype)] * encoder.marks_missing
