"""One model, one prompt, every way of choosing the next token: likelihood against diversity."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.data import CharacterTokenizer, TokenWindows, load
from gradatim.decoding import generate
from gradatim.experiments._characters import made_up_text
from gradatim.experiments.attention._grammar import START, is_sentence
from gradatim.losses import token_cross_entropy
from gradatim.models import GPT
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("G3",)
KEYWORDS = (
    "greedy decoding, beam search, temperature, top-k, top-p nucleus sampling, text generation"
)
STRATEGIES: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0.0},
    "4 beams": {"num_beams": 4},
    "temperature 0.5": {"temperature": 0.5},
    "temperature 1": {"temperature": 1.0},
    "temperature 1.7": {"temperature": 1.7},
    "top-k 5, temperature 1.7": {"temperature": 1.7, "top_k": 5},
    "top-p 0.8, temperature 1.7": {"temperature": 1.7, "top_p": 0.8},
}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    corpus: str = "grammar"
    characters: int = 150_000
    context: int = 64
    dim: int = 64
    num_layers: int = 2
    steps: int = 600
    samples: int = 100
    num_tokens: int = 150


QUICK = Settings(characters=80_000, steps=350, samples=100, num_tokens=60)


def read_corpus(settings: Settings) -> tuple[str, str]:
    """A text, and a prompt: sentences of a grammar, or a language set of the catalogue."""
    if settings.corpus == "grammar":
        return made_up_text(settings.characters, settings.seed), f"\n{START}"
    return load(settings.corpus).text, "\n\nKING "


def train(settings: Settings, text: str) -> tuple[GPT, CharacterTokenizer]:
    tokenizer = CharacterTokenizer.train(text)
    with seeded(settings.seed):
        model = GPT(
            tokenizer.vocab_size, settings.context, settings.dim, settings.num_layers, 4, positions="rotary"
        )  # fmt: skip
    windows = TokenWindows(
        torch.tensor(tokenizer.encode(text)), settings.context, batch_size=32,
        num_batches=settings.steps, seed=settings.seed,
    )  # fmt: skip
    Trainer(
        model, token_cross_entropy, "adamw", lr=4e-3, schedule="cosine", epochs=1, clip_norm=1.0,
        seed=settings.seed, progress=False,
    ).fit(windows)  # fmt: skip
    return model, tokenizer


@torch.inference_mode()
def log_likelihood(model: GPT, tokens: Tensor, prompt: int) -> float:
    """Mean log-probability per generated token that the model itself gives, within its context."""
    tokens = tokens[:, : model.context + 1]
    logits = model.eval()(tokens[:, :-1])[:, prompt - 1 :]
    return -token_cross_entropy(logits, tokens[:, prompt:]).item()


def diversity(texts: list[str]) -> float:
    """Share of different words among all words, in per cent."""
    words = [word for text in texts for word in text.split()]
    return 100 * len(set(words)) / max(len(words), 1)


def whole_lines(text: str) -> list[str]:
    """The lines that were begun and ended."""
    return text.split("\n")[1:-1]


def run(settings: Settings) -> Report:
    report = Report(
        title="Decoding strategies",
        summary="The likeliest text is dull and the random text is wild; truncation keeps what is likely "
        "enough and lets the rest vary.",
    )
    text, prompt = read_corpus(settings)
    model, tokenizer = train(settings, text)
    start = torch.tensor(tokenizer.encode(prompt))
    rows, texts, found, is_grammar = [], {}, {}, settings.corpus == "grammar"
    for name, how in STRATEGIES.items():
        is_drawn = how.get("temperature", 0.0) > 0
        tokens = generate(
            model, start.expand(settings.samples if is_drawn else 1, -1), settings.num_tokens,
            seed=settings.seed, **how,
        ).expand(settings.samples, -1)  # fmt: skip
        texts[name] = [tokenizer.decode(row) for row in tokens.tolist()]
        likelihood = log_likelihood(model, tokens, len(start))
        lines = [line for sample in texts[name] for line in whole_lines(sample)]
        right = 100 * sum(map(is_sentence, lines)) / max(len(lines), 1)
        found[name] = (likelihood, diversity(texts[name]), right)
        rows.append([name, likelihood, found[name][1], *([right] if is_grammar else [])])
    claim_order(report, found, settings)
    report.table(
        f"What each strategy writes, {settings.samples} times",
        columns=["strategy", "log-likelihood", "different words, %",
                 *(["grammatical lines, %"] if is_grammar else [])],
        rows=rows,
    )  # fmt: skip
    report.figure(
        "strategies",
        strategy_map({name: values[:2] for name, values in found.items()}),
        caption="Right is likelier, up is more varied. Truncated draws at a high temperature reach both.",
    )
    for name, samples in texts.items():
        report.text(f"{name}:")
        report.code("text", samples[0].strip())
    return report


def claim_order(
    report: Report, found: dict[str, tuple[float, float, float]], settings: Settings
) -> None:
    gain = found["4 beams"][0] - found["greedy"][0]
    report.claim(
        "beam search finds a text at least as likely as the greedy one", gain, at_least=-0.02
    )
    hot = [found[f"temperature {t}"] for t in ("0.5", "1", "1.7")]
    falls = min(hot[0][0] - hot[1][0], hot[1][0] - hot[2][0])
    # the mean log-likelihood of one draw falls by its variance over T², which is small where the text is almost sure
    report.claim("likelihood falls with temperature", falls, "each time by", above=0)
    whole = hot[0][0] - hot[2][0]
    report.claim("likelihood falls from temperature 0.5 to 1.7", whole, "by", at_least=0.2)
    rises = min(hot[1][1] - hot[0][1], hot[2][1] - hot[1][1])
    report.claim("diversity rises with temperature", rises, "each time by", above=0)
    for name in ("top-k 5, temperature 1.7", "top-p 0.8, temperature 1.7"):
        gain = found[name][0] - hot[2][0]
        report.claim(f"{name}: likelier than the same temperature alone", gain, at_least=0.1)
    if settings.corpus == "grammar":
        cool, wild = hot[0][2], hot[2][2]
        report.claim(
            "cool draws keep the grammar, hot ones lose it",
            expected="grammatical lines ≥ 90 % at 0.5, at least 30 points fewer at 1.7",
            measured=f"{cool:.0f} % and {wild:.0f} %",
            holds=cool >= 90 and cool - wild >= 30,
        )


def strategy_map(points: Mapping[str, tuple[float, float]]) -> Figure:
    """Draw ways of decoding by likelihood and diversity, each with its name.

    Args:
        points: By name, log-likelihood per token and share of different words in per cent.

    Example:
        >>> figure = strategy_map({"greedy": (-0.2, 5.0), "temperature 1": (-0.9, 20.0)})
        >>> len(figure.axes[0].texts)
        2
    """
    figure, axes = new_figure(width=7.2, height=4.2)
    for color, (name, (x, y)) in zip(PALETTE, points.items(), strict=False):
        axes.plot([x], [y], "o", color=color, markersize=9)
        axes.annotate(name, (x, y), (8, 4), textcoords="offset points", color=INK, fontsize=9)
    axes.margins(0.18)
    axes.set(xlabel="log-likelihood per character", ylabel="different words, %")
    return figure
