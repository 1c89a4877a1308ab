"""Figures: functions that take data and return a Matplotlib figure."""

from gradatim.plots.activations import (
    activation_gallery,
    gradient_decay,
    layer_histograms,
    variance_profiles,
)
from gradatim.plots.approximation import error_curves, fit_panels, rate_curves, ridge_functions
from gradatim.plots.backprop import graph_figure, jacobian_cost_figure, trace_figure
from gradatim.plots.bars import comparison_bars
from gradatim.plots.confusion import confusion_matrix
from gradatim.plots.error_surface import SurfacePanel, error_surfaces
from gradatim.plots.images import image_grid
from gradatim.plots.learning_curves import learning_curves
from gradatim.plots.linear import (
    basis_fits,
    class_regions,
    convergence_curves,
    likelihood_curves,
    solution_line,
)
from gradatim.plots.regions import linear_pieces, region_maps
from gradatim.plots.style import new_figure

__all__ = [
    "SurfacePanel",
    "activation_gallery",
    "basis_fits",
    "class_regions",
    "comparison_bars",
    "confusion_matrix",
    "convergence_curves",
    "error_curves",
    "error_surfaces",
    "fit_panels",
    "gradient_decay",
    "graph_figure",
    "image_grid",
    "jacobian_cost_figure",
    "layer_histograms",
    "learning_curves",
    "likelihood_curves",
    "linear_pieces",
    "new_figure",
    "rate_curves",
    "region_maps",
    "ridge_functions",
    "solution_line",
    "trace_figure",
    "variance_profiles",
]
