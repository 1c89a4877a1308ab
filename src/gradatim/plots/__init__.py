"""Figures: functions that take data and return a Matplotlib figure."""

from gradatim.plots.bars import comparison_bars
from gradatim.plots.confusion import confusion_matrix
from gradatim.plots.images import image_grid
from gradatim.plots.learning_curves import learning_curves
from gradatim.plots.style import new_figure

__all__ = ["comparison_bars", "confusion_matrix", "image_grid", "learning_curves", "new_figure"]
