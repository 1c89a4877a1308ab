"""Surfaces carry their paths and points."""

import numpy as np
import torch

from gradatim.linear import bowl, descent_path
from gradatim.plots.error_surface import SurfacePanel, error_surfaces


def test_paths_points_and_legend():
    path = descent_path(bowl, torch.zeros(2), lr=0.1, steps=5)
    box = ((-1.0, 4.0), (-3.0, 1.0))
    quiet = SurfacePanel("quiet", bowl, box, {"_hidden": path})
    loud = SurfacePanel("loud", bowl, box, {"step 0.1": path}, torch.tensor([[2.0, -1.0]]))
    figure = error_surfaces([quiet, loud])
    left, right = figure.axes
    assert left.get_legend() is None
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["step 0.1"]
    np.testing.assert_allclose(np.stack(right.lines[0].get_data(), axis=1), path.numpy())
    assert [float(value[0]) for value in right.lines[1].get_data()] == [2.0, -1.0]
    assert right.get_xlim() == box[0]
    assert right.get_ylim() == box[1]
    figure.draw_without_rendering()
