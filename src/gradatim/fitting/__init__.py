"""The main job: from a table to an honest comparison, a model folder and predictions."""

from gradatim.fitting.export import ExportResult, export_onnx
from gradatim.fitting.model import TableModel
from gradatim.fitting.predicting import PredictResult, predict_table
from gradatim.fitting.run import FitResult, fit_table

__all__ = [
    "ExportResult",
    "FitResult",
    "PredictResult",
    "TableModel",
    "export_onnx",
    "fit_table",
    "predict_table",
]
