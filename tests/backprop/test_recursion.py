"""Backpropagation stage by stage: worked examples, autograd, the adjoint law, and no side effects."""

import copy

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.backprop import backpropagate
from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import build


def half_squared_error(output, y):
    return (output - y).square().sum() / 2


def one_one_one():
    model = nn.Sequential(nn.Linear(1, 1), nn.Sigmoid(), nn.Linear(1, 1)).double()
    for parameter, value in zip(model.parameters(), [0.4, 0.3, 0.5, 0.1], strict=True):
        nn.init.constant_(parameter, value)
    return model


def assert_equals_autograd(model, loss, x, y):
    trace = backpropagate(model, loss, x, y)
    energy = loss(model(*x) if isinstance(x, tuple) else model(x), y)
    trained = {n: p for n, p in model.named_parameters() if p.requires_grad}
    pulled = torch.autograd.grad(energy, list(trained.values()), allow_unused=True)
    expected = {n: g for n, g in zip(trained, pulled, strict=True) if g is not None}
    assert set(trace.gradients) == set(expected)
    torch.testing.assert_close(trace.loss, energy.detach())
    for name, gradient in expected.items():
        torch.testing.assert_close(trace.gradients[name], gradient, rtol=1e-4, atol=1e-6, msg=name)
    return trace


def test_net_of_one_sigmoid_and_one_linear_unit():
    model, x = one_one_one(), torch.ones(1, 1).double()
    trace = backpropagate(model, half_squared_error, x, x / 2)
    forward = [stage.output.item() for stage in trace.stages]
    costates = [stage.costate.item() for stage in trace.stages]
    assert forward == pytest.approx([0.7, 0.66818777, 0.43409389], abs=5e-9)
    assert trace.loss.item() == pytest.approx(0.00217181, abs=5e-9)
    assert costates[2] == pytest.approx(-0.06590611, abs=5e-9)  # delta_2
    assert costates[0] == pytest.approx(-0.00730612, abs=5e-9)  # delta_1
    assert costates[0] / costates[1] == pytest.approx(0.22171287, abs=5e-9)  # slope of the sigmoid
    gradients = {name: g.item() for name, g in trace.gradients.items()}
    expected = {
        "0.weight": -0.00730612,
        "0.bias": -0.00730612,
        "2.weight": -0.04403766,
        "2.bias": -0.06590611,
    }
    assert gradients == pytest.approx(expected, abs=5e-9)
    new = {n: p.item() - 0.1 * gradients[n] for n, p in model.named_parameters()}
    assert new == pytest.approx(
        {
            "0.weight": 0.40073061,
            "0.bias": 0.30073061,
            "2.weight": 0.50440377,
            "2.bias": 0.10659061,
        },
        abs=5e-9,
    )


class Square(nn.Module):
    """(2x+3)² as two functions."""

    def stages(self):
        return [("inner", lambda x: 2 * x + 3), ("outer", torch.square)]

    def forward(self, x):
        return (2 * x + 3) ** 2


def test_chain_rule_of_a_square():
    x = torch.tensor([-2.0, 0.0, 1.0, 2.5])
    trace = backpropagate(Square(), lambda output, y: output.sum(), x, None)
    torch.testing.assert_close(trace.input_costate, 8 * x + 12)
    torch.testing.assert_close(trace.stages[0].costate, 2 * (2 * x + 3))
    assert [stage.layer for stage in trace.stages] == ["<lambda>", "square"]


def two_two_two():
    """One hidden layer whose net inputs vanish at x=(1, 2), so that every number is rational."""
    model = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 2)).double()
    values = [[[1.0, -0.5], [0.5, -0.25]], [0.0, 0.0], [[1.0, 2.0], [3.0, -1.0]], [0.5, 0.0]]
    for parameter, value in zip(model.parameters(), values, strict=True):
        parameter.data = torch.tensor(value).double()
    return model


def test_hidden_layer_with_squared_error_by_hand():
    x, y = torch.tensor([[1.0, 2.0]]).double(), torch.tensor([[1.0, 0.0]]).double()
    trace = backpropagate(two_two_two(), half_squared_error, x, y)
    assert trace.loss.item() == 1.0
    assert trace.stages[2].output.tolist() == [[2.0, 1.0]]
    assert trace.stages[2].costate.tolist() == [[1.0, 1.0]]
    assert trace.stages[1].costate.tolist() == [[4.0, 1.0]]
    assert trace.stages[0].costate.tolist() == [[1.0, 0.25]]
    assert trace.gradients["2.weight"].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert trace.gradients["2.bias"].tolist() == [1.0, 1.0]
    assert trace.gradients["0.weight"].tolist() == [[1.0, 2.0], [0.25, 0.5]]
    assert trace.gradients["0.bias"].tolist() == [1.0, 0.25]
    assert trace.input_costate.tolist() == [[1.125, -0.5625]]


