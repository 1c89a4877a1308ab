"""Every cell against its equation, one unit at a time, in plain Python floats."""

import cmath
import math

import pytest
import torch
from torch import nn

from gradatim.nn import CELLS, Recurrent


def sigmoid(z):
    return 1 / (1 + math.exp(-z))


class Blocks:
    """The parameters of a cell as lists; ``z(k, x, h)`` is the pre-activation of block ``k``."""

    def __init__(self, cell):
        self.H = cell.hidden_dim
        self.rest = {name: p.tolist() for name, p in cell.named_parameters()}
        self.W, self.b = self.rest.get("input.weight"), self.rest.get("input.bias")
        self.U = self.rest.get("recurrent.weight")

    def wx(self, k, x):
        rows = range(k * self.H, (k + 1) * self.H)
        return [self.b[r] + sum(w * v for w, v in zip(self.W[r], x, strict=True)) for r in rows]

    def uh(self, k, h):
        rows = self.U[k * self.H : (k + 1) * self.H]
        return [sum(u * v for u, v in zip(row, h, strict=True)) for row in rows]

    def z(self, k, x, h):
        return [a + b for a, b in zip(self.wx(k, x), self.uh(k, h), strict=True)]


def each(function, *columns):
    return [function(*values) for values in zip(*columns, strict=True)]


def elman(p, state, x):
    return (each(math.tanh, p.z(0, x, state[0])),)


def elman_relu(p, state, x):
    return ([max(a, 0.0) for a in p.z(0, x, state[0])],)


def residual(p, state, x):
    return (each(lambda q, a: q + math.tanh(a), p.uh(1, state[0]), p.z(0, x, state[0])),)


def highway(p, state, x):
    gate, new = each(sigmoid, p.z(1, x, state[0])), each(math.tanh, p.z(0, x, state[0]))
    return (each(lambda t, n, h: t * n + (1 - t) * h, gate, new, state[0]),)


def deep_transition(p, state, x):
    first = each(math.tanh, p.z(0, x, state[0]))
    rows, biases = p.rest["deeper.0.weight"], p.rest["deeper.0.bias"]
    return ([math.tanh(b + sum(w * v for w, v in zip(row, first, strict=True))) for row, b in zip(rows, biases, strict=True)],)  # fmt: skip


def antisymmetric(p, state, x):
    (h,), A, H = state, p.U, range(p.H)
    turned = [sum((A[i][j] - A[j][i]) * h[j] for j in H) - 0.01 * h[i] for i in H]
    return (each(lambda h, a, b: h + 0.1 * math.tanh(a + b), h, p.wx(0, x), turned),)


def lipschitz(p, state, x):
    (h,), M, H = state, p.rest["linear_part"], range(p.H)
    mixed = [sum((0.25 * (M[i][j] + M[j][i]) + 0.75 * (M[i][j] - M[j][i])) * h[j] for j in H) - 0.001 * h[i] for i in H]  # fmt: skip
    return (each(lambda h, m, a: h + 0.1 * (m + math.tanh(a)), h, mixed, p.z(0, x, h)),)


def lstm(p, state, x):
    h, c = state
    i, f, o = (each(sigmoid, p.z(k, x, h)) for k in (0, 1, 3))
    c = each(lambda f, c, i, n: f * c + i * math.tanh(n), f, c, i, p.z(2, x, h))
    return each(lambda o, c: o * math.tanh(c), o, c), c


def lstm_no_forget(p, state, x):
    h, c = state
    i, o = each(sigmoid, p.z(0, x, h)), each(sigmoid, p.z(2, x, h))
    c = each(lambda c, i, n: c + i * math.tanh(n), c, i, p.z(1, x, h))
    return each(lambda o, c: o * math.tanh(c), o, c), c


