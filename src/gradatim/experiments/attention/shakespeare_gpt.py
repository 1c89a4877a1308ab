"""A small GPT reads Shakespeare for ten minutes on two cores, beside counting and an LSTM."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch

from gradatim.data import CharacterTokenizer, TokenWindows
from gradatim.decoding import generate
from gradatim.experiments._characters import Text, TextSettings, claim_entropy, read_text
from gradatim.experiments._letter_lstm import surprise, train_lstm
from gradatim.fitting.language.judging import token_bits
from gradatim.losses import token_cross_entropy
from gradatim.models import GPT
from gradatim.optim.schedules import warm_up
from gradatim.plots import attention_map, comparison_bars
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.timeseries import NGram
from gradatim.training import History, Trainer

COVERS = ("G3",)
KEYWORDS = "language model, GPT, Transformer decoder, n-gram, perplexity, next token, weight tying, bits per character"
PROMPTS = {"tiny-shakespeare": "\nROMEO:\n", "made-up": "\nthe king "}
LINES = {"tiny-shakespeare": "What light through yonder", "made-up": "the king fears the fool"}


@dataclass(frozen=True)
class Settings(TextSettings):
    context: int = 128
    dim: int = 192
    num_layers: int = 4
    num_heads: int = 6
    batch_size: int = 32
    rounds: int = 9
    steps: int = 200
    lr: float = 3e-3
    lstm_dim: int = 256
    lstm_epochs: int = 8
    orders: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)
    sample: int = 500


QUICK = Settings(
    source="made-up", characters=45_000, context=48, dim=48, num_layers=2, num_heads=4, batch_size=24,
    rounds=4, steps=40, lr=6e-3, lstm_dim=48, lstm_epochs=3, orders=(1, 3, 5), sample=120,
)  # fmt: skip


class Contestant(NamedTuple):
    """Bits per character on the unread tenth, and what they cost."""

    bits: float
    core_seconds: float
    parameters: int | None


def train_gpt(text: Text, settings: Settings) -> tuple[GPT, History]:
    with seeded(settings.seed):
        model = GPT(
            len(text.letters), settings.context, settings.dim, settings.num_layers, settings.num_heads,
            positions="rotary",
        )  # fmt: skip
    windows = TokenWindows(
        text.train, settings.context, batch_size=settings.batch_size, num_batches=settings.steps,
        seed=settings.seed,
    )  # fmt: skip
    held_out = TokenWindows(text.test, settings.context, batch_size=64, num_batches=4, seed=None)
    trainer = Trainer(
        model, token_cross_entropy, "adamw", lr=settings.lr, weight_decay=0.1, schedule=warm_up(epochs=0.5),
        epochs=settings.rounds, clip_norm=1.0, seed=settings.seed, progress=False,
    )  # fmt: skip
    return model, trainer.fit(windows, validation=held_out)


def count_bits(text: Text, order: int) -> float:
    model = NGram(order, len(text.letters)).fit([text.train])
    return math.log2(model.perplexity(text.test))


def timed(measure: Callable[[], float]) -> tuple[float, float]:
    """A measurement, and the core seconds it took."""
    start = time.process_time()
    return measure(), time.process_time() - start


def run(settings: Settings) -> Report:
    text = read_text(settings)
    found = {}
    for order in settings.orders:
        bits, spent = timed(lambda order=order: count_bits(text, order))  # type: ignore[misc]
        found[f"{order}-gram"] = Contestant(bits, spent, None)
    start = time.process_time()
    lstm = train_lstm(
        text, settings.lstm_dim, lr=1e-2 if settings.source == "made-up" else 4e-3,
        epochs=settings.lstm_epochs, seed=settings.seed,
    )  # fmt: skip
    spent = time.process_time() - start
    bits = surprise(lstm, text.test).mean().item()
    found["LSTM"] = Contestant(bits, spent, sum(p.numel() for p in lstm.parameters()))
    start = time.process_time()
    gpt, history = train_gpt(text, settings)
    spent = time.process_time() - start
    bits = float(token_bits(gpt, text.test.numpy()).mean())
    found["GPT"] = Contestant(bits, spent, sum(p.numel() for p in gpt.parameters()))
    report = Report(
        title="A small GPT",
        summary=f"{bits:.2f} bits a character on text it has not read, after {spent / 60:.1f} core minutes of training.",
    )
    claim(report, found, settings)
    report.table(
        f"On the last {len(text.test):,} characters",
        columns=["model", "bits per character", "core seconds", "parameters"],
        rows=[[name, *contestant] for name, contestant in found.items()],
    )
    show(report, gpt, text, found, history, settings)
    return report


def claim(report: Report, found: dict[str, Contestant], settings: Settings) -> None:
    bits = found["GPT"].bits
    best, name = min((value.bits, name) for name, value in found.items() if name.endswith("gram"))
    report.claim(f"attention beats counting, of which the {name} is best", bits, at_most=best - 0.1)
    report.claim("and is no worse than the LSTM", bits, at_most=found["LSTM"].bits + 0.05)
    if settings.source == "made-up":
        claim_entropy(report, "it", bits)
    else:
        report.claim("unseen plays are predicted", bits, "{} bits a character", at_most=2.35)


def show(
    report: Report, gpt: GPT, text: Text, found: dict[str, Contestant], history: History,
    settings: Settings,
) -> None:  # fmt: skip
    report.figure(
        "bits",
        comparison_bars(
            {name: each.bits for name, each in found.items()},
            label="bits per character on unseen text",
            highlight="GPT",
        ),
        caption="The same unread tenth of the text for all.",
    )
    draw_learning(report, found, history, settings)
    tokenizer = CharacterTokenizer(text.letters)
    prompt = torch.tensor(tokenizer.encode(PROMPTS[settings.source]))
    tokens = generate(gpt, prompt, settings.sample, temperature=0.8, top_p=0.95, seed=settings.seed)
    report.text("Written by the GPT at temperature 0.8 and top-p 0.95:")
    report.code("text", tokenizer.decode(tokens.tolist()).strip())
    report.figure(
        "heads",
        attention_map(gpt, LINES[settings.source], tokenizer=tokenizer),
        caption="What the heads look at in one line: the letter before, the beginning of the word, the word before.",
    )


def draw_learning(
    report: Report, found: dict[str, Contestant], history: History, settings: Settings
) -> None:
    seen = [r["epoch"] * settings.steps * settings.batch_size * settings.context / 1e6 for r in history.records]  # fmt: skip
    curves = {
        name: (seen, [value / math.log(2) for value in history[key]])
        for name, key in (("training", "train_loss"), ("held out", "validation_loss"))
    }
    guides = {
        name: ([seen[0], seen[-1]], [found[name].bits] * 2)
        for name in ("LSTM", min((n for n in found if n.endswith("gram")), key=lambda n: found[n].bits))
    }  # fmt: skip
    report.figure(
        "learning-curve",
        curve_panels(
            [CurvePanel("GPT", "million characters read", "bits per character", curves, guides)],
            width=7.0,
        ),
        caption="The held-out curve is measured on windows from their first character on, so it lies a little above "
        "the figure of the table, where at least half a context is known.",
    )
