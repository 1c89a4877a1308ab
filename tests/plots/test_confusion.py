import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots import confusion_matrix


def numbers(figure):
    axes = figure.axes[0]
    return {tuple(map(int, t.get_position())): t.get_text() for t in axes.texts}


def test_columns_are_predictions_and_zeros_stay_blank():
    figure = confusion_matrix([[1234, 2], [0, 9]], ["cat", "dog"])
    assert numbers(figure) == {(0, 0): "1,234", (1, 0): "2", (1, 1): "9"}
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("predicted", "true")
    assert [t.get_text() for t in axes.get_yticklabels()] == ["cat", "dog"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first class is on top


def test_colour_is_the_share_of_the_true_class():
    figure = confusion_matrix([[30, 10], [1, 3]])
    right, wrong = (image.get_array() for image in figure.axes[0].images)
    np.testing.assert_allclose(right.compressed(), [0.75, 0.75])
    np.testing.assert_allclose(wrong.compressed(), [0.25, 0.25])


def test_title_is_the_accuracy():
    assert confusion_matrix([[8, 2], [1, 9]]).axes[0].get_title() == "accuracy 85.0 %"
    assert confusion_matrix([[1]], title="Test").axes[0].get_title() == "Test"


def test_class_without_samples_draws():
    assert numbers(confusion_matrix([[0, 0], [0, 5]])) == {(1, 1): "5"}


@pytest.mark.parametrize("count", [2, 11, 20])
def test_numbers_fit_their_cells(count):
    figure = confusion_matrix(np.full((count, count), 1000))
    figure.draw_without_rendering()
    axes = figure.axes[0]
    cell = axes.get_window_extent().width / count
    assert all(text.get_window_extent().width < cell for text in axes.texts)


@pytest.mark.parametrize("counts", [[1, 2], [[1, 2]], [[-1]], np.zeros((0, 0))])
def test_counts_must_be_square(counts):
    with pytest.raises(
        InvalidValue, match=r"confusion_matrix: counts must be a square matrix of counts"
    ):
        confusion_matrix(counts)


def test_labels_must_match():
    with pytest.raises(InvalidValue, match=r"labels must name 2 classes, got 1"):
        confusion_matrix([[1, 0], [0, 1]], ["a"])
