"""The main job: from data to an honest comparison, a model folder and predictions."""

from importlib import import_module
from typing import TYPE_CHECKING

from gradatim.fitting.kind import Kind
from gradatim.fitting.options import Options

if TYPE_CHECKING:
    from gradatim.fitting.contest import FitResult
    from gradatim.fitting.exporting import ExportResult, export_onnx, export_torch
    from gradatim.fitting.predicting import PredictResult, write_predictions
    from gradatim.fitting.tables.model import TableModel

__all__ = [
    "ExportResult",
    "FitResult",
    "Kind",
    "Options",
    "PredictResult",
    "TableModel",
    "export_onnx",
    "export_torch",
    "write_predictions",
]

# what needs PyTorch, which the options and their help should not wait for
_LATER = {
    "ExportResult": "exporting",
    "FitResult": "contest",
    "PredictResult": "predicting",
    "TableModel": "tables.model",
    "export_onnx": "exporting",
    "export_torch": "exporting",
    "write_predictions": "predicting",
}


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(import_module(f"gradatim.fitting.{_LATER[name]}"), name)
    raise AttributeError(f"module 'gradatim.fitting' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