def lstm_output_map(p, state, x):
    _, c = lstm(p, state, x)
    o = each(sigmoid, p.z(3, x, state[0]))
    mixed = [sum(v * w for v, w in zip(row, c, strict=True)) for row in p.rest["output_map.weight"]]
    return each(lambda o, m: o * math.tanh(m), o, mixed), c


def lstm_peephole(p, state, x):
    h, c = state
    p_i, p_f, p_o = p.rest["peepholes"]
    i = each(lambda a, w, c: sigmoid(a + w * c), p.z(0, x, h), p_i, c)
    f = each(lambda a, w, c: sigmoid(a + w * c), p.z(1, x, h), p_f, c)
    c = each(lambda f, c, i, n: f * c + i * math.tanh(n), f, c, i, p.z(2, x, h))
    return each(lambda a, w, c: sigmoid(a + w * c) * math.tanh(c), p.z(3, x, h), p_o, c), c


def gru(p, state, x):
    (h,) = state
    r, z = each(sigmoid, p.z(0, x, h)), each(sigmoid, p.z(1, x, h))
    u = each(lambda a, b: a + b, p.uh(2, h), p.rest["candidate_bias"])
    new = each(lambda a, r, u: math.tanh(a + r * u), p.wx(2, x), r, u)
    return (each(lambda z, n, h: (1 - z) * n + z * h, z, new, h),)


def reset_first(p, h, x):
    r, z = each(sigmoid, p.z(0, x, h)), each(sigmoid, p.z(1, x, h))
    reset = each(lambda r, h: r * h, r, h)
    return z, each(math.tanh, p.z(2, x, reset))


def gru_cho(p, state, x):
    z, new = reset_first(p, state[0], x)
    return (each(lambda z, n, h: z * h + (1 - z) * n, z, new, state[0]),)


def gru_chung(p, state, x):
    z, new = reset_first(p, state[0], x)
    return (each(lambda z, n, h: (1 - z) * h + z * n, z, new, state[0]),)


def min_gru(p, state, x):
    z = each(sigmoid, p.wx(0, x))
    return (each(lambda z, n, h: (1 - z) * h + z * n, z, p.wx(1, x), state[0]),)


def min_lstm(p, state, x):
    f, i = each(sigmoid, p.wx(0, x)), each(sigmoid, p.wx(1, x))
    return (each(lambda f, i, n, h: (f * h + i * n) / (f + i), f, i, p.wx(2, x), state[0]),)


def lru(p, state, x):
    nu, phase, log_gamma, B = (p.rest[name] for name in ("nu", "phase", "log_gamma", "B"))
    eigenvalues = [cmath.exp(complex(-math.exp(n), f)) for n, f in zip(nu, phase, strict=True)]
    rows = [[complex(*pair) for pair in zip(*row, strict=True)] for row in B]
    drive = [math.exp(g) * sum(b * v for b, v in zip(row, x, strict=True)) for g, row in zip(log_gamma, rows, strict=True)]  # fmt: skip
    return (each(lambda a, h, u: a * h + u, eigenvalues, state[0], drive),)


def s6_parts(p, x):
    values = [b + sum(w * v for w, v in zip(row, x, strict=True)) for row, b in zip(p.W, p.b, strict=True)]  # fmt: skip
    H, N = p.H, len(p.rest["log_rates"][0])
    steps = [math.log1p(math.exp(z)) for z in values[H : 2 * H]]
    return values[:H], steps, values[2 * H : 2 * H + N], values[2 * H + N :]


def s6(p, state, x):
    u, steps, write, _ = s6_parts(p, x)
    moved, old = [], iter(state[0])
    for i, rates in enumerate(p.rest["log_rates"]):
        for a, b in zip(rates, write, strict=True):
            moved.append(math.exp(-steps[i] * math.exp(a)) * next(old) + steps[i] * b * u[i])
    return (moved,)


