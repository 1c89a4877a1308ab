import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.generative import copying_share, exact_repeats
from gradatim.randomness import seeded


def draw(*sizes, d=2, seed=0):
    with seeded(seed):
        return tuple(torch.randn(n, d) for n in sizes)


def test_it_is_the_share_among_equally_many_rows_averaged_over_all_draws():
    """Of M training rows, c of them nearer than the nearest of H held-out ones, H are drawn without return."""
    samples, train, held_out = draw(30, 40, 10)
    nearest = torch.cdist(samples, held_out).min(1)[0]
    closer = (torch.cdist(samples, train) < nearest[:, None]).sum(1)
    none = [1.0] * 30
    for i, c in enumerate(closer.tolist()):
        for drawn in range(10):
            none[i] *= max(40 - c - drawn, 0) / (40 - drawn)
    found = copying_share(samples, train, held_out, num_draws=2000)
    assert found.value == pytest.approx(1 - sum(none) / 30, abs=0.01)


def test_a_generator_that_gives_back_its_rows_is_found_out():
    train, held_out = draw(300, 300)
    noise = draw(300, seed=1)[0]
    found = copying_share(train + 0.01 * noise, train, held_out)
    assert found.value > 0.85
    assert found.low > 0.8
    assert copying_share(train, train, held_out) == (1.0, 1.0, 1.0)


def test_it_is_half_when_train_and_held_out_rows_are_the_same():
    samples, train = draw(50, 60)
    assert copying_share(samples, train, train).value == 0.5


@pytest.mark.parametrize(("num_samples", "num_train"), [(100, 100), (500, 100), (200, 400)])
def test_the_interval_of_an_honest_generator_holds_one_half(num_samples, num_train):
    """Also with many samples to each real row, which say little more than one."""
    trials = [draw(num_samples, num_train, 100, seed=seed) for seed in range(60)]
    found = [copying_share(*trial, num_draws=10) for trial in trials]
    held = sum(each.low <= 0.5 <= each.high for each in found)
    assert held >= 51  # of 60 intervals at 95 %: fewer has probability 2e-3
    mean = sum(each.value for each in found) / 60
    assert mean == pytest.approx(0.5, abs=0.02)


def test_fewer_training_rows_than_held_out_ones_are_met_by_fewer_of_these():
    samples, train, held_out = draw(400, 20, 200)
    assert copying_share(samples, train, held_out, num_draws=50).value == pytest.approx(
        0.5, abs=0.15
    )


def test_images_are_rows_and_blocks_change_nothing(monkeypatch):
    samples, train, held_out = (rows.reshape(-1, 1, 2, 2) for rows in draw(30, 40, 20, d=4))
    whole = copying_share(samples, train, held_out)
    monkeypatch.setattr("gradatim.generative.copying.BLOCK", 100)
    assert copying_share(samples, train, held_out) == whole


def test_repeats_of_common_rows_are_no_copies_of_unique_ones():
    train = torch.tensor([[1, 2], [3, 4], [3, 4], [5, 6], [7, 8]])
    samples = torch.tensor([[1, 2], [1, 2], [3, 4], [5, 6], [0, 0]])
    assert exact_repeats(samples, train) == (4, 3)
    assert exact_repeats(samples, train, torch.tensor([[5, 6]])) == (4, 2)
    assert exact_repeats(torch.tensor([[-0.0]]), torch.tensor([[0.0]])) == (1, 1)


def test_errors():
    rows = torch.zeros(3, 2)
    with pytest.raises(
        GradatimError, match="samples, train and held_out must be rows of the same numbers, got"
    ):
        copying_share(rows, rows, torch.zeros(3, 1))
    with pytest.raises(GradatimError, match="num_draws must be at least 1, got 0"):
        copying_share(rows, rows, rows, num_draws=0)
    with pytest.raises(
        GradatimError, match="exact_repeats: samples, train and held_out must be rows"
    ):
        exact_repeats(rows, torch.zeros(3, 1))
