"""Gradatim: deep learning, step by step.

A PyTorch-native workbench to learn, use and repair neural networks. Names are imported on first use,
so ``import gradatim`` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOME = {
    "Checkpoint": "gradatim.training",
    "EarlyStopping": "gradatim.training",
    "History": "gradatim.training",
    "NeuralClassifier": "gradatim.estimators",
    "NeuralRegressor": "gradatim.estimators",
    "Trainer": "gradatim.training",
    "fit": "gradatim.fitting.job",
    "load_model": "gradatim.fitting.loading",
    "predict": "gradatim.fitting.predicting",
    "sample": "gradatim.fitting.sampling",
}
_SUBPACKAGES = (
    "backprop",
    "bayes",
    "data",
    "decoding",
    "doctor",
    "evaluation",
    "experiments",
    "fitting",
    "instruments",
    "linear",
    "losses",
    "models",
    "neurons",
    "nn",
    "optim",
    "plots",
    "reports",
    "robust",
    "theory",
    "timeseries",
    "training",
)

if TYPE_CHECKING:
    from gradatim import (
        backprop,
        bayes,
        data,
        decoding,
        doctor,
        evaluation,
        experiments,
        fitting,
        instruments,
        linear,
        losses,
        models,
        neurons,
        nn,
        optim,
        plots,
        reports,
        robust,
        theory,
        timeseries,
        training,
    )
    from gradatim.estimators import NeuralClassifier, NeuralRegressor
    from gradatim.fitting.job import fit
    from gradatim.fitting.loading import load_model
    from gradatim.fitting.predicting import predict
    from gradatim.fitting.sampling import sample
    from gradatim.training import Checkpoint, EarlyStopping, History, Trainer

__all__ = [
    "Checkpoint",
    "EarlyStopping",
    "History",
    "NeuralClassifier",
    "NeuralRegressor",
    "Trainer",
    "backprop",
    "bayes",
    "data",
    "decoding",
    "doctor",
    "evaluation",
    "experiments",
    "fit",
    "fitting",
    "instruments",
    "linear",
    "load_model",
    "losses",
    "models",
    "neurons",
    "nn",
    "optim",
    "plots",
    "predict",
    "reports",
    "robust",
    "sample",
    "theory",
    "timeseries",
    "training",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _SUBPACKAGES:
        return import_module(f"gradatim.{name}")
    raise AttributeError(f"module 'gradatim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
