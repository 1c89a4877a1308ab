"""Hugging Face's GPT-2 of the same size, with its cache."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.generation.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "Hugging Face transformers"
REQUIRES = ("transformers", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=task.vocab_size, n_positions=task.context, n_embd=task.dim, n_layer=task.num_layers,
        n_head=task.num_heads, bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    model, written = GPT2LMHeadModel(config).eval(), [0]
    mask = torch.ones_like(task.prompt)

    def write(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            tokens = model.generate(
                task.prompt, attention_mask=mask, max_new_tokens=task.num_tokens, do_sample=False,
                use_cache=True, pad_token_id=0,
            )  # fmt: skip
            written[0] = tokens.shape[1]
            tick()

    return Contestant(write, lambda: float(written[0]))
