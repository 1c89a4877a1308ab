"""What the gates of each cell must do at their ends, and how the cells relate."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.nn import (
    CELLS,
    AntisymmetricCell,
    ChoGRUCell,
    ChungGRUCell,
    DeepTransitionCell,
    ElmanCell,
    GRUCell,
    HighwayCell,
    LipschitzCell,
    LSTMCell,
    MinLSTMCell,
    NoForgetLSTMCell,
    OutputMapLSTMCell,
    PeepholeLSTMCell,
    Recurrent,
    ResidualCell,
    S6Cell,
)

OPEN, SHUT = 100.0, -100.0


@pytest.fixture
def state():
    return torch.randn(2, 3), torch.randn(2, 3)


def set_gate(cell, block, value):
    """Hold a gate open or shut, whatever the input."""
    H = cell.hidden_dim
    cell.input.bias.detach()[block * H : (block + 1) * H] = value
    return cell


def test_lstm_gates_at_their_ends(state):
    x = torch.randn(2, 2)
    kept = set_gate(set_gate(LSTMCell(2, 3), 0, SHUT), 1, OPEN)
    torch.testing.assert_close(
        kept(state, x)[0][1], state[1]
    )  # f = 1, i = 0: the cell is unchanged
    reset = set_gate(LSTMCell(2, 3), 1, SHUT)
    h = state[0]
    fresh = reset((h, torch.zeros(2, 3)), x)[0][1]
    torch.testing.assert_close(reset((h, state[1]), x)[0][1], fresh)  # f = 0: the past is gone
    assert not set_gate(LSTMCell(2, 3), 3, SHUT)(state, x)[1].any()  # o = 0: nothing is shown
    ignoring = set_gate(LSTMCell(2, 3), 0, SHUT)
    half = ignoring.gates(h, ignoring.project(x)).forget * state[1]
    torch.testing.assert_close(ignoring(state, x)[0][1], half)  # i = 0: the candidate is ignored
    halving = set_gate(set_gate(LSTMCell(2, 3), 0, SHUT), 1, 0.0)
    for p in (halving.input.weight, halving.recurrent.weight):
        nn.init.zeros_(p)
    torch.testing.assert_close(halving(state, x)[0][1], state[1] / 2)  # f = 1/2 halves
    assert (LSTMCell(2, 3)((h, 50 * state[1]), x)[1].abs() <= 1).all()


def test_direct_path_of_the_lstm_is_the_forget_gate_and_the_whole_jacobian_is_not():
    """dc_t/dc_{t-1} = diag(f) only while h_{t-1} is held; over two steps the gates depend on c too."""
    torch.manual_seed(0)
    cell = LSTMCell(2, 3).double()
    x, h = torch.randn(2, 1, 2, dtype=torch.float64), torch.randn(1, 3, dtype=torch.float64)
    c = torch.randn(1, 3, dtype=torch.float64)
    forget = cell.gates(h, cell.project(x[0])).forget
    direct = torch.autograd.functional.jacobian(lambda c: cell((h, c), x[0])[0][1], c)[0, :, 0]
    torch.testing.assert_close(direct, torch.diag(forget[0]))

    def two_steps(c):
        return cell(cell((h, c), x[0])[0], x[1])[0][1]

    whole = torch.autograd.functional.jacobian(two_steps, c)[0, :, 0]
    after, _ = cell((h, c), x[0])
    product = torch.diag((cell.gates(after[0], cell.project(x[1])).forget * forget)[0])
    assert (whole - product).abs().max() > 1e-2
    assert (whole - torch.diag(whole.diagonal())).abs().max() > 1e-2


@pytest.mark.parametrize(
    ("kind", "value"), [(GRUCell, OPEN), (ChoGRUCell, OPEN), (ChungGRUCell, SHUT)]
)
def test_gru_keeps_the_state_at_one_end_of_its_update_gate_and_forgets_it_at_the_other(
    kind, value, state
):
    x, h = torch.randn(2, 2), state[:1]
    torch.testing.assert_close(set_gate(kind(2, 3), 1, value)(h, x)[1], h[0])
    fresh = set_gate(set_gate(kind(2, 3), 1, -value), 0, SHUT)  # r = 0 as well: the past is ignored
    torch.testing.assert_close(fresh(h, x)[1], fresh((torch.zeros(2, 3),), x)[1])


def test_chung_is_cho_with_the_update_gate_negated(state):
    cho, chung = ChoGRUCell(2, 3), ChungGRUCell(2, 3)
    chung.load_state_dict(cho.state_dict())
    for p in (chung.input.weight, chung.recurrent.weight, chung.input.bias):
        p.detach()[3:6] *= -1
    x = torch.randn(2, 2)
    torch.testing.assert_close(cho(state[:1], x)[1], chung(state[:1], x)[1])


def test_the_conventions_differ_unless_the_reset_gate_is_open(state):
    """Before or after the multiplication: the same at r = 1, not otherwise."""
    x = torch.randn(2, 2)
    for value, is_equal in ((OPEN, True), (0.0, False)):
        cho, gru = set_gate(ChoGRUCell(2, 3), 0, value), GRUCell(2, 3)
        gru.load_state_dict(cho.state_dict() | {"candidate_bias": torch.zeros(3)})
        assert torch.allclose(cho(state[:1], x)[1], gru(state[:1], x)[1], atol=1e-6) is is_equal


@pytest.mark.parametrize("kind", [OutputMapLSTMCell, PeepholeLSTMCell])
def test_variants_start_as_the_plain_lstm(kind, state):
    plain, variant = LSTMCell(2, 3), kind(2, 3)
    variant.load_state_dict(variant.state_dict() | plain.state_dict())
    x = torch.randn(2, 2)
    torch.testing.assert_close(variant(state, x), plain(state, x))


def test_no_forget_lstm_is_the_lstm_with_the_forget_gate_open(state):
    plain, bare = set_gate(LSTMCell(2, 3), 1, OPEN), NoForgetLSTMCell(2, 3)
    rows = torch.tensor([0, 1, 2, 6, 7, 8, 9, 10, 11])
    bare.load_state_dict({name: p[rows] for name, p in plain.state_dict().items()})
    x = torch.randn(2, 2)
    torch.testing.assert_close(bare(state, x), plain(state, x))


def test_residual_and_highway_carry_the_state(state):
    x = torch.randn(2, 2)
    residual = ResidualCell(2, 3)
    nn.init.zeros_(residual.recurrent.weight[:3].detach())
    nn.init.zeros_(residual.input.weight)
    torch.testing.assert_close(residual(state[:1], x)[1], state[0])
    torch.testing.assert_close(HighwayCell(2, 3, gate_bias=SHUT)(state[:1], x)[1], state[0])


def test_min_lstm_with_tiny_gates_is_finite():
    rnn = Recurrent(MinLSTMCell, 1, 2)
    set_gate(set_gate(rnn.cells[0], 0, -200.0), 1, -200.0)
    outputs, _ = rnn(torch.randn(1, 5, 1))
    outputs.sum().backward()
    assert outputs.isfinite().all()
    assert all(p.grad.isfinite().all() for p in rnn.parameters())


@pytest.mark.parametrize("name", ["lstm", "lstm_output_map", "lstm_peephole", "min_lstm"])
def test_the_forget_gate_starts_open(name):
    cell = Recurrent(name, 2, 3).cells[0]
    biases = cell.input.bias[:3] if name == "min_lstm" else cell.input.bias[3:6]
    assert biases.tolist() == [1.0, 1.0, 1.0]
    assert cell.input.bias.sum() == 3.0


@pytest.mark.parametrize("name", CELLS)
def test_recurrent_weights_start_orthogonal(name):
    cell = CELLS[name](2, 4)
    for block in cell.recurrent.weight.split(4) if hasattr(cell, "recurrent") else ():
        torch.testing.assert_close(block @ block.T, torch.eye(4), rtol=0, atol=1e-5)


def test_parameters_of_lstm_and_gru_are_four_to_three():
    counts = {name: sum(p.numel() for p in CELLS[name](100, 64).parameters()) for name in CELLS}
    assert counts["gru_cho"] == counts["gru_chung"] == 31_680
    assert counts["lstm"] * 3 == counts["gru_cho"] * 4 == counts["elman"] * 12
    assert (
        counts["gru"] == 31_680 + 64
    )  # PyTorch's candidate has a bias of its own inside the reset


def test_a_deep_transition_of_one_layer_is_the_simple_cell(state):
    deep, simple = DeepTransitionCell(2, 3, num_layers=1), ElmanCell(2, 3)
    simple.load_state_dict(deep.state_dict())
    x = torch.randn(2, 2)
    torch.testing.assert_close(deep(state[:1], x)[1], simple(state[:1], x)[1])


def test_the_antisymmetric_cell_turns_a_state_and_keeps_its_size():
    """Euler's method along h' = (A - Aᵀ)h: the size grows by ε² per step at most, so less with shorter steps."""
    grown = {}
    for step_size in (0.1, 0.01):
        torch.manual_seed(0)
        cell = AntisymmetricCell(1, 6, step_size=step_size, damping=0.0, activation="identity").double()  # fmt: skip
        h = torch.randn(1, 6, dtype=torch.float64)
        start = h.norm()
        for _ in range(round(2 / step_size)):
            (h,), _ = cell((h,), torch.zeros(1, 1, dtype=torch.float64))
        grown[step_size] = (h.norm() / start - 1).item()
    assert 0 < grown[0.01] < grown[0.1] / 5
    torch.testing.assert_close(cell.coupling(), -cell.coupling().T)


@pytest.mark.parametrize("antisymmetry", [0.0, 0.75, 1.0])
def test_no_step_of_the_lipschitz_cell_moves_states_apart_by_more_than_its_bound(antisymmetry):
    torch.manual_seed(0)
    cell = LipschitzCell(2, 5, step_size=0.3, antisymmetry=antisymmetry, damping=0.1).double()
    nn.init.normal_(cell.linear_part)
    x = torch.randn(500, 2, dtype=torch.float64)
    a, b = torch.randn(2, 500, 5, dtype=torch.float64)
    apart = (cell((a,), x)[1] - cell((b,), x)[1]).norm(dim=1) / (a - b).norm(dim=1)
    steepest = torch.func.vmap(torch.func.jacrev(lambda h, x: cell((h[None],), x[None])[1][0]))
    slopes = torch.linalg.matrix_norm(steepest(torch.zeros_like(a), 0 * x), 2)
    bound = cell.lipschitz_bound()
    assert apart.max() <= bound
    assert 0.4 * bound < slopes.max() <= bound


def test_a_short_step_of_the_selective_cell_keeps_the_state_and_a_long_one_forgets_it():
    cell, h, x = S6Cell(2, 3), torch.randn(2, 12), torch.randn(2, 2)
    nn.init.zeros_(cell.input.weight)
    cell.input.bias.detach()[3:6] = SHUT
    torch.testing.assert_close(cell((h,), x)[0][0], h)
    cell.input.bias.detach()[3:6] = OPEN
    torch.testing.assert_close(cell((h,), x)[0][0], cell((0 * h,), x)[0][0])


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (AntisymmetricCell, {"step_size": 0.0}, "step_size must be more than 0 and damping at least 0, got 0.0"),
        (LipschitzCell, {"antisymmetry": 1.5}, "antisymmetry from 0 to 1, got 0.1, 0.001 and 1.5"),
        (S6Cell, {"step_min": 1.0}, "step_min must be more than 0 and at most step_max, got 1.0 and 0.1"),
        (S6Cell, {"num_modes": 0}, "num_modes must be a whole number from 1, got 0"),
        (DeepTransitionCell, {"num_layers": 0}, "num_layers must be a whole number from 1, got 0"),
    ],
)  # fmt: skip
def test_arguments_are_checked(kind, arguments, message):
    with pytest.raises(InvalidValue, match=message):
        kind(2, 3, **arguments)
