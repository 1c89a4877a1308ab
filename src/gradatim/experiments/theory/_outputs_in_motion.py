"""How the outputs of a network move while its parameters descend, for any loss."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from gradatim.losses import cross_entropy, huber, mse
from gradatim.models import NTKMLP
from gradatim.reports import Report
from gradatim.theory import empirical_ntk, log_log_slope


def claim_flow(report: Report, seed: int) -> None:
    """ḟ = −K∇_fℓ for any loss, by a short step of descent, in double precision."""
    torch.manual_seed(seed)
    x = torch.randn(9, 3, dtype=torch.float64)
    targets: dict[str, tuple[Callable[[Tensor, Tensor], Tensor], Tensor]] = {
        "squared error": (mse, torch.randn(9, 4, dtype=torch.float64)),
        "cross-entropy": (cross_entropy, torch.randint(4, (9,))),
        "Huber": (huber, 2 * torch.randn(9, 4, dtype=torch.float64)),
    }
    model = NTKMLP((3, 32, 32, 4), activation="tanh", bias_variance=0.1).double()
    K = empirical_ntk(model, x)  # (N, N, K, K)
    for name, (loss, y) in targets.items():
        f = model(x).detach().requires_grad_()
        (by_outputs,) = torch.autograd.grad(loss(f, y), f)
        expected = -torch.einsum("nmkl,ml->nk", K, by_outputs)
        etas, gaps = (1e-2, 1e-3, 1e-4), []
        for eta in etas:
            moved = _step(model, loss, x, y, eta)
            gaps.append((((moved - f) / eta - expected).norm() / expected.norm()).item())
        report.claim(f"{name}: outputs move by −K∇_fℓ", gaps[-1], f"relative difference after a step of {etas[-1]:g}", below=1e-2)  # fmt: skip
        report.claim(f"{name}: but for the length of the step", log_log_slope(etas, gaps), "power of the step", near=(1.0, 0.1))  # fmt: skip


def _step(
    model: nn.Module, loss: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor, eta: float
) -> Tensor:
    """The outputs after one step of descent, which leaves the model alone."""
    parameters = dict(model.named_parameters())
    slopes = torch.autograd.grad(loss(model(x), y), list(parameters.values()))
    moved = {name: p - eta * g for (name, p), g in zip(parameters.items(), slopes, strict=True)}
    result: Tensor = torch.func.functional_call(model, moved, (x,)).detach()
    return result
