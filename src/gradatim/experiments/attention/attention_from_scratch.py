"""Attention on three tokens, every matrix by hand, equal to the fused layer."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.nn import MultiHeadAttention, attend, attention_weights, causal_mask
from gradatim.plots import numbered_matrices
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("G1",)
KEYWORDS = "query key value, scaled dot-product attention, self-attention, softmax weights, multi-head attention, worked example"
TOKENS = ("time", "flies", "fast")
X = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]], dtype=torch.float64)
W_Q = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
W_K = torch.tensor([[1.0, 1.0], [0.0, 1.0]], dtype=torch.float64)
W_V = torch.tensor([[2.0, 0.0], [0.0, 3.0]], dtype=torch.float64)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    dim: int = 64
    num_heads: int = 8
    length: int = 50


QUICK = Settings()


def worked_matrices() -> dict[str, Tensor]:
    """Every step of one head, in plain arithmetic."""
    query, key, value = X @ W_Q, X @ W_K, X @ W_V  # (3, 2) each
    scores = query @ key.T  # (3, 3)
    scaled = scores / math.sqrt(2)
    exponentials = scaled.exp()
    weights = exponentials / exponentials.sum(1, keepdim=True)
    return {
        "X": X,
        "W_Q": W_Q,
        "W_K": W_K,
        "W_V": W_V,
        "Q = X W_Q": query,
        "K = X W_K": key,
        "V = X W_V": value,
        "Q Kᵀ": scores,
        "Q Kᵀ / √2": scaled,
        "A = softmax": weights,
        "A V": weights @ value,
    }


def claim_worked_example(report: Report, steps: dict[str, Tensor]) -> None:
    # scores by hand: rows of Q are (1, 0), (0, 2), (1, 1); rows of K are (1, 1), (0, 2), (1, 2)
    by_hand = torch.tensor([[1.0, 0.0, 1.0], [2.0, 4.0, 4.0], [2.0, 2.0, 3.0]], dtype=torch.float64)
    gap = (steps["Q Kᵀ"] - by_hand).abs().max().item()
    report.claim("scores by hand", gap, equals=0)
    a = math.exp(1 / math.sqrt(2))
    first = torch.tensor([a, 1.0, a], dtype=torch.float64) / (2 * a + 1)
    gap = (steps["A = softmax"][0] - first).abs().max().item()
    report.claim("first row of the weights is e^(1/√2) : 1 : e^(1/√2)", gap, at_most=1e-12)
    sums = (steps["A = softmax"].sum(1) - 1).abs().max().item()
    report.claim("every row sums to one", sums, at_most=1e-12)
    fused = attend(steps["Q = X W_Q"], steps["K = X W_K"], steps["V = X W_V"])
    gap = (fused - steps["A V"]).abs().max().item()
    report.claim("the fused kernel gives the same", gap, at_most=1e-12)


def claim_causal(report: Report, steps: dict[str, Tensor]) -> None:
    weights = attention_weights(steps["Q = X W_Q"], steps["K = X W_K"], mask=causal_mask(3))
    ahead = weights.triu(1).abs().max().item()
    report.claim("a causal mask hides the future", ahead, "weight", equals=0)
    kept = steps["A = softmax"].tril()
    gap = (weights - kept / kept.sum(1, keepdim=True)).abs().max().item()
    report.claim("what remains is renormalized", gap, at_most=1e-12)
    steps["A, causal"] = weights


@torch.inference_mode()
def claim_heads(report: Report, settings: Settings) -> None:
    """A layer of many heads is that many small attentions side by side."""
    with seeded(settings.seed):
        layer = MultiHeadAttention(settings.dim, settings.num_heads).double()
        x = torch.randn(1, settings.length, settings.dim, dtype=torch.float64)
    width, heads = settings.dim // settings.num_heads, []
    query, key, value = (x[0] @ layer.project.weight.T + layer.project.bias).chunk(3, dim=1)
    for head in range(settings.num_heads):
        own = slice(head * width, (head + 1) * width)
        weights = (query[:, own] @ key[:, own].T / math.sqrt(width)).softmax(1)
        heads.append(weights @ value[:, own])
    expected = torch.cat(heads, dim=1) @ layer.merge.weight.T + layer.merge.bias
    gap = (layer(x)[0] - expected).abs().max().item()
    report.claim(f"a layer of {settings.num_heads} heads, head by head", gap, at_most=1e-12)
    rank = int(torch.linalg.matrix_rank(query[:, :width] @ key[:, :width].T))
    report.claim(
        f"scores of {settings.length} tokens have the rank of a head's width", rank, equals=width
    )
    keys = torch.arange(3, dtype=torch.float64)[:, None]
    full = int(torch.linalg.matrix_rank(attention_weights(keys, keys)))
    report.claim("but weights need not: with keys 0, 1, 2 of width 1, after the softmax", full, "rank", equals=3)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Attention from scratch",
        summary="Queries meet keys, a softmax turns their products into weights, and values are averaged: "
        "three tokens, every number.",
    )
    steps = worked_matrices()
    claim_worked_example(report, steps)
    claim_causal(report, steps)
    claim_heads(report, settings)
    report.figure(
        "matrices",
        numbered_matrices(steps),
        caption=f"Rows belong to the tokens {', '.join(TOKENS)}. Each token asks (Q), offers (K) and carries "
        "(V); the last matrix may not look ahead.",
    )
    report.table(
        "Where each token looks",
        columns=["token", *TOKENS],
        rows=[[t, *row.tolist()] for t, row in zip(TOKENS, steps["A = softmax"], strict=True)],
    )
    return report
