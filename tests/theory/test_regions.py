import re
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from torch import nn

from gradatim.models import MLP
from gradatim.theory import activation_patterns, count_regions, enclosing_domain, zaslavsky
from gradatim.theory.polygons import area

SQUARE = ((-2.0, 2.0), (-2.0, 2.0))


def random_net(sizes, seed=0, activation="relu"):
    model = MLP(sizes, activation=activation)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(generator=generator)
    return model.double()


def feasible_patterns(weight, bias, half_side):
    """Brute force: for each of the 2^m patterns, a linear program looks for an interior point."""
    count = 0
    for pattern in product((-1.0, 1.0), repeat=len(bias)):
        sign = np.array(pattern)
        # maximize t subject to sign * (w x + b) >= t * |w|, within the box
        norm = np.linalg.norm(weight, axis=1)
        A = np.column_stack((-sign[:, None] * weight, norm))
        bounds = [(-half_side, half_side)] * weight.shape[1] + [(None, 1.0)]
        cost = np.zeros(weight.shape[1] + 1)
        cost[-1] = -1.0
        result = linprog(cost, A_ub=A, b_ub=sign * bias, bounds=bounds)
        count += result.status == 0 and -result.fun > 1e-9
    return count


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("inputs", [1, 2])
def test_one_layer_against_linear_programs(inputs, seed):
    model = random_net((inputs, 6, 1), seed)
    weight, bias = (model[0].weight.detach().numpy(), model[0].bias.detach().numpy())
    regions = count_regions(model, ((-2.0, 2.0),) * inputs)
    assert regions.is_exact
    assert regions.count == feasible_patterns(weight, bias, 2.0)


@pytest.mark.parametrize("seed", range(5))
def test_lines_in_a_box_by_eulers_formula(seed):
    """Regions = 1 + lines that meet the box + crossings inside it (general position)."""
    model = random_net((2, 12, 1), seed)
    W, b = model[0].weight.detach().numpy(), model[0].bias.detach().numpy()
    corners = np.array(list(product((-2.0, 2.0), repeat=2)))
    heights = corners @ W.T + b
    meets = int(((heights.max(axis=0) > 0) & (heights.min(axis=0) < 0)).sum())
    pairs = [(i, j) for i in range(12) for j in range(i)]
    crossings = [np.linalg.solve(W[list(pair)], -b[list(pair)]) for pair in pairs]
    inside = sum(np.abs(point).max() < 2.0 for point in crossings)
    assert count_regions(model, SQUARE).count == 1 + meets + inside


@pytest.mark.parametrize(("inputs", "units"), [(1, 1), (1, 6), (1, 40), (2, 3), (2, 7), (2, 16)])
def test_general_position_attains_zaslavsky(inputs, units):
    model = random_net((inputs, units, 1), seed=3)
    domain = enclosing_domain(model, input_dim=inputs)
    assert count_regions(model, domain, tol=1e-12).count == zaslavsky(units, inputs)


@settings(max_examples=40, deadline=None)
@given(
    inputs=st.sampled_from([1, 2]),
    rows=st.lists(
        st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=8
    ),  # small integers: parallel, equal and concurrent lines, zero rows
)
def test_never_more_than_zaslavsky_even_in_degenerate_position(inputs, rows):
    table = torch.tensor(rows, dtype=torch.float64)
    model = nn.Sequential(nn.Linear(inputs, len(rows)), nn.ReLU()).double()
    with torch.no_grad():
        model[0].weight.copy_(table[:, :inputs])
        model[0].bias.copy_(table[:, 2])
    domain = ((-7.3, 8.1), (-6.9, 7.7))[:inputs]
    regions = count_regions(model, domain)
    distinct = {tuple(row) for row in map(tuple, rows) if any(row[:inputs])}
    assert 1 <= regions.count <= zaslavsky(len(distinct), inputs)
    # every cell is met: its centre has its pattern, and no two cells share a pattern
    centres = regions.vertices.mean(axis=1)
    assert len(np.unique(regions.patterns, axis=0)) == regions.count
    if inputs == 1:
        assert (activation_patterns(model, centres) == regions.patterns).all()


@pytest.mark.parametrize("activation", ["relu", "leaky_relu"])
@pytest.mark.parametrize("sizes", [(2, 8, 8, 1), (2, 16, 16, 16, 2)])
def test_deep_partition_is_a_partition_into_affine_pieces(sizes, activation):
    model = random_net(sizes, seed=1, activation=activation)
    regions = count_regions(model, SQUARE)
    assert area(regions.vertices).sum() == pytest.approx(16.0)
    centres = np.stack([polygon.mean(axis=0) for polygon in regions.polygons])
    assert (activation_patterns(model, centres) == regions.patterns).all()
    affine = np.einsum("poi,pi->po", regions.weights, centres) + regions.offsets
    np.testing.assert_allclose(affine, model(torch.tensor(centres)).detach().numpy(), atol=1e-9)
    # every pattern that occurs at random points is the pattern of a cell
    x = np.random.default_rng(0).uniform(-2, 2, size=(20_000, 2))
    met = {row.tobytes() for row in activation_patterns(model, x)}
    known = {row.tobytes() for row in regions.patterns}
    assert met <= known
    assert len(known) == regions.count


