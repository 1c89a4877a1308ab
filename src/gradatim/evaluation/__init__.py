"""Honest measurement: splits, cross-validation, tuning, comparison.

Nothing is loaded before it is asked for: it needs scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradatim.evaluation.comparison import Comparison, compare
    from gradatim.evaluation.cross_validation import (
        CrossValidation,
        cross_validate,
        leave_one_out,
        out_of_fold,
        repeated_hold_out,
    )
    from gradatim.evaluation.decomposition import BiasVariance, bias_variance
    from gradatim.evaluation.held_out import TestSet
    from gradatim.evaluation.intervals import Interval, corrected_interval, held_out_ratio
    from gradatim.evaluation.learning_curves import LearningCurve, learning_curve
    from gradatim.evaluation.nested import NestedCrossValidation, nested_cross_validate
    from gradatim.evaluation.occam import OccamChoice, choose_by_occam
    from gradatim.evaluation.scoring import SCORES, Score
    from gradatim.evaluation.spaces import Integers, LogUniform, Uniform
    from gradatim.evaluation.splits import hold_outs, make_splits
    from gradatim.evaluation.tuning import Trial, Tuning, tune

_HOMES = {
    "decomposition": ("BiasVariance", "bias_variance"),
    "comparison": ("Comparison", "compare"),
    "cross_validation": (
        *("CrossValidation", "cross_validate", "leave_one_out"),
        *("out_of_fold", "repeated_hold_out"),
    ),
    "intervals": ("Interval", "corrected_interval", "held_out_ratio"),
    "learning_curves": ("LearningCurve", "learning_curve"),
    "nested": ("NestedCrossValidation", "nested_cross_validate"),
    "occam": ("OccamChoice", "choose_by_occam"),
    "scoring": ("SCORES", "Score"),
    "spaces": ("Integers", "LogUniform", "Uniform"),
    "splits": ("hold_outs", "make_splits"),
    "held_out": ("TestSet",),
    "tuning": ("Trial", "Tuning", "tune"),
}
_LAZY = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BiasVariance",
    "Comparison",
    "CrossValidation",
    "Integers",
    "Interval",
    "LearningCurve",
    "LogUniform",
    "NestedCrossValidation",
    "OccamChoice",
    "SCORES",
    "Score",
    "TestSet",
    "Trial",
    "Tuning",
    "Uniform",
    "bias_variance",
    "choose_by_occam",
    "compare",
    "corrected_interval",
    "cross_validate",
    "held_out_ratio",
    "hold_outs",
    "learning_curve",
    "leave_one_out",
    "make_splits",
    "nested_cross_validate",
    "out_of_fold",
    "repeated_hold_out",
    "tune",
]


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
