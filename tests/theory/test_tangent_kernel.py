import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import MLP, NTKMLP, CifarResNet, LeNet, SequenceClassifier
from gradatim.theory import empirical_ntk, tangent_kernel


class Twice(nn.Module):
    """One layer used two times, so that its gradient is a sum."""

    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.last(torch.tanh(self.layer(torch.tanh(self.layer(x)))))


class Gated(nn.Module):
    """PyTorch's own recurrent layer, which cannot be batched by `vmap`."""

    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.GRU(3, 4, batch_first=True), nn.Linear(4, 2)

    def forward(self, x):
        return self.last(self.layer(x)[0][:, -1])


def convolutions():
    return nn.Sequential(
        nn.Conv2d(2, 3, 3, stride=2, padding=1), nn.ReLU(inplace=True), nn.Conv2d(3, 4, (2, 1), bias=False, dilation=2),
        nn.Tanh(), nn.Flatten(), nn.Linear(4 * 1 * 3, 3),
    )  # fmt: skip


CASES = {
    "dense": (lambda: MLP((4, 6, 5, 3), activation="tanh"), (4,)),
    "without bias": (lambda: MLP((4, 6, 1), bias=False), (4,)),
    "wide": (lambda: NTKMLP((4, 7, 2), bias_variance=0.4), (4,)),
    "convolutions": (convolutions, (2, 5, 5)),
    "lenet": (lambda: LeNet(image_size=12), (1, 12, 12)),
    "places": (lambda: nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Flatten(), nn.Linear(20, 2)), (4, 3)),
    "same padding": (lambda: nn.Sequential(nn.Conv2d(1, 2, 3, padding="same"), nn.Flatten(), nn.Linear(32, 2)), (1, 4, 4)),
    "groups": (lambda: nn.Sequential(nn.Conv2d(2, 4, 3, groups=2), nn.Flatten(), nn.Linear(16, 2)), (2, 4, 4)),
    "norms": (lambda: MLP((4, 6, 3), norm="batch"), (4,)),
    "dropout": (lambda: MLP((4, 6, 3), dropout=0.5), (4,)),
    "residual": (lambda: CifarResNet(8, 2, in_channels=1), (1, 8, 8)),
    "used twice": (Twice, (4,)),
    "gated": (Gated, (5, 3)),
    "recurrent": (lambda: SequenceClassifier(3, 2, hidden_dim=4), (5, 3)),
    "one number": (lambda: nn.Sequential(nn.Linear(4, 1), nn.Flatten(0)), (4,)),
}  # fmt: skip


def gradients(model, x):
    """The Jacobian by a plain loop: a backward pass for every row and output."""
    model.eval()
    parameters = [p for p in model.parameters() if p.requires_grad]
    rows = []
    for row in x:
        outputs = model(row[None]).flatten()
        grads = [torch.autograd.grad(o, parameters, retain_graph=True, materialize_grads=True) for o in outputs]  # fmt: skip
        rows.append(torch.stack([torch.cat([g.flatten() for g in grad]) for grad in grads]))
    return torch.stack(rows)


@pytest.mark.parametrize("name", CASES)
def test_every_network_has_the_products_of_its_gradients(name):
    build, shape = CASES[name]
    model = build().double()
    x, other = torch.randn(5, *shape).double(), torch.randn(3, *shape).double()
    J, H = gradients(model, x), gradients(model, other)
    model.train()
    full = empirical_ntk(model, x, other)
    torch.testing.assert_close(full, torch.einsum("nkp,mlp->nmkl", J, H))
    diagonal = empirical_ntk(model, x, other, kind="diagonal")
    torch.testing.assert_close(diagonal, full.diagonal(dim1=2, dim2=3))
    torch.testing.assert_close(empirical_ntk(model, x, other, kind="trace"), diagonal.sum(2))
    torch.testing.assert_close(empirical_ntk(model, x), torch.einsum("nkp,mlp->nmkl", J, J))  # fmt: skip
    assert model.training


def test_small_memory_means_small_blocks(monkeypatch):
    model, x = MLP((4, 64, 3)).double(), torch.randn(20, 4).double()
    sizes = []
    real = tangent_kernel.layer_pieces
    monkeypatch.setattr(tangent_kernel, "layer_pieces", lambda m, layers, x: sizes.append(len(x)) or real(m, layers, x))  # fmt: skip
    whole = empirical_ntk(model, x)
    assert max(sizes) == 20
    sizes.clear()
    torch.testing.assert_close(empirical_ntk(model, x, memory=7e4), whole)
    assert max(sizes) < 8


@pytest.mark.parametrize(("kind", "sizes"), [("full", "nmkl"), ("diagonal", "nmk"), ("trace", "nm")])  # fmt: skip
@pytest.mark.parametrize("memory", [1e9, 7e4])
def test_tiles_make_the_whole(kind, sizes, memory, monkeypatch):
    monkeypatch.setattr(tangent_kernel, "TILE", 3)
    model = MLP((4, 64, 3)).double()
    x, other = torch.randn(20, 4).double(), torch.randn(7, 4).double()
    J, H = gradients(model, x), gradients(model, other)
    formula = f"nkp,m{'l' if kind == 'full' else 'k'}p->{sizes}"
    found = empirical_ntk(model, x, kind=kind, memory=memory)
    torch.testing.assert_close(found, torch.einsum(formula, J, J))
    found = empirical_ntk(model, x, other, kind=kind, memory=memory)
    torch.testing.assert_close(found, torch.einsum(formula, J, H))


@pytest.mark.parametrize("build", [lambda: MLP((4, 6, 2)), lambda: MLP((4, 6, 2), norm="layer")])
def test_the_mode_of_autograd_plays_no_part(build):
    model, x = build(), torch.randn(3, 4)
    expected = empirical_ntk(model, x)
    with torch.no_grad():
        torch.testing.assert_close(empirical_ntk(model, x), expected)
    assert not expected.requires_grad


def test_frozen_parameters_do_not_count():
    model, x = MLP((4, 6, 2)).double(), torch.randn(3, 4).double()
    model[0].requires_grad_(False)
    model[2].weight.requires_grad_(False)
    torch.testing.assert_close(empirical_ntk(model, x), torch.eye(2).double().expand(3, 3, 2, 2))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "ful"}, "kind must be one of full"),
        ({"memory": 10.0}, r"memory must hold the gradients of two rows, .* bytes here, got 1\.0e\+01\. Try memory="),
        ({"x1": torch.zeros(0, 4)}, "inputs must have rows, got 0 and 0"),
        ({"model": MLP((4, 2)).requires_grad_(False)}, "model must have a trainable parameter, got none"),
    ],
)  # fmt: skip
def test_what_is_refused(change, words):
    with pytest.raises(InvalidValue, match=f"^empirical_ntk: {words}"):
        empirical_ntk(**{"model": MLP((4, 2)), "x1": torch.ones(2, 4), **change})