def test_deep_one_dimensional_breakpoints_are_where_the_slope_changes():
    model = random_net((1, 9, 7, 1), seed=2)
    regions = count_regions(model, [(-3.0, 3.0)])
    ends = np.concatenate(([-3.0], regions.breakpoints, [3.0]))
    assert len(ends) == regions.count + 1
    assert (np.diff(ends) > 0).all()
    np.testing.assert_array_equal(
        regions.vertices[:, :, 0], np.stack((ends[:-1], ends[1:]), axis=1)
    )
    for low, high, slope in zip(ends[:-1], ends[1:], regions.weights[:, 0, 0], strict=True):
        x = torch.linspace(low, high, 5, dtype=torch.float64)[1:-1, None].requires_grad_()
        (gradient,) = torch.autograd.grad(model(x).sum(), x)
        np.testing.assert_allclose(gradient.numpy(), slope, atol=1e-9)


def test_six_units_on_a_line_make_at_most_seven_pieces_from_nineteen_parameters():
    model = random_net((1, 6, 1), seed=0)
    assert sum(p.numel() for p in model.parameters()) == 19
    assert count_regions(model, enclosing_domain(model, input_dim=1)).count == 7
    wide = random_net((1, 500, 1), seed=0)
    assert sum(p.numel() for p in wide.parameters()) == 1501
    assert count_regions(wide, enclosing_domain(wide, input_dim=1), tol=1e-13).count == 501


def test_repeated_parallel_and_dead_units_add_nothing():
    model = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 1)).double()
    rows = [[1, 0], [2, 0], [-1, 0], [1, 0], [0, 0], [0, 0]]  # x=0 thrice, x=1, and two constants
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor(rows))
        model[0].bias.copy_(torch.tensor([0.0, 0.0, 0.0, -1.0, 1.0, 0.0]))
    assert count_regions(model, SQUARE).count == 3


def test_concurrent_lines():
    angles = torch.arange(8, dtype=torch.float64) * torch.pi / 8 + 0.1
    model = nn.Sequential(nn.Linear(2, 8), nn.ReLU()).double()
    with torch.no_grad():
        model[0].weight.copy_(torch.stack((angles.cos(), angles.sin()), dim=1))
        model[0].bias.copy_(-model[0].weight @ torch.tensor([0.3, -0.2], dtype=torch.float64))
    assert count_regions(model, SQUARE).count == 16


def test_an_affine_model_has_one_region():
    assert count_regions(nn.Linear(2, 3), SQUARE).count == 1
    assert count_regions(nn.Linear(1, 3), SQUARE[:1]).count == 1


def test_scale_does_not_matter():
    model, factor = random_net((2, 10, 10, 1), seed=4), 1e-6
    small = random_net((2, 10, 10, 1), seed=4)
    with torch.no_grad():
        small[0].weight.div_(factor)
    tiny = tuple((low * factor, high * factor) for low, high in SQUARE)
    assert count_regions(small, tiny).count == count_regions(model, SQUARE).count


def test_more_inputs_give_a_lower_bound():
    model = random_net((3, 5, 1), seed=0)
    few = count_regions(model, ((-9.0, 9.0),) * 3, num_samples=50)
    many = count_regions(model, ((-9.0, 9.0),) * 3, num_samples=40_000)
    assert not few.is_exact
    assert few.count < many.count <= zaslavsky(5, 3)
    assert repr(few).startswith(f"Regions(count={few.count}, is_exact=False, domain=")
    again = count_regions(model, ((-9.0, 9.0),) * 3, num_samples=50, seed=0)
    assert (again.patterns == few.patterns).all()


def test_decision_boundary_lies_where_the_output_is_zero():
    model = random_net((2, 8, 8, 1), seed=5)
    regions = count_regions(model, SQUARE)
    segments = regions.decision_boundary(level=0.3)
    share = np.linspace(0, 1, 5)[:, None, None]
    points = (segments[:, 0] * (1 - share) + segments[:, 1] * share).reshape(-1, 2)
    np.testing.assert_allclose(model(torch.tensor(points)).detach().numpy(), 0.3, atol=1e-9)
    # along random horizontals it is met as often as the sign changes
    heights = np.random.default_rng(0).uniform(-2, 2, size=100)
    low, high = segments[..., 1].min(axis=1), segments[..., 1].max(axis=1)
    met = ((low < heights[:, None]) & (heights[:, None] < high)).sum()
    x, y = np.meshgrid(np.linspace(-2, 2, 2001), heights)
    positive = model(torch.tensor(np.stack((x, y), axis=2)).reshape(-1, 2)) > 0.3
    changes = positive.reshape(x.shape).int().diff(dim=1).abs().sum()
    assert met == int(changes) > 50


def test_two_outputs_meet_where_they_are_equal():
    model = random_net((2, 8, 2), seed=5)
    points = count_regions(model, SQUARE).decision_boundary().reshape(-1, 2)
    outputs = model(torch.tensor(points))
    torch.testing.assert_close(outputs[:, 0], outputs[:, 1])


@pytest.mark.parametrize("domain", [(), ((1.0, -1.0),), ((0.0, np.inf), (0.0, 1.0))])
def test_refuses_a_bad_domain(domain):
    message = "count_regions: domain must be pairs (low, high) with low < high, one per input"
    with pytest.raises(ValueError, match=re.escape(message)):
        count_regions(nn.Linear(2, 1), domain)


def test_refuses_what_a_domain_does_not_have():
    line = count_regions(nn.Linear(1, 1), [(0, 1)])
    with pytest.raises(
        ValueError, match=r"Regions.polygons: the domain must have 2 dimensions, got 1"
    ):
        _ = line.polygons
    plane = count_regions(nn.Linear(2, 3), SQUARE)
    with pytest.raises(
        ValueError, match=r"Regions.breakpoints: the domain must have 1 dimension, got 2"
    ):
        _ = plane.breakpoints
    with pytest.raises(ValueError, match="the network must have one or two outputs, got 3"):
        plane.decision_boundary()
