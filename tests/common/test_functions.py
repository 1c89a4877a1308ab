"""What every public formula of layers and losses does: keep the dtype, agree in both, and have the right gradient.

A public function of :mod:`gradatim.nn` or :mod:`gradatim.losses` from tensors to a tensor without an entry fails.
"""

import inspect
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from gradatim import losses, nn
from gradatim.randomness import seeded

LABELS = torch.tensor([0, 2, 1])
EDGES, GRAPHS = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([0, 0, 1])
PATH = torch.tensor([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
LONG = torch.tensor([[1, 0, 2], [2, 1, 0]])


def real(*shapes, make=torch.randn):
    return lambda: tuple(make(shape) for shape in shapes)


def probabilities(*shapes):
    return lambda: tuple(torch.randn(shape).softmax(-1) for shape in shapes)


# A function of real tensors only, and what to give it, in double precision.
FORMULAS: dict[str, tuple[Callable[..., Tensor], Callable[[], tuple[Tensor, ...]]]] = {
    "adjoint_convolve": (lambda y, w: nn.adjoint_convolve(y, w, 5), real((1, 1, 7), (1, 1, 3))),
    "adjoint_correlate": (lambda y, w: nn.adjoint_correlate(y, w, 5), real((1, 1, 3), (1, 1, 3))),
    "attend": (nn.attend, real((2, 3, 4), (2, 5, 4), (2, 5, 2))),
    "attention_weights": (nn.attention_weights, real((2, 3, 4), (2, 5, 4))),
    "batch_normalize": (lambda z, m, v, g, b: nn.batch_normalize(z, m, v.exp(), g, b), real((3, 4), 4, 4, 4, 4)),
    "carry_or_transform": (nn.carry_or_transform, real(4, 4, 4)),
    "chebyshev_filter": (lambda x: nn.chebyshev_filter(x, PATH.to(x.dtype), [1.0, 0.5, 0.25]), real((3, 2))),
    "convolve": (nn.convolve, real((2, 1, 6), (1, 1, 3))),
    "correlate": (nn.correlate, real((2, 1, 6), (1, 1, 3))),
    "edge_softmax": (lambda s: nn.edge_softmax(s, torch.tensor([0, 0, 1]), 2), real((3, 2))),
    "heat_kernel": (lambda x: nn.heat_kernel(x, PATH.to(x.dtype), 0.7), real((3, 2))),
    "layer_norm": (nn.layer_norm, real((3, 4), 4, 4)),
    "linear_attention": (nn.linear_attention, real((2, 3, 4), (2, 5, 4), (2, 5, 2))),
    "linear_scan": (nn.linear_scan, real(3, (2, 5, 3))),
    "log1mexp": (nn.log1mexp, lambda: (-torch.rand(5) - 0.1,)),
    "log_mean_exp": (nn.log_mean_exp, real((3, 4))),
    "log_softmax": (nn.log_softmax, real((3, 4))),
    "log_sum_exp": (nn.log_sum_exp, real((3, 4))),
    "message_passing": (lambda x: nn.message_passing(x, EDGES, aggregate="max"), real((3, 2))),
    "piecewise_linear": (lambda x: nn.piecewise_linear(x, torch.tensor([[-3.0, 0.0, 3.0]] * 4).to(x.dtype)), real((3, 4))),
    "polynomial_filter": (lambda x: nn.polynomial_filter(x, PATH.to(x.dtype), [1.0, 0.5, 0.25]), real((3, 2))),
    "pool_nodes": (lambda x: nn.pool_nodes(x, GRAPHS), real((3, 2))),
    "pool_sets": (lambda x: nn.pool_sets(x, pooling="mean"), real((2, 3, 2))),
    "softmax": (nn.softmax, real((3, 4))),
    "reverse_steps": (nn.reverse_steps, real((2, 3, 4))),
    "rotate_pairs": (nn.rotate_pairs, real((2, 3, 4), (3, 2))),
    "smooth_clip": (nn.smooth_clip, real((3, 4))),
    "spectral_filter": (lambda x: nn.spectral_filter(x, PATH.to(x.dtype), lambda f: 1 / (1 + f)), real((3, 2))),
    "time_embedding": (lambda time: nn.time_embedding(time / 100, 4), real(3)),
    "toeplitz_matrix": (lambda kernel: nn.toeplitz_matrix(kernel, 5), real(3)),
    "align": (losses.align, real((3, 1), 3)),
    "bce": (lambda z: losses.bce(z, torch.tensor([0, 1, 1])), real(3)),
    "comparison_loss": (losses.comparison_loss, real(3, 3)),
    "cross_entropy": (lambda z: losses.cross_entropy(z, LABELS), real((3, 4))),
    "ctc_loss": (lambda z: losses.ctc_loss(z.log_softmax(-1), None, torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1])), real((2, 5, 4))),
    "dice_loss": (lambda z: losses.dice_loss(z, LONG), real((2, 3, 3))),
    "distillation_loss": (lambda s, t: losses.distillation_loss(s, t, LABELS), real((3, 4), (3, 4))),
    "dpo_loss": (losses.dpo_loss, real(3, 3, 3, 3)),
    "focal": (lambda z: losses.focal(z, LABELS), real((3, 4))),
    "gaussian_likelihood": (lambda f, y: losses.gaussian_likelihood(torch.stack([f, 1 + f * f], -1), y), real((3, 2, 1), (3, 2, 1))),
    "huber": (losses.huber, real(5, 5)),
    "mae": (losses.mae, real(5, 5)),
    "mse": (losses.mse, real(5, 5)),
    "sse": (losses.sse, real(5, 5)),
    "perceptron": (lambda z: losses.perceptron(z, torch.tensor([0, 1, 1])), real(3)),
    "pinball_loss": (losses.pinball_loss, real(5, 5)),
    "policy_loss": (losses.policy_loss, real((3, 4), (3, 4), (3, 4))),
    "smooth_labels": (lambda confusion: losses.smooth_labels(LABELS, confusion), probabilities((4, 4))),
    "span_cross_entropy": (lambda z: losses.span_cross_entropy(z, torch.tensor([[0, 2], [1, 1]])), real((2, 4, 2))),
    "tempered_cross_entropy": (losses.tempered_cross_entropy, real((3, 4), (3, 4))),
    "negative_sampling": (lambda s: losses.negative_sampling(s, torch.eye(2, 3)), real((2, 3))),
    "token_cross_entropy": (lambda z: losses.token_cross_entropy(z, LONG), real((2, 3, 4))),
}  # fmt: skip

