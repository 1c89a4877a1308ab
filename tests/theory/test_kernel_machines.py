import numpy as np
import pytest
import torch
from scipy.linalg import expm
from sklearn.kernel_ridge import KernelRidge

from gradatim.errors import InvalidValue
from gradatim.theory import kernel_dynamics, kernel_regression


def kernel(count=6, seed=0):
    x = torch.randn(count, 8, generator=torch.Generator().manual_seed(seed)).double()
    return x @ x.T


@pytest.mark.parametrize("shape", [(4,), (4, 3)])
def test_it_equals_kernel_ridge_regression(shape):
    K, y = kernel(), torch.randn(shape).double()
    expected = KernelRidge(alpha=0.3, kernel="precomputed").fit(K[:4, :4], y).predict(K[4:, :4])
    torch.testing.assert_close(kernel_regression(K[:4, :4], y, K[4:, :4], ridge=0.3), torch.from_numpy(expected))  # fmt: skip


def test_training_inputs_get_their_targets_wherever_it_starts():
    K, y, start = kernel(), torch.randn(6).double(), torch.randn(6).double()
    torch.testing.assert_close(kernel_regression(K, y, K, f_train=start, f_test=start), y)


def test_far_from_all_data_the_start_remains():
    K, y = kernel(), torch.randn(6).double()
    assert kernel_regression(K, y, torch.zeros(2, 6).double(), f_test=torch.tensor([1.0, 2.0]).double()).tolist() == [1.0, 2.0]  # fmt: skip


def test_repeated_inputs_get_a_remedy():
    K = torch.ones(3, 3).double()
    with pytest.raises(InvalidValue, match=r"^kernel_regression: K must be positive definite, .* Try ridge=1e-06\.$"):  # fmt: skip
        kernel_regression(K, torch.ones(3).double(), K)
    assert kernel_regression(K, torch.ones(3).double(), K, ridge=1e-6).tolist() == pytest.approx([1.0] * 3, abs=1e-5)  # fmt: skip
    with pytest.raises(InvalidValue, match="ridge must be at least 0, got -1"):
        kernel_regression(K, torch.ones(3).double(), K, ridge=-1.0)


@pytest.mark.parametrize("shape", [(6,), (6, 2)])
def test_the_flow_is_a_matrix_exponential(shape):
    K, y, f0 = kernel(), torch.randn(shape).double(), torch.randn(shape).double()
    times = torch.tensor([0.0, 0.01, 0.3]).double()
    found = kernel_dynamics(K, y, f0, times)
    for t, f in zip(times, found, strict=True):
        np.testing.assert_allclose(
            f, y.numpy() + expm(-t.item() * K.numpy()) @ (f0 - y).numpy(), atol=1e-10
        )


def test_small_steps_of_descent_follow_the_flow():
    K, y, f = kernel(), torch.ones(6).double(), torch.zeros(6).double()
    step = 1e-5
    for _ in range(2000):
        f = f - step * K @ (f - y)
    found = kernel_dynamics(K, y, torch.zeros(6).double(), [2000 * step])[0]
    torch.testing.assert_close(found, f, rtol=1e-3, atol=1e-3)


def test_time_runs_forwards():
    with pytest.raises(InvalidValue, match="times must be at least 0"):
        kernel_dynamics(kernel(), torch.ones(6).double(), torch.zeros(6).double(), [-1.0])


def test_outputs_that_run_away_are_no_kernel():
    with pytest.raises(InvalidValue, match="K must be positive semidefinite, got one with eigenvalue -1"):  # fmt: skip
        kernel_dynamics([[1.0, 2.0], [2.0, 1.0]], [1.0, 0.0], [0.0, 0.0], [1.0])


def test_repeated_inputs_have_a_flow():
    """Their kernel has an eigenvalue 0, by rounding a little less: half of the gap never closes."""
    x = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
    K = torch.cat([x, x]) @ torch.cat([x, x]).T
    found = kernel_dynamics(K, torch.zeros(80), torch.eye(80)[0], [0.0, 1e6])
    torch.testing.assert_close(found[0], torch.eye(80)[0], rtol=0, atol=1e-5)
    assert 0.1 < float(found[1].abs().max()) < 1.1
