"""Figures of activations and layers show what they were given."""

import torch
from torch import nn

from gradatim.instruments import variance_profile
from gradatim.plots.activations import variance_profiles


def test_variance_profiles_draw_the_chosen_layers():
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
    profile = variance_profile(model, torch.randn(8, 3))
    forward, backward = variance_profiles({"net": profile}).axes
    assert list(forward.lines[0].get_ydata()) == [
        profile[0].activation_variance,
        profile[2].activation_variance,
    ]
    assert list(backward.lines[0].get_ydata()) == [
        profile[0].gradient_variance,
        profile[2].gradient_variance,
    ]
    assert forward.get_yscale() == "log"
