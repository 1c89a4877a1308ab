"""Honest measurement: splits, cross-validation, tuning, comparison."""

from gradatim.evaluation.bootstrap import Band, bootstrap_band, interquartile_mean
from gradatim.evaluation.calibration import TemperatureScaling, expected_calibration_error
from gradatim.evaluation.comparison import Comparison, compare
from gradatim.evaluation.conformal import (
    conformal_radius,
    conformal_threshold,
    prediction_sets,
)
from gradatim.evaluation.cross_validation import (
    CrossValidation,
    cross_validate,
    leave_one_out,
    out_of_fold,
    repeated_hold_out,
)
from gradatim.evaluation.decomposition import BiasVariance, bias_variance
from gradatim.evaluation.detection import missed_share
from gradatim.evaluation.held_out import TestSet
from gradatim.evaluation.intervals import Interval, corrected_interval, held_out_ratio
from gradatim.evaluation.learning_curves import LearningCurve, learning_curve
from gradatim.evaluation.nested import NestedCrossValidation, nested_cross_validate
from gradatim.evaluation.occam import OccamChoice, choose_by_occam
from gradatim.evaluation.overlap import Overlap, count_pixels, draw_overlaps, measure_overlap
from gradatim.evaluation.scoring import SCORES, Score
from gradatim.evaluation.shares import Share, share_interval
from gradatim.evaluation.spaces import Integers, LogUniform, Uniform
from gradatim.evaluation.splits import hold_outs, make_splits
from gradatim.evaluation.three_way import ThreeWaySplit, split_three_ways
from gradatim.evaluation.tuning import Trial, Tuning, tune

__all__ = [
    "Band",
    "BiasVariance",
    "Comparison",
    "CrossValidation",
    "Integers",
    "Interval",
    "LearningCurve",
    "LogUniform",
    "NestedCrossValidation",
    "OccamChoice",
    "Overlap",
    "SCORES",
    "Score",
    "Share",
    "TemperatureScaling",
    "TestSet",
    "ThreeWaySplit",
    "Trial",
    "Tuning",
    "Uniform",
    "bias_variance",
    "bootstrap_band",
    "choose_by_occam",
    "compare",
    "conformal_radius",
    "conformal_threshold",
    "corrected_interval",
    "count_pixels",
    "cross_validate",
    "draw_overlaps",
    "expected_calibration_error",
    "held_out_ratio",
    "hold_outs",
    "learning_curve",
    "interquartile_mean",
    "leave_one_out",
    "make_splits",
    "measure_overlap",
    "missed_share",
    "nested_cross_validate",
    "out_of_fold",
    "prediction_sets",
    "repeated_hold_out",
    "share_interval",
    "split_three_ways",
    "tune",
]
