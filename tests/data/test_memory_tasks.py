import pytest
import torch

from gradatim.data import adding_task, copy_task
from gradatim.errors import InvalidValue


def test_copying_shows_distracts_and_asks():
    x, y = copy_task(200, lag=7, symbols=4, generator=torch.Generator().manual_seed(0))
    tokens = x.argmax(-1)
    assert torch.equal(x.sum(-1), torch.ones(200, 9))
    assert torch.equal(tokens[:, 0], y)
    assert set(y.tolist()) == {0, 1, 2, 3}
    assert set(tokens[:, 1:-1].flatten().tolist()) == {4, 5}  # nothing that could be the answer
    assert set(tokens[:, -1].tolist()) == {6}


def test_adding_marks_one_number_in_each_half():
    x, y = adding_task(500, length=9, generator=torch.Generator().manual_seed(0))
    assert torch.equal(x[:, :4, 1].sum(1), torch.ones(500))
    assert torch.equal(x[:, 4:, 1].sum(1), torch.ones(500))
    for row, total in zip(x.tolist(), y.tolist(), strict=True):
        assert total[0] == pytest.approx(sum(value for value, mark in row if mark))


def test_what_guessing_the_mean_gives():
    _, y = adding_task(50_000, length=4, generator=torch.Generator().manual_seed(0))
    assert (y - 1).square().mean().item() == pytest.approx(1 / 6, abs=0.01)
    assert ((y - 1).abs() < 0.1).float().mean().item() == pytest.approx(0.19, abs=0.01)


def test_equal_generators_draw_equal_data():
    for draw in (copy_task, adding_task):
        first, second = (draw(5, 6, generator=torch.Generator().manual_seed(3)) for _ in range(2))
        assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: copy_task(0, 3), "copy_task: num_samples must be 1 or more and lag 0 or more, got 0 and 3"),
        (lambda: adding_task(4, 1), "adding_task: num_samples must be 1 or more and length 2 or more, got 4 and 1"),
    ],
)  # fmt: skip
def test_errors(draw, message):
    with pytest.raises(InvalidValue, match=message):
        draw()
