"""The matrix of a convolution: its entries by hand, its product by convolution, its diagonals."""

import pytest
import torch
from scipy.linalg import circulant, toeplitz

from gradatim.errors import InvalidValue
from gradatim.nn import convolve, correlate, toeplitz_matrix

MODES = ("valid", "same", "full", "circular")
OPERATIONS = {"convolve": convolve, "correlate": correlate}


def test_the_circular_matrix_of_a_filter_of_three():
    w0, w1, w2 = 1.0, 2.0, 4.0
    expected = [
        [w0, w1, w2, 0, 0],
        [0, w0, w1, w2, 0],
        [0, 0, w0, w1, w2],
        [w2, 0, 0, w0, w1],
        [w1, w2, 0, 0, w0],
    ]
    matrix = toeplitz_matrix(torch.tensor([w0, w1, w2]), 5, "circular", operation="correlate")
    assert matrix.tolist() == expected


def test_scipy_builds_the_same():
    w = torch.tensor([1.0, 2.0, 4.0, 8.0])
    full = toeplitz([1, 2, 4, 8, 0, 0, 0, 0], [1, 0, 0, 0, 0])
    assert toeplitz_matrix(w, 5).tolist() == full.tolist()
    assert toeplitz_matrix(w, 6, "circular").tolist() == circulant([1, 2, 4, 8, 0, 0]).tolist()


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 6])
def test_product_is_the_operation(operation, mode, m):
    generator = torch.Generator().manual_seed(m)
    x, w = (torch.randn(n, generator=generator, dtype=torch.float64) for n in (6, m))
    matrix = toeplitz_matrix(w, 6, mode, operation=operation)
    torch.testing.assert_close(matrix @ x, OPERATIONS[operation](x, w, mode=mode))
    image = torch.randn(4, 6, generator=generator, dtype=torch.float64)
    kernel = torch.randn(3, m, generator=generator, dtype=torch.float64)
    blocks = toeplitz_matrix(kernel, (4, 6), mode, operation=operation)
    expected = OPERATIONS[operation](image, kernel, mode=mode)
    torch.testing.assert_close(blocks @ image.flatten(), expected.flatten())


@pytest.mark.parametrize("mode", MODES)
def test_every_diagonal_holds_one_number(mode):
    matrix = toeplitz_matrix(torch.tensor([3.0, 5.0, 7.0]), 8, mode)
    assert torch.equal(matrix[1:, 1:], matrix[:-1, :-1])
    assert set(matrix.unique().tolist()) <= {0.0, 3.0, 5.0, 7.0}


def test_one_number_means_a_square():
    assert toeplitz_matrix(torch.ones(2, 2), 3, "valid").shape == (4, 9)


def test_gradient_reaches_the_kernel():
    w = torch.randn(3, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(lambda w: toeplitz_matrix(w, 5, "same"), (w,))


def test_errors():
    w = torch.ones(3)
    with pytest.raises(InvalidValue, match=r"toeplitz_matrix: mode must be one of .*got 'ful'"):
        toeplitz_matrix(w, 5, "ful")
    with pytest.raises(InvalidValue, match=r"operation must be one of .*got 'both'"):
        toeplitz_matrix(w, 5, operation="both")
    with pytest.raises(InvalidValue, match=r"kernel must have shape \(m,\) or .*got \(1, 1, 3\)"):
        toeplitz_matrix(w[None, None], 5)
    with pytest.raises(
        InvalidValue, match=r"n must be at least the kernel's \(3,\) in mode 'valid'"
    ):
        toeplitz_matrix(w, 2, "valid")
