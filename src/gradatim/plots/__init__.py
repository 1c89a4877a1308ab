"""Figures: functions that take data and return a Matplotlib figure."""

from gradatim.plots.activations import (
    activation_gallery,
    gradient_decay,
    layer_histograms,
    variance_profiles,
)
from gradatim.plots.approximation import error_curves, fit_panels, rate_curves, ridge_functions
from gradatim.plots.attention import attention_map, head_grid, numbered_matrices
from gradatim.plots.backprop import graph_figure, jacobian_cost_figure, trace_figure
from gradatim.plots.bars import comparison_bars
from gradatim.plots.confusion import confusion_matrix
from gradatim.plots.convolution import (
    feature_map_grid,
    filter_grid,
    filtered_images,
    matrix_panels,
    picture_panels,
    score_table,
    sensitivity_maps,
)
from gradatim.plots.curves import CurvePanel, curve_panels
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
from gradatim.plots.memories import (
    energy_descent,
    hopfield_capacity_curves,
    memory_comparison,
    recall_rows,
)
from gradatim.plots.neurons import (
    cover_fraction,
    decision_regions,
    hebbian_errors,
    mistakes_against_bound,
    perceptron_path,
    separability_grid,
    threshold_network,
    version_space,
)
from gradatim.plots.recurrent import (
    error_by_step,
    gates_over_time,
    gradient_against_lag,
    matrix_powers,
    scan_costs,
    score_against_lag,
    score_by_offset,
)
from gradatim.plots.regions import linear_pieces, region_maps
from gradatim.plots.robust import (
    adversarial_triples,
    norm_balls,
    perturbation_histogram,
    robustness_curves,
)
from gradatim.plots.sequences import (
    alignment_maps,
    forecast_bands,
    label_probabilities,
    token_surprise,
)
from gradatim.plots.similarity import similarity_matrices
from gradatim.plots.style import new_figure
from gradatim.plots.timeseries import (
    filter_traces,
    return_map,
    root_circle,
    state_probabilities,
    trellis_figure,
)

__all__ = [
    "CurvePanel",
    "SurfacePanel",
    "activation_gallery",
    "adversarial_triples",
    "alignment_maps",
    "attention_map",
    "basis_fits",
    "class_regions",
    "comparison_bars",
    "confusion_matrix",
    "convergence_curves",
    "cover_fraction",
    "curve_panels",
    "decision_regions",
    "energy_descent",
    "error_curves",
    "error_surfaces",
    "feature_map_grid",
    "filter_grid",
    "filtered_images",
    "fit_panels",
    "forecast_bands",
    "gradient_decay",
    "graph_figure",
    "head_grid",
    "hebbian_errors",
    "hopfield_capacity_curves",
    "image_grid",
    "jacobian_cost_figure",
    "label_probabilities",
    "layer_histograms",
    "learning_curves",
    "likelihood_curves",
    "linear_pieces",
    "matrix_panels",
    "memory_comparison",
    "mistakes_against_bound",
    "new_figure",
    "norm_balls",
    "numbered_matrices",
    "perceptron_path",
    "perturbation_histogram",
    "picture_panels",
    "rate_curves",
    "recall_rows",
    "region_maps",
    "ridge_functions",
    "robustness_curves",
    "score_table",
    "sensitivity_maps",
    "separability_grid",
    "similarity_matrices",
    "solution_line",
    "threshold_network",
    "token_surprise",
    "trace_figure",
    "variance_profiles",
    "version_space",
    "error_by_step",
    "gates_over_time",
    "gradient_against_lag",
    "matrix_powers",
    "scan_costs",
    "score_against_lag",
    "score_by_offset",
    "filter_traces",
    "return_map",
    "root_circle",
    "state_probabilities",
    "trellis_figure",
]