def shown(name, p, state, x):
    """What a cell outputs: the first part of its state, but for the state-space cells."""
    if name == "s6":
        u, _, _, read = s6_parts(p, x)
        rows = [state[0][i * len(read) : (i + 1) * len(read)] for i in range(p.H)]
        return [d * v + sum(c * h for c, h in zip(read, row, strict=True)) for d, v, row in zip(p.rest["skip"], u, rows, strict=True)]  # fmt: skip
    if name != "lru":
        return state[0]
    C = [[complex(re, -im) for re, im in row] for row in p.rest["C"]]
    return [d + sum(c * h for c, h in zip(row, state[0], strict=True)).real for d, row in zip(p.rest["d"], C, strict=True)]  # fmt: skip


EQUATIONS = {f.__name__: f for f in (elman, elman_relu, residual, highway, deep_transition, antisymmetric, lipschitz, lstm, lstm_no_forget, lstm_output_map, lstm_peephole, gru, gru_cho, gru_chung, min_gru, min_lstm, lru, s6)}  # fmt: skip


def shaken(name, input_dim=2, hidden_dim=3):
    rnn = Recurrent(name, input_dim, hidden_dim).double()
    for p in rnn.parameters():
        nn.init.normal_(p, std=0.7)
    return rnn


def test_every_cell_has_an_equation():
    assert EQUATIONS.keys() == CELLS.keys()


@pytest.mark.parametrize("name", CELLS)
def test_equation(name):
    """The run over time (kernel, scan or loop), the same without gradients, and step by step."""
    rnn = shaken(name)
    cell = rnn.cells[0]
    parameters, x = Blocks(cell), torch.randn(1, 6, 2, dtype=torch.float64)
    values = [0.3 + 0.2j, -0.5j] if name == "lru" else [0.3, -0.5, 0.1] * (cell.state_dim // 3)
    state = tuple(values for _ in range(cell.num_states))
    dtype = torch.complex128 if name == "lru" else torch.float64
    start = tuple(torch.tensor([part], dtype=dtype) for part in state)
    by_step, expected = start, []
    for x_t in x[0]:
        state = EQUATIONS[name](parameters, state, x_t.tolist())
        by_step, output = cell(by_step, x_t[None])
        expected.append(shown(name, parameters, state, x_t.tolist()))
        torch.testing.assert_close([part[0].tolist() for part in by_step], list(state))
        torch.testing.assert_close(output[0].tolist(), expected[-1])
    for is_wanted in (True, False):
        with torch.set_grad_enabled(is_wanted):
            outputs, last = rnn(x, state=tuple(part[None] for part in start))
        torch.testing.assert_close(outputs[0].tolist(), expected)
        torch.testing.assert_close([part[0, 0].tolist() for part in last], list(state))


@pytest.mark.parametrize("name", CELLS)
def test_gradient_equals_that_of_the_steps_summed_over_all_copies(name):
    """Backpropagation through time: every use of a weight contributes, and the contributions add up."""
    rnn = shaken(name)
    cell, x = rnn.cells[0], torch.randn(4, 7, 2, dtype=torch.float64)
    weights = torch.randn(4, 7, 3, dtype=torch.float64)
    parameters = list(rnn.parameters())
    whole = torch.autograd.grad((rnn(x)[0] * weights).sum(), parameters)
    state, copies, loss = tuple(part[0] for part in rnn.initial_state(4)), [], 0.0
    for t in range(7):
        copy = {k: p.detach().clone().requires_grad_() for k, p in cell.named_parameters()}
        state, y = torch.func.functional_call(cell, copy, (state, x[:, t]))
        copies.append(list(copy.values()))
        loss = loss + (y * weights[:, t]).sum()
    flat = torch.autograd.grad(loss, [p for copy in copies for p in copy], allow_unused=True, materialize_grads=True)  # fmt: skip
    n = len(parameters)
    summed = [sum(flat[k + t * n] for t in range(7)) for k in range(n)]
    torch.testing.assert_close(list(whole), summed)
