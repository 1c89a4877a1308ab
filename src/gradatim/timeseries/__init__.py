"""Models of series before recurrent networks: autoregression, linear dynamical systems, hidden Markov models."""

from gradatim.timeseries.autocovariance import autocorrelation, autocovariance
from gradatim.timeseries.autoregression import AR, Forecast
from gradatim.timeseries.sliding import windows
from gradatim.timeseries.tdnn import TDNN

__all__ = ["AR", "TDNN", "Forecast", "autocorrelation", "autocovariance", "windows"]
