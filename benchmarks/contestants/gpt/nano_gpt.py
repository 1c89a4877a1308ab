"""What an expert writes by hand: the model and loop of nanoGPT, with the fused optimizer."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.gpt.task import Task
from benchmarks.contestants.threads import ALL_THREADS, set_torch_threads

TITLE = "nanoGPT's model and loop"
REQUIRES = ("torch",)
VARIANTS = (ALL_THREADS,)


class CausalSelfAttention(nn.Module):
    def __init__(self, dim: int, num_heads: int) -> None:
        super().__init__()
        self.dim, self.num_heads = dim, num_heads
        self.c_attn, self.c_proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.dim, dim=2)
        q, k, v = (t.view(B, T, self.num_heads, C // self.num_heads).transpose(1, 2) for t in (q, k, v))  # fmt: skip
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, dim: int, num_heads: int) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = CausalSelfAttention(dim, num_heads)
        self.c_fc, self.c_proj = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.gelu = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.c_proj(self.gelu(self.c_fc(self.ln_2(x))))


class NanoGPT(nn.Module):
    def __init__(self, task: Task) -> None:
        super().__init__()
        self.wte = nn.Embedding(task.vocab_size, task.dim)
        self.wpe = nn.Embedding(task.context, task.dim)
        self.h = nn.ModuleList(Block(task.dim, task.num_heads) for _ in range(task.num_layers))
        self.ln_f = nn.LayerNorm(task.dim)
        self.lm_head = nn.Linear(task.dim, task.vocab_size, bias=False)
        self.wte.weight = self.lm_head.weight
        for parameter in self.parameters():
            if parameter.ndim > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, idx: Tensor, targets: Tensor) -> Tensor:
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1), device=idx.device))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))


def build(task: Task, variant: str, *, is_compiled: bool = False) -> Contestant:
    model = NanoGPT(task)
    weights = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": weights, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=task.lr, fused=True)
    forward = torch.compile(model) if is_compiled else model
    last = [torch.tensor(torch.nan)]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            for rows in torch.randperm(len(task.tokens)).split(task.batch_size):
                window = task.tokens.index_select(0, rows)
                loss = forward(window[:, :-1], window[:, 1:])
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                last[0] = loss.detach()
            tick()

    return Contestant(train, lambda: float(last[0]))