# Of tensors, and no formula of real numbers.
OTHERS: dict[str, str] = {
    "coupling_matrix": "from edges to a sparse matrix",
    "drop_edge": "from edges to edges",
    "laplacian": "from edges to a sparse matrix",
    "padding_mask": "from lengths to a mask",
    "quantile_edges": "from values to bins",
    "real_steps": "from lengths to a mask",
    "robust_scale": "from values to their middle and spread",
}
# (function, law): why it does not hold there
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("distillation_loss", "gradient"): "the teacher does not learn",
    ("tempered_cross_entropy", "gradient"): "the teacher does not learn",
}


def law(name):
    marks = {
        function: pytest.mark.xfail(reason=reason, strict=True)
        for (function, which), reason in EXCEPTIONS.items()
        if which == name
    }
    cases = [pytest.param(key, marks=marks.get(key, ()), id=key) for key in FORMULAS]
    return pytest.mark.parametrize("name", cases)


def make(name, dtype=torch.float64):
    function, draw = FORMULAS[name]
    with seeded(0):
        return function, tuple(value.to(dtype) for value in draw())


def test_every_formula_has_an_entry():
    public = {name: getattr(room, name) for room in (nn, losses) for name in room.__all__}
    formulas = set()
    for name, value in public.items():
        if inspect.isfunction(value):
            signature = inspect.signature(value)
            taken = [p.annotation for p in signature.parameters.values()]
            if "Tensor" in str(signature.return_annotation) and Tensor in taken:
                formulas.add(name)
    of_functions = {"mc_predict", "value_and_derivative"}
    assert formulas - of_functions == set(FORMULAS) | set(OTHERS)


@law("dtype")
def test_it_keeps_the_dtype(name):
    results = {}
    for dtype in (torch.float32, torch.float64):
        function, inputs = make(name, dtype)
        results[dtype] = function(*inputs)
        assert results[dtype].dtype == dtype
    torch.testing.assert_close(
        results[torch.float32].double(), results[torch.float64], rtol=1e-4, atol=1e-5
    )


@law("gradient")
def test_its_gradient_is_that_of_finite_differences(name):
    function, inputs = make(name)
    assert torch.autograd.gradcheck(function, [value.requires_grad_() for value in inputs])
