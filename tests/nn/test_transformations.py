"""Transformations move what they say, and groups are groups."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.nn import (
    dihedral_group,
    permutation,
    reflection,
    rotation,
    rotation_group,
    translation,
    translation_group,
)

IMAGE = torch.arange(20.0).reshape(4, 5)
SQUARE = torch.arange(16.0).reshape(4, 4)


def test_translation_moves_every_axis_it_names():
    moved = translation(1, -2)(IMAGE)
    for k in range(4):
        for j in range(5):
            assert moved[k, j] == IMAGE[(k - 1) % 4, (j + 2) % 5]
    assert torch.equal(translation(2)(IMAGE), IMAGE.roll(2, -1))


def test_reflection_names_its_axis():
    assert torch.equal(reflection()(IMAGE)[:, 0], IMAGE[:, -1])
    assert torch.equal(reflection(-2)(IMAGE)[0], IMAGE[-1])


def test_quarter_turns():
    turned = rotation(90)(IMAGE)  # counter-clockwise: the right column becomes the top row
    assert turned.shape == (5, 4)
    assert torch.equal(turned[0], IMAGE[:, -1])
    assert torch.equal(rotation(-90)(turned), IMAGE)
    assert torch.equal(rotation(180)(IMAGE), IMAGE.flip(0, 1))


def test_other_angles_continue_the_quarter_turns():
    exact, near = rotation(90)(SQUARE), rotation(90.001)(SQUARE)
    torch.testing.assert_close(near[1:-1, 1:-1], exact[1:-1, 1:-1], atol=1e-2, rtol=0)


def test_a_turn_of_a_long_image_keeps_angles():
    """The image of a diagonal line, turned by 45°, is a row or a column, not a slanted line."""
    image = torch.zeros(21, 41)
    steps = torch.arange(-8, 9)
    image[10 - steps, 20 + steps] = 1.0  # rises to the right
    turned = rotation(45)(image[None])[0]  # upright
    rows, columns = (turned > 0.3).nonzero().T
    assert columns.unique().numel() <= 3
    assert rows.max() - rows.min() >= 18


def test_permutation_gathers():
    assert permutation([1, 0, 2], axis=0)(torch.tensor([[1], [2], [3]])).flatten().tolist() == [
        2,
        1,
        3,
    ]


@pytest.mark.parametrize(
    ("group", "order"),
    [(rotation_group(), 4), (dihedral_group(), 8), (translation_group(4, 4), 16), (translation_group(4), 4)],
)  # fmt: skip
def test_groups_are_closed(group, order):
    images = {tuple(g(SQUARE).flatten().tolist()) for g in group}
    assert len(images) == len(group) == order
    products = {tuple(g(h(SQUARE)).flatten().tolist()) for g in group for h in group}
    assert products == images


def test_errors():
    with pytest.raises(InvalidValue, match=r"translation: shifts must name at least one axis"):
        translation()
    with pytest.raises(InvalidValue, match=r"order must hold each of 0\.\.2 once, got \[0, 0, 1\]"):
        permutation([0, 0, 1])