def test_hidden_layer_with_cross_entropy_by_hand():
    model = two_two_two()
    model[2].bias.data = torch.tensor([3.0, 1.0]).double().log() - torch.tensor([1.5, 1.0]).double()
    x, y = torch.tensor([[1.0, 2.0]]).double(), torch.tensor([[1.0, 0.0]]).double()
    trace = backpropagate(model, F.cross_entropy, x, y)  # softmax of the output is (3/4, 1/4)
    assert trace.loss.item() == pytest.approx(torch.tensor(4 / 3).log().item())
    expected = {
        "0.weight": [[0.125, 0.25], [-0.1875, -0.375]],
        "0.bias": [0.125, -0.1875],
        "2.weight": [[-0.125, -0.125], [0.125, 0.125]],
        "2.bias": [-0.25, 0.25],
    }
    for name, gradient in expected.items():
        torch.testing.assert_close(trace.gradients[name], torch.tensor(gradient).double())


def test_gradient_of_a_batch_is_the_sum_over_its_samples():
    model, x, y = two_two_two(), torch.randn(5, 2).double(), torch.randn(5, 2).double()
    whole = backpropagate(model, half_squared_error, x, y).gradients
    parts = [
        backpropagate(model, half_squared_error, x[i : i + 1], y[i : i + 1]).gradients
        for i in range(5)
    ]
    for name, gradient in whole.items():
        torch.testing.assert_close(gradient, sum(part[name] for part in parts))


class Residual(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return x + self.inner(x)


class LastState(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        return self.cell(x)[0][:, -1]


def image_net():
    return nn.Sequential(
        nn.Sequential(
            nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2)
        ),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Linear(36, 3),
    )


def text_net():
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    return nn.Sequential(nn.Embedding(11, 8), layer, nn.Flatten(), nn.Linear(40, 3))


IMAGE, FLAT, SERIES = (6, 1, 8, 8), (6, 7), (6, 5, 7)
DIGITS, PHOTOS = (6, 1, 28, 28), (6, 3, 32, 32)
ARCHITECTURES = {
    "mlp": (lambda: build("mlp", (7, 9, 8, 3), activation="gelu"), FLAT),
    "mlp on images": (lambda: build("mlp", (64, 9, 3)), IMAGE),
    "mlp, batch norm and dropout": (lambda: build("mlp", (7, 9, 3), norm="batch", dropout=0.3), FLAT),
    "mlp, layer norm": (lambda: build("mlp", (7, 9, 3), norm="layer", activation="prelu"), FLAT),
    "residual": (lambda: build("residual_mlp", (7, 7, 7, 3)), FLAT),
    "highway": (lambda: build("highway_mlp", (7, 7, 7, 3)), FLAT),
    "densely connected": (lambda: build("densely_connected_mlp", (7, 6, 5, 3)), FLAT),
    "convolutional": (image_net, IMAGE),
    "convolutional, evaluation mode": (lambda: image_net().eval(), IMAGE),
    "lenet": (lambda: build("lenet", 3), DIGITS),
    "vgg": (lambda: build("vgg", ((4,), (6, 6)), 3, in_channels=1), DIGITS),
    "resnet20": (lambda: build("resnet20", num_classes=3), PHOTOS),
    "resnet18": (lambda: build("resnet18", num_classes=3), PHOTOS),
    "densenet": (lambda: build("densenet", 16, 4, num_classes=3), PHOTOS),
    "fast cnn": (lambda: build("fast_cnn", 3, widths=(4, 6, 6)), PHOTOS),
    "lstm": (lambda: nn.Sequential(LastState(nn.LSTM(7, 6, num_layers=2, batch_first=True)), nn.Linear(6, 3)), SERIES),
    "gru": (lambda: nn.Sequential(LastState(nn.GRU(7, 6, batch_first=True)), nn.Linear(6, 3)), SERIES),
    "one stage": (lambda: LastState(nn.RNN(7, 3, batch_first=True)), SERIES),
    "spectral norm": (
        lambda: nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(7, 5)), nn.ELU(), nn.Linear(5, 3)),
        FLAT,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_equals_autograd(name):
    builder, shape = ARCHITECTURES[name]
    torch.manual_seed(0)
    assert_equals_autograd(builder(), F.cross_entropy, torch.randn(shape), torch.randint(3, (6,)))


def test_equals_autograd_on_tokens_which_have_no_derivative():
    tokens = torch.randint(11, (4, 5))
    trace = assert_equals_autograd(text_net(), F.cross_entropy, tokens, torch.randint(3, (4,)))
    assert trace.input_costate is None
    assert trace.stages[0].costate.shape == (4, 5, 8)


layers = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from(["tanh", "relu", "gelu", "residual"])), max_size=5
)


