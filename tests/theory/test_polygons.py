import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from gradatim.theory.polygons import area, box_polygon, join, level_segments, signed_distance, split

BOX = box_polygon(((-1.0, 1.0), (-1.0, 1.0)))


def line(angle, offset):
    return np.array([[np.cos(angle), np.sin(angle), offset]])


def test_cutting_a_square_in_half():
    distance = signed_distance(BOX, np.array([[2.0, 0.0, 0.0]]), 1e-9)
    assert distance.tolist() == [[-1.0, 1.0, 1.0, -1.0]]
    right, left = split(BOX, distance)
    assert area(right) == area(left) == 2.0
    assert right[0, :, 0].min() == left[0, :, 0].max() == 0.0


def test_cutting_through_two_corners_gives_triangles():
    distance = signed_distance(BOX, np.array([[1.0, -1.0, 0.0]]), 1e-9)
    for part in split(BOX, distance):
        assert len(np.unique(part[0], axis=0)) == 3
        assert area(part)[0] == pytest.approx(2.0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 2 * np.pi), st.floats(-0.9, 0.9)), min_size=1, max_size=8))
def test_cuts_keep_the_area_and_stay_convex(lines):
    cells = BOX
    for angle, offset in lines:
        distance = signed_distance(cells, np.repeat(line(angle, offset), len(cells), axis=0), 1e-9)
        cut = (distance.max(axis=1) > 0) & (distance.min(axis=1) < 0)
        if cut.any():
            above, below = split(cells[cut], distance[cut])
            np.testing.assert_allclose(area(above) + area(below), area(cells[cut]), atol=1e-12)
            cells = join(cells[~cut], above, below)
    assert area(cells).sum() == pytest.approx(4.0)
    for cell in cells:
        if area(cell[None])[0] > 1e-6:
            assert ConvexHull(cell).volume == pytest.approx(area(cell[None])[0])


def test_a_constant_has_no_line():
    lines = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, -2.0], [0.0, 0.0, 0.0]])
    distance = signed_distance(np.repeat(BOX, 3, axis=0), lines, 1e-9)
    assert [set(row) for row in distance.tolist()] == [{np.inf}, {-np.inf}, {0.0}]


def test_join_pads_by_repeating_the_last_vertex():
    triangle = np.array([[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]])
    joined = join(BOX, triangle)
    assert joined.shape == (2, 4, 2)
    assert joined[1, 3].tolist() == [0.0, 1.0]
    assert area(joined).tolist() == [4.0, 0.5]


def test_level_segments_of_a_plane():
    values = BOX[..., 0] + BOX[..., 1] - 1.0
    segments = level_segments(np.repeat(BOX, 2, axis=0), np.concatenate((values, values + 5.0)))
    assert segments.shape == (1, 2, 2)
    assert sorted(segments[0].tolist()) == [[0.0, 1.0], [1.0, 0.0]]
