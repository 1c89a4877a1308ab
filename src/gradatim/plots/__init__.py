"""Figures: functions that take data and return a Matplotlib figure."""

from gradatim.plots.activations import variance_profiles
from gradatim.plots.approximation import error_curves, fit_panels, rate_curves, ridge_functions
from gradatim.plots.attention import attention_map, head_grid, numbered_matrices
from gradatim.plots.backprop import graph_figure, jacobian_cost_figure, trace_figure
from gradatim.plots.bars import comparison_bars
from gradatim.plots.bayes import chain_figure
from gradatim.plots.confusion import confusion_matrix
from gradatim.plots.convolution import (
    feature_map_grid,
    filter_grid,
    picture_panels,
    sensitivity_maps,
)
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.error_surface import SurfacePanel, error_surfaces
from gradatim.plots.images import image_grid
from gradatim.plots.latent import image_rows, image_sheet, latent_map
from gradatim.plots.learning_curves import learning_curves
from gradatim.plots.neurons import decision_regions, threshold_network
from gradatim.plots.optim import decay_curves, lr_range_figure, schedule_curves
from gradatim.plots.recurrent import gradient_against_lag
from gradatim.plots.regions import linear_pieces, region_maps
from gradatim.plots.reinforcement import (
    GridPanel,
    SeedCurves,
    grid_panels,
    pole_frames,
    return_curves,
)
from gradatim.plots.robust import adversarial_triples, perturbation_histogram, robustness_curves
from gradatim.plots.sequences import alignment_maps, forecast_bands
from gradatim.plots.style import new_figure
from gradatim.plots.words import Formula

__all__ = [
    "CurvePanel",
    "Formula",
    "GridPanel",
    "SeedCurves",
    "SurfacePanel",
    "adversarial_triples",
    "alignment_maps",
    "attention_map",
    "chain_figure",
    "comparison_bars",
    "confusion_matrix",
    "curve_panels",
    "decay_curves",
    "decision_regions",
    "error_curves",
    "error_surfaces",
    "feature_map_grid",
    "filter_grid",
    "fit_panels",
    "forecast_bands",
    "gradient_against_lag",
    "graph_figure",
    "grid_panels",
    "head_grid",
    "image_grid",
    "image_rows",
    "image_sheet",
    "jacobian_cost_figure",
    "latent_map",
    "learning_curves",
    "linear_pieces",
    "lr_range_figure",
    "new_figure",
    "numbered_matrices",
    "perturbation_histogram",
    "picture_panels",
    "pole_frames",
    "rate_curves",
    "region_maps",
    "return_curves",
    "ridge_functions",
    "robustness_curves",
    "schedule_curves",
    "sensitivity_maps",
    "threshold_network",
    "trace_figure",
    "variance_profiles",
]
