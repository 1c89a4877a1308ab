"""Instruments: what a network sees, keeps, passes on and does while it learns."""

from gradatim.instruments.attention_recording import attention_maps, cross_attention
from gradatim.instruments.class_maps import grad_cam
from gradatim.instruments.convergence import (
    Decrease,
    DescentPath,
    descend,
    pl_bound,
    pl_constant,
    steps_to_critical_point,
    sufficient_decrease,
)
from gradatim.instruments.convexity import chord_excess, convex_bound, descend_accelerated
from gradatim.instruments.curvature import Curvature, hessian_product, lowest_curvature, smoothness
from gradatim.instruments.equivariance import equivariance_error
from gradatim.instruments.flow import gradient_flow
from gradatim.instruments.gate_recording import GateHistory, record_gates
from gradatim.instruments.gradient_noise import batch_gradients, sample_gradients
from gradatim.instruments.layer_maps import feature_maps
from gradatim.instruments.layer_statistics import LayerStatistics, variance_profile
from gradatim.instruments.lr_range import LRRange, lr_range_test
from gradatim.instruments.receptive_field import (
    MeasuredField,
    ReceptiveField,
    measure_receptive_field,
    receptive_fields,
)
from gradatim.instruments.saliency import gradient_saliency, occlusion_map
from gradatim.instruments.schedule_curves import ScheduleCurve, schedule_curve, sparkline
from gradatim.instruments.starts import MultiStart, multi_start
from gradatim.instruments.time_gradients import TimeGradients, gradient_through_time
from gradatim.instruments.trajectories import trajectory
from gradatim.instruments.vector_objective import VectorObjective, network_objective

__all__ = [
    "Curvature",
    "Decrease",
    "DescentPath",
    "GateHistory",
    "LRRange",
    "LayerStatistics",
    "MeasuredField",
    "MultiStart",
    "ReceptiveField",
    "ScheduleCurve",
    "TimeGradients",
    "VectorObjective",
    "attention_maps",
    "batch_gradients",
    "chord_excess",
    "convex_bound",
    "cross_attention",
    "descend",
    "descend_accelerated",
    "equivariance_error",
    "feature_maps",
    "grad_cam",
    "gradient_flow",
    "gradient_saliency",
    "gradient_through_time",
    "hessian_product",
    "lowest_curvature",
    "lr_range_test",
    "measure_receptive_field",
    "multi_start",
    "network_objective",
    "occlusion_map",
    "pl_bound",
    "pl_constant",
    "receptive_fields",
    "record_gates",
    "sample_gradients",
    "schedule_curve",
    "smoothness",
    "sparkline",
    "steps_to_critical_point",
    "sufficient_decrease",
    "trajectory",
    "variance_profile",
]
