"""Figures of backpropagation show what they were given."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.backprop import backpropagate, computation_graph, jacobian_cost
from gradatim.plots.backprop import graph_figure, jacobian_cost_figure, trace_figure


def test_trace_figure_plots_the_norms_of_the_table():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    trace = backpropagate(model, F.mse_loss, torch.randn(5, 3), torch.randn(5, 1))
    lines = {line.get_label(): line for line in trace_figure(trace).axes[1].lines}
    table = trace.table()
    assert list(lines["co-state ‖p‖"].get_xdata()) == pytest.approx(table["‖p‖"].tolist())
    assert list(lines["gradient ‖∂E/∂θ‖"].get_xdata()) == pytest.approx(
        table["‖gradient‖"].dropna().tolist()
    )
    assert list(lines["gradient ‖∂E/∂θ‖"].get_ydata()) == [1, 3]


def test_trace_figure_grows_with_the_chain_and_shortens_names():
    layers = {f"a_very_long_name_of_a_layer_{i}": nn.Tanh() for i in range(30)}
    model = nn.Sequential()
    for name, layer in layers.items():
        model.add_module(name, layer)
    trace = backpropagate(model, F.mse_loss, torch.randn(2, 2), torch.zeros(2, 2))
    figure = trace_figure(trace)
    assert figure.get_figheight() > 14
    assert all(len(text.get_text()) <= 40 for text in figure.axes[0].texts)
    figure.draw_without_rendering()


def test_trace_figure_without_gradient_flow():
    class Stop(nn.Module):
        def forward(self, x):
            return x.detach()

    trace = backpropagate(
        nn.Sequential(nn.Linear(2, 2), Stop()), F.mse_loss, torch.zeros(1, 2), torch.ones(1, 2)
    )
    trace_figure(trace).draw_without_rendering()


def test_jacobian_cost_figure_draws_both_modes():
    axes = jacobian_cost_figure(jacobian_cost([1, 2, 4], [1, 2], repeats=1)).axes
    forward = axes[0].lines[0]
    assert forward.get_label() == "forward"
    assert list(forward.get_xdata()) == [1, 2, 4]
    assert list(forward.get_ydata()) == [3, 4, 6]
    assert axes[1].get_ylim() == axes[0].get_ylim()


def test_graph_figure_is_readable_for_sixty_nodes():
    x = torch.ones(3, requires_grad=True)
    values = [x * i for i in range(20)]
    loss = sum(v.tanh().sum() for v in values)
    figure = graph_figure(computation_graph(loss, {"x": x}))
    figure.draw_without_rendering()
    boxes = [patch.get_bbox() for patch in figure.axes[0].patches if hasattr(patch, "get_boxstyle")]
    assert len(boxes) > 60
    overlaps = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)]
    assert not overlaps