@settings(max_examples=40, deadline=None)
@given(
    layers=layers,
    n_in=st.integers(1, 5),
    n_out=st.integers(1, 4),
    batch=st.integers(1, 6),
    seed=st.integers(0, 99),
)
def test_equals_autograd_for_random_chains(layers, n_in, n_out, batch, seed):
    torch.manual_seed(seed)
    activations = {"tanh": nn.Tanh, "relu": nn.ReLU, "gelu": nn.GELU}
    model, width = nn.Sequential(), n_in
    for size, kind in layers:
        if kind == "residual":
            model.append(
                Residual(nn.Sequential(nn.Linear(width, size), nn.Tanh(), nn.Linear(size, width)))
            )
        else:
            model.append(nn.Sequential(nn.Linear(width, size), activations[kind]()))
            width = size
    model = model.append(nn.Linear(width, n_out)).double()
    x, y = torch.randn(batch, n_in).double(), torch.randn(batch, n_out).double()
    trace = backpropagate(model, F.mse_loss, x, y)
    parameters = dict(model.named_parameters())
    expected, slope = torch.func.grad(
        lambda p, x: F.mse_loss(torch.func.functional_call(model, p, (x,)), y), argnums=(0, 1)
    )(parameters, x)
    torch.testing.assert_close(trace.gradients, expected, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(trace.input_costate, slope, rtol=1e-10, atol=1e-12)


@pytest.mark.filterwarnings(
    "ignore:.*torch.jit.script:DeprecationWarning"
)  # PyTorch's own, in forward mode
def test_each_costate_is_the_adjoint_of_its_stage():
    model, x = build("mlp", (4, 5, 3), activation="tanh").double(), torch.randn(6, 4).double()
    trace = backpropagate(model, F.mse_loss, x, torch.randn(6, 3).double())
    before = [(trace.input, trace.input_costate)] + [(s.output, s.costate) for s in trace.stages]
    for (value, costate), (_, stage), result in zip(
        before, model.stages(), trace.stages, strict=False
    ):
        tangent = torch.randn_like(value)
        _, pushed = torch.func.jvp(stage, (value,), (tangent,))
        torch.testing.assert_close((costate * tangent).sum(), (result.costate * pushed).sum())


def test_shared_layer_adds_up():
    shared = nn.Linear(3, 3)
    model = nn.Sequential(shared, nn.Tanh(), shared, nn.Tanh(), nn.Linear(3, 1))
    trace = assert_equals_autograd(model, F.mse_loss, torch.randn(4, 3), torch.randn(4, 1))
    assert [stage.name for stage in trace.stages] == ["0", "1", "2", "3", "4"]
    parts = [trace.stages[i].gradients["0.weight"] for i in (0, 2)]
    torch.testing.assert_close(trace.gradients["0.weight"], parts[0] + parts[1])


def test_tied_weights_add_up_under_one_name():
    model = nn.Sequential(nn.Embedding(9, 4), nn.Tanh(), nn.Linear(4, 9, bias=False))
    model[2].weight = model[0].weight
    trace = assert_equals_autograd(
        model,
        lambda o, y: F.cross_entropy(o.transpose(1, 2), y),
        torch.randint(9, (2, 5)),
        torch.randint(9, (2, 5)),
    )
    assert list(trace.gradients) == ["0.weight"]


def test_several_inputs_and_outputs():
    class Sampler(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 2), nn.Linear(2, 2)

        def forward(self, x, z):
            return self.a(x), self.b(z) * x[:, :2]

    def loss(output, y):
        return (output[0] * output[1]).sum() * y

    trace = assert_equals_autograd(Sampler(), loss, (torch.randn(4, 3), torch.randn(4, 2)), 2.0)
    assert [p.shape for p in trace.input_costate] == [(4, 3), (4, 2)]
    assert [p.shape for p in trace.stages[0].costate] == [(4, 2), (4, 2)]


def test_frozen_and_unused_parameters_have_no_gradient():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    model[0].weight.requires_grad_(False)
    trace = assert_equals_autograd(model, F.mse_loss, torch.randn(4, 3), torch.randn(4, 1))
    assert list(trace.gradients) == ["0.bias", "2.weight", "2.bias"]
    assert trace.stages[0].parameters == 16


def test_stage_without_derivative_stops_the_gradient():
    class Round(nn.Module):
        def forward(self, x):
            return x.detach().round()

    model = nn.Sequential(nn.Linear(2, 3), Round(), nn.Linear(3, 1))
    trace = assert_equals_autograd(model, F.mse_loss, torch.randn(4, 2), torch.randn(4, 1))
    assert list(trace.gradients) == ["2.weight", "2.bias"]
    assert trace.stages[1].costate.shape == (4, 3)
    assert trace.stages[0].costate is None
    assert trace.input_costate is None


def test_nothing_changes():
    torch.manual_seed(3)
    model = image_net()
    x, y = torch.randn(6, 1, 8, 8), torch.randint(3, (6,))
    F.cross_entropy(model(x), y).backward()
    state = copy.deepcopy(model.state_dict())
    gradients = {n: p.grad.clone() for n, p in model.named_parameters()}
    buffers, random = dict(model.named_buffers()), torch.get_rng_state()
    with torch.no_grad():
        backpropagate(model, F.cross_entropy, x, y)
    assert torch.equal(torch.get_rng_state(), random)
    assert all(module.training for module in model.modules())
    torch.testing.assert_close(model.state_dict(), state, rtol=0, atol=0)
    assert all(buffer is buffers[name] for name, buffer in model.named_buffers())
    assert all(torch.equal(p.grad, gradients[n]) for n, p in model.named_parameters())
    assert not x.requires_grad


def test_in_place_layers_leave_the_recorded_values():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
    x = torch.randn(50, 2)
    trace = backpropagate(model, F.mse_loss, x, x)
    torch.testing.assert_close(trace.stages[0].output, model[0](x).detach())
    assert (trace.stages[0].output < 0).any()


def test_model_without_stages_gives_the_gradient_of_the_loss():
    x = torch.randn(3, 2)
    trace = backpropagate(nn.Sequential(), half_squared_error, x, torch.zeros(3, 2))
    torch.testing.assert_close(trace.input_costate, x)
    assert trace.gradients == {}


class Liar(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)

    def stages(self):
        return [("a", self.a)]

    def forward(self, x):
        return 2 * self.a(x)


def test_stages_that_are_not_the_model_are_refused():
    with pytest.raises(
        InvalidValue, match=r"stages\(\) of Liar must give the model's own output .* forward\(\)"
    ):
        backpropagate(Liar(), F.mse_loss, torch.randn(3, 2), torch.zeros(3, 2))


def test_a_stage_that_fails_is_named():
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(4, 1))
    with pytest.raises(
        InvalidValue,
        match=r"stage '2' \(Linear\) must accept its input, got \(5, 3\) and failed: mat1",
    ):
        backpropagate(model, F.mse_loss, torch.randn(5, 2), torch.zeros(5, 1))


def test_loss_must_be_one_number():
    with pytest.raises(
        InvalidValue,
        match=r"loss must return one number, got shape \(3, 1\)\. Take its sum or mean",
    ):
        backpropagate(nn.Linear(2, 1), lambda o, y: o - y, torch.randn(3, 2), torch.zeros(3, 1))
    with pytest.raises(InvalidValue, match="loss must return one number, got float"):
        backpropagate(nn.Linear(2, 1), lambda o, y: 0.5, torch.randn(3, 2), torch.zeros(3, 1))


def test_wrong_types_are_refused():
    with pytest.raises(
        InvalidType, match=r"model must be an nn\.Module, got function\. Put plain functions"
    ):
        backpropagate(lambda x: x, F.mse_loss, torch.ones(1), torch.ones(1))
    with pytest.raises(
        InvalidType,
        match=r"loss must be a function of output and target, got 'mse'\. Try torch\.nn",
    ):
        backpropagate(nn.Linear(1, 1), "mse", torch.ones(1), torch.ones(1))
