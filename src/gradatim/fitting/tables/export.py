"""Write a model with its preprocessing as one ONNX graph that takes the table's columns as they are."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradatim.errors import InvalidValue, Unavailable
from gradatim.fitting.tables.ladders import EDGES, FEATURE
from gradatim.fitting.tables.model import TableModel
from gradatim.fitting.tables.predictors import layers_of
from gradatim.fitting.tables.preprocessing import LIMIT, PERIODS, Encoder

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
_KINDS = {
    "numeric": "number, NaN where missing",
    "boolean": "1 for yes, 0 for no, NaN where missing",
    "date": "days since 1970-01-01 UTC, NaN where missing",
    "categorical": "text, empty where missing",
}


def table_graph(table: TableModel, which: str) -> tuple[bytes, list[str]]:
    """A network or a linear model of a table, preprocessing included, as ONNX; and what its inputs are, one line each.

    Args:
        table: The model.
        which: ``"network"``, ``"recommended"``, or another model.
    """
    try:
        import onnx
    except ImportError:
        raise Unavailable(
            "export: ONNX files need the package onnx. Try: pip install 'gradatim[export]'."
        ) from None
    check_chain(table, which)
    check_no_text(table.preprocessing.encoders)
    graph = _Graph(onnx, table.columns)
    for encoder in table.preprocessing.encoders:
        graph.add_column(encoder)
    graph.add_chain(table, which)
    lines = [f"{e.column.name}: {_KINDS[e.column.kind]}" for e in table.preprocessing.encoders]
    return graph.build(table).SerializeToString(), lines


def check_chain(table: TableModel, which: str) -> None:
    """Refuse a model that is neither a network nor a linear one."""
    if table.fitted(which).kind != "chain":
        able = [name for name, other in table.models.items() if other.kind == "chain"]
        raise InvalidValue(
            f"export: model must be a network or a linear model ({', '.join(able)}), got "
            f"{which if which != 'recommended' else table.recommended!r}. Try --model {able[-1]!r}."
        )


def check_no_text(encoders: Sequence[Encoder]) -> None:
    """Refuse columns of texts, whose words no graph can cut."""
    texts = [e.column.name for e in encoders if e.column.kind == "text"]
    if texts:
        raise InvalidValue(f"export: columns must be numbers, dates and categories, got texts in {texts[0]!r}. Fit again with --drop {texts[0]!r}.")  # fmt: skip


class _Graph:
    """Nodes, constants and inputs of a graph under construction."""

    def __init__(self, onnx: Any, columns: Sequence[str]) -> None:
        self.onnx, self.helper, self.columns = onnx, onnx.helper, set(columns)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.features: list[str] = []

    def own(self, name: str) -> str:
        """A name that no column has."""
        while name in self.columns:
            name += "_"
        return name

    def constant(self, value: Any, dtype: Any = np.float64) -> str:
        name = self.own(f"constant_{len(self.constants)}")
        array = np.asarray(value, dtype=dtype)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        name = self.own(output or f"{kind.lower()}_{len(self.nodes)}")
        self.nodes.append(self.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def value(self, name: str, kind: int, width: int) -> Any:
        return self.helper.make_tensor_value_info(name, kind, ["N", width])

    def add_column(self, encoder: Encoder) -> None:
        types = self.onnx.TensorProto
        if encoder.column.kind == "categorical":
            self.inputs.append(self.value(encoder.column.name, types.STRING, 1))
            self._add_levels(encoder)
            return
        name = encoder.column.name
        self.inputs.append(self.value(name, types.DOUBLE, 1))
        missing = self.node("IsNaN", name)
        filled = self.node("Where", missing, self.constant(encoder.fill), name)
        centred = self.node("Sub", filled, self.constant(encoder.center))
        scaled = self.node("Div", centred, self.constant(encoder.scale))
        self.features.append(self.node("Clip", scaled, self.constant(-LIMIT), self.constant(LIMIT)))
        for period in encoder.periods:
            angle = self.node("Mul", filled, self.constant(2 * np.pi / PERIODS[period]))
            self.features += [self.node("Sin", angle), self.node("Cos", angle)]
        if encoder.marks_missing:
            self.features.append(self.node("Cast", missing, to=types.DOUBLE))

    def _add_levels(self, encoder: Encoder) -> None:
        """Zeros and ones for frequent levels, then the mean targets of all that are known."""
        width = len(encoder.names()) - encoder.num_means
        if width:
            rows = np.eye(width + 1, width)
            levels: dict[str | None, int] = {level: k for k, level in enumerate(encoder.levels)}
            levels[None] = width - 1 if encoder.marks_missing else width
            other = len(encoder.levels) if encoder.marks_other else width
            self._add_lookup(encoder, levels, other, rows)
        if encoder.means:
            levels = {level: k for k, level in enumerate(encoder.known)}
            means = np.array([*encoder.means, [0.0] * encoder.num_means])
            self._add_lookup(encoder, levels, len(encoder.known), means)

    def _add_lookup(
        self, encoder: Encoder, levels: dict[str | None, int], other: int, rows: np.ndarray
    ) -> None:
        """Text to a row number, then that row of a matrix; an empty text is a missing cell."""
        place = self.node(
            "LabelEncoder",
            encoder.column.name,
            domain="ai.onnx.ml",
            keys_strings=["" if level is None else level for level in levels],
            values_int64s=list(levels.values()),
            default_int64=other,
        )  # (N, 1)
        flat = self.node("Reshape", place, self.constant([-1], np.int64))  # (N,)
        self.features.append(self.node("Gather", self.constant(rows), flat, axis=0))  # (N, width)

    def add_chain(self, table: TableModel, which: str) -> None:
        fitted = table.fitted(which)
        x = self._add_ladders(fitted.arrays, self.node("Concat", *self.features, axis=1))
        members = layers_of(fitted)
        outputs = []
        for layers in members:
            h = x
            for k, (weight, bias) in enumerate(layers):
                h = self.node("Add", self.node("MatMul", h, self.constant(weight.T)), self.constant(bias))  # fmt: skip
                if k < len(layers) - 1:
                    h = self.node(
                        {"relu": "Relu", "tanh": "Tanh"}[fitted.settings["activation"]], h
                    )
            outputs.append(self.node("Softmax", h, axis=1) if fitted.classes else h)
        total = outputs[0]
        for other in outputs[1:]:
            total = self.node("Add", total, other)
        count = self.constant(float(len(members)))
        if fitted.classes:
            probabilities = self.node("Div", total, count, output="probabilities")
            self.outputs.append(
                self.value(probabilities, self.onnx.TensorProto.DOUBLE, fitted.classes)
            )
            self._add_labels(table.labels, probabilities, table.decision(which))
            return
        mean = self.node("Div", total, count)
        scaled = self.node("Mul", mean, self.constant(fitted.settings.get("scale", 1.0)))
        center = self.constant(fitted.settings.get("center", 0.0))
        free = self.node("Add", scaled, center)
        ends = [fitted.settings.get("low", -np.inf), fitted.settings.get("high", np.inf)]
        held = self.node("Clip", free, *map(self.constant, ends), output="prediction")
        self.outputs.append(self.value(held, self.onnx.TensorProto.DOUBLE, 1))

    def _add_ladders(self, arrays: Mapping[str, np.ndarray], x: str) -> str:
        """Features with their ladders of bins behind them, as :func:`add_ladders` makes them."""
        if EDGES not in arrays:
            return x
        edges = arrays[EDGES].astype(np.float64)
        width = np.diff(edges, axis=1)
        is_wide = width > 0
        is_last = is_wide & ~np.pad(is_wide[:, 1:], ((0, 0), (0, 1)))
        low = np.where(np.arange(width.shape[1]) > 0, 0.0, -np.inf) * np.ones_like(width)
        places = np.repeat(arrays[FEATURE].astype(np.int64), width.shape[1])
        numbers = self.node("Gather", x, self.constant(places, np.int64), axis=1)  # (N, D T)
        risen = self.node("Sub", numbers, self.constant(edges[:, :-1].ravel()))
        filled = self.node("Div", risen, self.constant(np.where(is_wide, width, 1.0).ravel()))
        above = self.node("Max", filled, self.constant(low.ravel()))
        limited = self.node("Min", above, self.constant(np.where(is_last, np.inf, 1.0).ravel()))
        ladders = self.node("Mul", limited, self.constant(is_wide.ravel()))
        return self.node("Concat", x, ladders, axis=1)

    def _add_labels(self, labels: list[str | int], probabilities: str, decision: np.ndarray | None) -> None:  # fmt: skip
        """The class that is said, by the rule of the folder."""
        scores = probabilities
        if decision is not None:  # weights of classes, or costs of mistakes
            is_weights = decision.ndim == 1
            rule = self.constant(decision if is_weights else -decision)
            scores = self.node("Mul" if is_weights else "MatMul", probabilities, rule)
        best = self.node("ArgMax", scores, axis=1, keepdims=1)
        texts = any(isinstance(label, str) for label in labels)
        values = (
            {"values_strings": [str(v) for v in labels]} if texts else {"values_int64s": labels}
        )
        named = self.node(
            "LabelEncoder",
            best,
            output="prediction",
            domain="ai.onnx.ml",
            keys_int64s=list(range(len(labels))),
            **values,
        )
        kind = self.onnx.TensorProto.STRING if texts else self.onnx.TensorProto.INT64
        self.outputs.append(self.value(named, kind, 1))

    def build(self, table: TableModel) -> Any:
        graph = self.helper.make_graph(self.nodes, "gradatim", self.inputs, self.outputs, self.constants)  # fmt: skip
        domains = [
            self.helper.make_opsetid("", OPSET),
            self.helper.make_opsetid("ai.onnx.ml", ML_OPSET),
        ]
        model = self.helper.make_model(graph, opset_imports=domains, ir_version=IR_VERSION, producer_name="gradatim")  # fmt: skip
        model.doc_string = f"Predicts {table.target}. {table.about['verdict']}"
        self.onnx.checker.check_model(model)
        return model
