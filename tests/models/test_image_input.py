import re

import pytest
import torch

from gradatim.models.image_input import check_images


@pytest.mark.parametrize(
    ("shape", "size", "expected"),
    [
        ((2, 28, 28), None, "(B, 1, H, W), got (2, 28, 28)"),
        ((2, 3, 28, 28), None, "(B, 1, H, W), got (2, 3, 28, 28)"),
        ((2, 1, 28, 32), 28, "(B, 1, 28, 28), got (2, 1, 28, 32)"),
    ],
)
def test_refuses_by_message(shape, size, expected):
    message = (
        f"Net: x must have shape {expected}. Reshape the images, or build the model for theirs."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        check_images("Net", torch.zeros(shape), 1, size)


def test_any_size_where_none_is_asked_for():
    check_images("Net", torch.zeros(2, 1, 5, 7), 1)
