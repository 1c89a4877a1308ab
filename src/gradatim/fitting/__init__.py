"""The main job: from data to an honest comparison, a model folder and predictions."""

from gradatim.fitting.contest import FitResult
from gradatim.fitting.job import Job
from gradatim.fitting.players import fit_data, fit_table
from gradatim.fitting.predicting import PredictResult, write_predictions
from gradatim.fitting.tables.export import ExportResult, export_onnx
from gradatim.fitting.tables.model import TableModel

__all__ = [
    "ExportResult",
    "FitResult",
    "Job",
    "PredictResult",
    "TableModel",
    "export_onnx",
    "fit_data",
    "fit_table",
    "write_predictions",
]
