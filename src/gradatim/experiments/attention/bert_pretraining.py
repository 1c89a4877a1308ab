"""What BERT is asked while it learns: hidden words, wrong ones, right ones, and whether a sentence comes next."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.data import (
    WordPieceTokenizer,
    load,
    mask_tokens,
    next_sentence_pairs,
    split_sentences,
)
from gradatim.data.sentence_pairs import SentencePairs
from gradatim.models import BERT, BERTPretraining
from gradatim.plots.bars import comparison_bars
from gradatim.plots.style import INK, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import History, MaskedLanguage, Trainer

COVERS = ("G4",)
KEYWORDS = "masked language model, MLM, next sentence prediction, pretraining, fill in the blank, bidirectional encoder, 80/10/10"
KINDS = {"80/10/10": (0.8, 0.1), "always hidden": (1.0, 0.0), "never a wrong word": (0.8, 0.0)}
WHOLE, HIDDEN, RIGHT = KINDS
CAST = ("king", "queen", "fool", "ghost", "raven", "captain", "miller", "nurse")
DOES = ("finds", "fears", "loves", "hides", "follows", "praises")
THINGS = ("a sword", "a crown", "a letter", "a lantern", "a map", "a ring")
FEELS = ("glad", "sad", "tired", "angry")


@dataclass(frozen=True)
class Settings:
    """``made-up`` needs no download: stories of four sentences, each about one of a cast."""

    seed: int = 0
    source: Literal["tiny-shakespeare", "made-up"] = "tiny-shakespeare"
    sentences: int = 20_000
    vocab_size: int = 1_000
    max_length: int = 48
    dim: int = 96
    epochs: int = 8


QUICK = Settings(source="made-up", sentences=2_000, vocab_size=160, max_length=20, dim=32, epochs=7)


def stories(count: int, seed: int) -> list[list[str]]:
    """Stories of four sentences: who does something stays the same within one, and differs from one to another."""
    rng = np.random.default_rng(seed)
    told = []
    for _ in range(count // 4):
        who, thing = rng.choice(CAST), rng.choice(THINGS)
        told.append([f"the {who} {rng.choice(DOES)} {thing}.", f"the {who} is {rng.choice(FEELS)}.", f"now the {who} {rng.choice(DOES)} {rng.choice(THINGS)}.", f"then the {who} {rng.choice(DOES)} {thing}."])  # fmt: skip
    return told


def read(settings: Settings) -> tuple[WordPieceTokenizer, SentencePairs, SentencePairs]:
    """A tokenizer, pairs of sentences to learn from, and pairs of the last tenth."""
    if settings.source == "made-up":
        documents = stories(settings.sentences, settings.seed)
    else:
        sentences = split_sentences(load(settings.source).text)[: settings.sentences]
        documents = [sentences[k : k + 40] for k in range(0, len(sentences), 40)]
    cut = len(documents) * 9 // 10
    tokenizer = WordPieceTokenizer.train([s for d in documents[:cut] for s in d], vocab_size=settings.vocab_size)  # fmt: skip
    learned, kept_back = (next_sentence_pairs(part, tokenizer, max_length=settings.max_length, seed=settings.seed + k) for k, part in enumerate((documents[:cut], documents[cut:])))  # fmt: skip
    return tokenizer, learned, kept_back


def pretrain(kind: str, tokenizer: WordPieceTokenizer, pairs: SentencePairs, settings: Settings) -> tuple[BERTPretraining, History]:  # fmt: skip
    hidden, replaced = KINDS[kind]
    with seeded(settings.seed):
        trunk = BERT(tokenizer.vocab_size, settings.max_length, settings.dim, 2, 4, dropout=0.0)
        model = BERTPretraining(trunk)
        with torch.no_grad():  # the published 0.02 is for a width of 768
            for parameter in model.parameters():
                if parameter.ndim > 1:
                    parameter.mul_(2.0)
    objective = MaskedLanguage(tokenizer, hidden=hidden, replaced=replaced)
    trainer = Trainer(model, objective=objective, optimizer="adamw", lr=3e-3, schedule="cosine", epochs=settings.epochs, batch_size=32, clip_norm=1.0, seed=settings.seed, progress=False)  # fmt: skip
    history = trainer.fit(pairs)
    return model.eval(), history


class Asked(dict[str, float]):
    """Share of places where the likeliest word is the true one, by what was done to the place."""


@torch.inference_mode()
def ask(model: BERTPretraining, tokenizer: WordPieceTokenizer, pairs: SentencePairs, seed: int) -> Asked:  # fmt: skip
    """Ask at hidden places, at places with a wrong word, and at places that are as they were."""
    found = Asked()
    specials = [tokenizer.number(name) for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
    for name, hidden, replaced in (("hidden", 1.0, 0.0), ("wrong", 0.0, 1.0), ("as it was", 0.0, 0.0)):  # fmt: skip
        masked = mask_tokens(pairs.tokens, vocab_size=tokenizer.vocab_size, mask=tokenizer.number("[MASK]"), specials=specials, hidden=hidden, replaced=replaced, generator=torch.Generator().manual_seed(seed))  # fmt: skip
        chosen = masked.targets != -100
        if name == "wrong":  # by chance a word stands in for itself
            chosen &= masked.inputs != pairs.tokens
        said = model(masked.inputs, pairs.lengths, pairs.segments).argmax(-1)
        found[name] = (said == pairs.tokens)[chosen].double().mean().item()
    return found


@torch.inference_mode()
def next_right(model: BERTPretraining, pairs: SentencePairs) -> float:
    """Share of pairs of which it is right whether the second sentence follows."""
    logits = model.next_logits(model.trunk(pairs.tokens, pairs.lengths, pairs.segments))
    return (logits.argmax(1) == pairs.is_next).double().mean().item()


def commonest(pairs: SentencePairs, test: SentencePairs, specials: int) -> float:
    """How often the commonest word would be right."""
    counts = torch.bincount(pairs.tokens[pairs.tokens >= specials])
    real = test.tokens[test.tokens >= specials]
    return (real == counts.argmax()).double().mean().item()


def claim_kinds(report: Report, asked: dict[str, Asked], guess: float) -> None:
    whole, hidden, right = (asked[kind] for kind in (WHOLE, HIDDEN, RIGHT))
    report.claim("hidden words are found from both sides, far more often than the commonest word is right", whole["hidden"] / guess, "{} times as often", at_least=1.5)  # fmt: skip
    report.claim("who was asked at [MASK] only does not know the words that it sees", whole["as it was"] - hidden["as it was"], "share of words as they were, less by {}", at_least=0.2)  # fmt: skip
    report.claim("who never met a wrong word believes it more often", right["wrong"], "share of wrong words mended, {}", at_most=0.85 * whole["wrong"])  # fmt: skip
    report.claim("80/10/10 mends some of them", whole["wrong"], "share {}", at_least=0.05)
    gap = hidden["hidden"] - whole["hidden"]
    report.claim("it costs little where words are hidden", gap, "share less {}", at_most=0.08)


def run(settings: Settings) -> Report:
    report = Report(
        title="What BERT is asked",
        summary="Eight of ten words are hidden, one is wrong, one is right: only so does the network know the words that it sees, and doubt them.",
    )
    tokenizer, pairs, test = read(settings)
    models, asked, losses = {}, {}, {}
    for kind in KINDS:
        models[kind], history = pretrain(kind, tokenizer, pairs, settings)
        asked[kind] = ask(models[kind], tokenizer, test, settings.seed)
        losses[kind] = history["train_token_loss"][-1]
    claim_kinds(report, asked, commonest(pairs, test, 5))
    follows = next_right(models[WHOLE], test)
    if settings.source == "made-up":
        report.claim("whether a sentence follows: it does if it is about the same person", follows, "share right {}", at_least=0.65)  # fmt: skip
    else:
        report.claim("whether a sentence follows is harder to tell in plays", follows, "share right {}", at_least=0.5)  # fmt: skip
    rows = [
        [kind, *(100 * value for value in asked[kind].values()), losses[kind]] for kind in KINDS
    ]
    report.table("Right words, per cent, by what was done to the place", columns=["asked in training", *next(iter(asked.values())), "training loss"], rows=rows)  # fmt: skip
    report.figure("kinds", comparison_bars({kind: 100 * asked[kind]["as it was"] for kind in KINDS}, label="words as they were that are known, %"), caption="Fine-tuning shows whole texts: what was asked at [MASK] only is lost there.")  # fmt: skip
    report.figure("blanks", draw(models[WHOLE], tokenizer, test, settings.seed), caption="Words that are hidden one at a time, and the five likeliest in their place; the true one is dark.")  # fmt: skip
    return report


@torch.inference_mode()
def draw(model: BERTPretraining, tokenizer: WordPieceTokenizer, test: SentencePairs, seed: int) -> Figure:  # fmt: skip
    rng = np.random.default_rng(seed)
    figure, panels = new_figure(2, 3, width=11.0, height=4.8)
    for panel, row in zip(panels.flat, rng.integers(0, len(test.tokens), 6), strict=True):
        tokens, length = test.tokens[row].clone(), int(test.lengths[row])
        ordinary = [k for k in range(1, length - 1) if int(tokens[k]) >= 5 and len(tokenizer.tokens[int(tokens[k])]) > 3]  # fmt: skip
        place = int(rng.choice(ordinary))
        truth = int(tokens[place])
        tokens[place] = tokenizer.number("[MASK]")
        chances = model(tokens[None], test.lengths[row : row + 1], test.segments[row : row + 1])[0, place].softmax(-1)  # fmt: skip
        best = chances.topk(5)
        _bars(panel, best.values, [tokenizer.tokens[k] for k in best.indices.tolist()], [k == truth for k in best.indices.tolist()])  # fmt: skip
        near = [tokenizer.tokens[int(k)] for k in tokens[max(place - 3, 1) : min(place + 3, length - 1)]]  # fmt: skip
        panel.set_title(" ".join(near).replace("[MASK]", "____"), fontsize=9)
    return figure


def _bars(panel: object, values: Tensor, names: list[str], is_true: list[bool]) -> None:
    panel.barh(range(len(names)), values.numpy(), color=[INK if true else "#9DB8D2" for true in is_true])  # type: ignore[attr-defined]  # fmt: skip
    panel.set_yticks(range(len(names)), names, fontsize=8)  # type: ignore[attr-defined]
    panel.invert_yaxis()  # type: ignore[attr-defined]
    panel.set_xlim(0, 1)  # type: ignore[attr-defined]
