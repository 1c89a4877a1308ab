"""Models of series before recurrent networks, and what tells series apart: warping, random kernels, statistics."""

from gradatim.timeseries.autocovariance import autocorrelation, autocovariance
from gradatim.timeseries.autoregression import AR, Forecast
from gradatim.timeseries.dtw import dtw_distances
from gradatim.timeseries.dtw_neighbours import NearestSeries, nearest_by_dtw
from gradatim.timeseries.emissions import CategoricalEmission
from gradatim.timeseries.exponential_smoothing import (
    Smoothing,
    SmoothingState,
    extrapolate,
    fit_smoothing,
    smooth,
)
from gradatim.timeseries.gaussian_emission import GaussianEmission
from gradatim.timeseries.hmm import HMM, Decoded, HMMFit, Trellis
from gradatim.timeseries.hmm_restarts import fit_hmm
from gradatim.timeseries.kalman import Filtered
from gradatim.timeseries.linear_dynamical_system import (
    LinearDynamicalSystem,
    SteadyState,
    SystemFit,
)
from gradatim.timeseries.markov import stationary_distribution
from gradatim.timeseries.mixture_emission import MixtureEmission
from gradatim.timeseries.ngram import NGram
from gradatim.timeseries.random_kernels import RandomKernels
from gradatim.timeseries.rts import Smoothed
from gradatim.timeseries.seasonality import find_season
from gradatim.timeseries.series_batch import fill_gaps
from gradatim.timeseries.series_statistics import SeriesStatistics, describe_series
from gradatim.timeseries.sliding import windows
from gradatim.timeseries.tdnn import TDNN

__all__ = [
    "AR",
    "Forecast",
    "TDNN",
    "autocorrelation",
    "autocovariance",
    "windows",
    "LinearDynamicalSystem",
    "Filtered",
    "Smoothed",
    "SteadyState",
    "SystemFit",
    "HMM",
    "CategoricalEmission",
    "Decoded",
    "GaussianEmission",
    "MixtureEmission",
    "HMMFit",
    "fit_hmm",
    "Trellis",
    "stationary_distribution",
    "NGram",
    "Smoothing",
    "SmoothingState",
    "extrapolate",
    "find_season",
    "fit_smoothing",
    "smooth",
    "NearestSeries",
    "RandomKernels",
    "SeriesStatistics",
    "describe_series",
    "dtw_distances",
    "fill_gaps",
    "nearest_by_dtw",
]
