"""The scan against the loop it replaces."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from gradatim.errors import InvalidValue
from gradatim.nn.scan import BLOCK, linear_scan


def loop(a, b, initial=None):
    """The recurrence, one step after the other."""
    h = torch.zeros_like(b[:, 0]) if initial is None else initial
    a, states = a.expand(b.shape), []
    for t in range(b.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, 1)


def draw(shape, dtype, radius=1.0):
    a = radius * torch.rand(shape, dtype=torch.float64)
    return torch.polar(a, 6.3 * torch.rand_like(a)) if dtype.is_complex else a * torch.sign(torch.randn_like(a))  # fmt: skip


LENGTHS = st.sampled_from([1, 2, 5, BLOCK, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 7, 1100])
SHAPES = [(2, None, 3), (1, None, 3), (2, 1, 3), (3,), (1,)]


@settings(max_examples=40, deadline=None)
@given(
    T=LENGTHS,
    shape=st.sampled_from(SHAPES),
    dtype=st.sampled_from([torch.float64, torch.complex128]),
    has_initial=st.booleans(),
    seed=st.integers(0, 99),
)
def test_states_and_gradients_equal_the_loop(T, shape, dtype, has_initial, seed):
    torch.manual_seed(seed)
    a = draw([T if size is None else size for size in shape], dtype).requires_grad_()
    b = torch.randn(2, T, 3, dtype=dtype, requires_grad=True)
    initial = torch.randn(2, 3, dtype=dtype, requires_grad=True) if has_initial else None
    inputs = [p for p in (a, b, initial) if p is not None]
    ours, theirs = linear_scan(a, b, initial), loop(a, b, initial)
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)
    weights = torch.randn_like(theirs)
    grads = [torch.autograd.grad((h * weights).sum().abs(), inputs) for h in (ours, theirs)]
    torch.testing.assert_close(*grads, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("shape", [(2, 5, 2), (2,)])
def test_first_and_second_derivative(shape, dtype):
    a = draw(shape, dtype).requires_grad_()
    b = torch.randn(2, 5, 2, dtype=dtype, requires_grad=True)
    initial = torch.randn(2, 2, dtype=dtype, requires_grad=True)
    assert torch.autograd.gradcheck(linear_scan, (a, b, initial))
    assert torch.autograd.gradgradcheck(linear_scan, (a, b, initial))


def test_closed_forms():
    T = 1000
    ones = torch.ones(1, T, 1, dtype=torch.float64)
    counted = linear_scan(torch.ones(1, dtype=torch.float64), ones)
    torch.testing.assert_close(counted.flatten(), torch.arange(1.0, T + 1, dtype=torch.float64))
    geometric = linear_scan(torch.full((1,), 0.9, dtype=torch.float64), ones)
    t = torch.arange(1, T + 1, dtype=torch.float64)
    torch.testing.assert_close(geometric.flatten(), (1 - 0.9**t) / 0.1)
    turned = linear_scan(torch.polar(torch.ones(1), torch.tensor([math.pi / 2])), ones.to(torch.complex64))  # fmt: skip
    assert turned[0, 3::4].abs().max() < 1e-3  # 1 + i - 1 - i = 0, again and again


def test_zeros_tiny_and_huge_coefficients_are_harmless():
    """A quotient of cumulative products would give NaN here."""
    T = 500
    a = torch.rand(1, T, 4)
    a[:, ::7] = 0.0
    a[:, 1::7] = 1e-30
    a[:, 2::7] = 1e4
    b = torch.randn(1, T, 4)
    torch.testing.assert_close(linear_scan(a, b), loop(a, b))


def test_single_precision_on_the_unit_circle():
    """4096 turns without decay: the scan is as near to the truth as the loop, up to a small factor."""
    torch.manual_seed(0)
    a = torch.polar(torch.ones(64), 6.3 * torch.rand(64))
    b = torch.randn(2, 4096, 64, dtype=torch.complex64)
    truth = loop(a.to(torch.complex128), b.to(torch.complex128))
    error = [(h - truth).abs().max().item() for h in (linear_scan(a, b), loop(a, b))]
    assert error[0] < 4 * error[1]


def test_depth_grows_with_the_logarithm_of_time():
    """Kernels launched one after the other: a constant number more for 32 times the length."""

    class Counter(TorchDispatchMode):
        calls = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            self.calls += function is torch.ops.aten.addcmul.out
            return function(*args, **(kwargs or {}))

    def kernels(T):
        with Counter() as counter:
            linear_scan(torch.full((1, T, 1), 0.5), torch.ones(1, T, 1))
        return counter.calls

    assert kernels(2 * BLOCK**2) - kernels(2 * BLOCK) == 2 * BLOCK


def test_mixed_types_promote_and_empty_time_is_empty():
    assert linear_scan(torch.ones(1), torch.ones(1, 2, 1, dtype=torch.complex64)).dtype == torch.complex64  # fmt: skip
    assert linear_scan(torch.ones(3), torch.ones(2, 0, 3)).shape == (2, 0, 3)


@pytest.mark.parametrize(
    ("a", "b", "initial", "message"),
    [
        ((2, 5), (2, 4), None, r"a must broadcast to b .*, got \(2, 5\) and \(2, 4\)"),
        ((4,), (4,), None, r"a must broadcast to b of shape \(batch, time, ...\), got \(4,\) and \(4,\)"),
        ((2, 1), (1, 4), None, "a must broadcast to b"),
        ((1,), (2, 4, 3), (2, 4), r"initial must be of shape \(2, 3\), got \(2, 4\)"),
    ],
)  # fmt: skip
def test_errors(a, b, initial, message):
    with pytest.raises(InvalidValue, match=message):
        linear_scan(torch.ones(a), torch.ones(b), None if initial is None else torch.ones(initial))
