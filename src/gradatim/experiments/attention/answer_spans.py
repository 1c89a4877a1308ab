"""Answers are stretches of the text: a small BERT points at where each begins and ends."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.experiments.attention._stories import (
    VERBS,
    VOCABULARY,
    Asked,
    answers,
    ask,
    encode,
    look_up,
    named,
)
from gradatim.losses import span_cross_entropy, token_cross_entropy
from gradatim.models import BERT, BERTSpanReader, BERTTagger, best_spans
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("G4", "G6")
KEYWORDS = "extractive question answering, SQuAD, answer span, start and end pointers, reading comprehension, span reader, token tagging, fine-tuning BERT, unanswerable questions"
LENGTH = 24
LONGEST = 5  # words of an answer
INSIDE = 1


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 12_000
    test_rows: int = 1_000
    dim: int = 64
    epochs: int = 6
    lr: float = 2e-3
    exact: float = 0.95


QUICK = Settings(rows=4_000, test_rows=400, dim=48, epochs=4, lr=4e-3, exact=0.85)


def train(model: nn.Module, loss: Callable[[Tensor, Tensor], Tensor], data: Asked, target: Tensor, settings: Settings) -> None:  # fmt: skip
    with torch.no_grad():  # the published 0.02 is for a width of 768
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.mul_(4.0)
    Trainer(
        model, loss, "adamw", lr=settings.lr, schedule="cosine", epochs=settings.epochs, batch_size=32, clip_norm=1.0,
        seed=settings.seed, progress=False,
    ).fit((data.tokens, data.lengths, data.segments, target))  # fmt: skip
    model.eval()


def build(head: Callable[[BERT], nn.Module], settings: Settings) -> nn.Module:
    with seeded(settings.seed):
        return head(BERT(len(VOCABULARY), LENGTH, settings.dim, 2, 4, dropout=0.0))


@torch.inference_mode()
def logits(model: nn.Module, data: Asked) -> Tensor:
    output: Tensor = model(data.tokens, data.lengths, data.segments)
    return output


def point(model: nn.Module, data: Asked) -> Tensor:
    """First and last places, the best pair of all."""
    found = best_spans(logits(model, data), max_length=LONGEST)
    return torch.stack([found.starts, found.ends], 1)


def to_tags(data: Asked) -> Tensor:
    """For every word whether it belongs to the answer; padding does not count."""
    place = torch.arange(LENGTH)
    inside = (place >= data.spans[:, :1]) & (place <= data.spans[:, 1:]) & (data.spans[:, :1] > 0)
    return inside.long().masked_fill(place >= data.lengths[:, None], -100)


def read_tags(model: nn.Module, data: Asked) -> list[str]:
    """The words tagged as answer, with a bar between stretches that do not touch."""
    inside = (logits(model, data).argmax(-1) == INSIDE) & (torch.arange(LENGTH) < data.lengths[:, None])  # fmt: skip
    found = []
    for row, is_inside in zip(data.words, inside.tolist(), strict=True):
        pieces = "".join(f" {word}" if hit else "|" for word, hit in zip(row, is_inside, strict=False))  # fmt: skip
        found.append(" | ".join(piece.strip() for piece in pieces.split("|") if piece))
    return found


def share(said: list[str], true: list[str]) -> float:
    return float(np.mean([a == b for a, b in zip(said, true, strict=True)]))


def claim_reading(report: Report, reader: nn.Module, test: Asked, held: Asked, exact: float) -> None:  # fmt: skip
    true, spans = answers(test, test.spans), point(reader, test)
    said = answers(test, spans)
    report.claim("patterns that know the grammar find the answers that were drawn", share([look_up(row) for row in test.words], true), "share", equals=1.0)  # fmt: skip
    report.claim("BERT finds them without: both ends are right", share(said, true), "share", at_least=exact)  # fmt: skip
    asked_who = [k for k, row in enumerate(test.words) if row[1] == "who"]
    first = [named(test.words[k])[0] for k in asked_who]
    report.claim("whoever is named first is as often the wrong one", share(first, [true[k] for k in asked_who]), "share right", near=(0.5, 0.1))  # fmt: skip
    report.claim("who does it and to whom: by the form of the verb", share([said[k] for k in asked_who], [true[k] for k in asked_who]), "share right", at_least=exact - 0.05)  # fmt: skip
    silent = [k for k, answer in enumerate(true) if not answer]
    report.claim("where the sentence does not tell, it points to [CLS]", share([said[k] for k in silent], [""] * len(silent)), "share", at_least=exact)  # fmt: skip
    new = share(answers(held, point(reader, held)), answers(held, held.spans))
    report.claim("words that never stood together are found: pointing does not care", new, "share right", at_least=exact - 0.05)  # fmt: skip
    apart = logits(reader, test).argmax(1)  # the likeliest of each
    report.claim("some likeliest ends are not of one stretch; the best pair is right no less often", share(said, true) - share(answers(test, apart), true), "gain", at_least=0.0)  # fmt: skip


def claim_question(report: Report, reader: nn.Module, test: Asked) -> None:
    """Ask for the other one of the same sentence."""
    rows = [k for k, row in enumerate(test.words) if row[1:3] == ["who", "is"]]
    active = {done: verb for verb, done in VERBS.items()}
    words = [["[CLS]", "who", active[test.words[k][3]], *test.words[k][4:]] for k in rows]
    other = encode(words, test.spans[rows], LENGTH)
    right = share(answers(other, point(reader, other)), [look_up(row) for row in words])
    report.claim("asked for the other one of the same sentence it names the other one", right, "share right", at_least=0.8)  # fmt: skip


def claim_tags(report: Report, reader: nn.Module, tagger: nn.Module, test: Asked) -> None:
    """Another head on the same trunk: is each word part of the answer?"""
    true, said = answers(test, test.spans), read_tags(tagger, test)
    pointed = share(answers(test, point(reader, test)), true)
    report.claim("a head that tags every word, after as many steps, reads no better", share(said, true) - pointed, "share more", at_most=0.02)  # fmt: skip
    broken = float(np.mean(["|" in text for text in said]))
    report.text(f"Tags are chosen word by word: {100 * broken:.1f} % of the tagged answers fall into several pieces. Two pointers always name one stretch.")  # fmt: skip
    kinds = {"who does it": ("who", False), "to whom": ("who", True), "where": ("where", False), "when": ("when", False)}  # fmt: skip
    heads = {"two pointers": answers(test, point(reader, test)), "a tag for each word": said, "named first": [named(row)[0] for row in test.words]}  # fmt: skip
    groups = {name: [k for k, row in enumerate(test.words) if row[1] == word and (row[2] == "is") == passive] for name, (word, passive) in kinds.items()}  # fmt: skip
    rows = [[head, *(100 * share([own[k] for k in group], [true[k] for k in group]) for group in groups.values())] for head, own in heads.items()]  # fmt: skip
    report.table("Right answers, per cent, by what is asked", columns=["read by", *groups], rows=rows)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Answers as stretches of the text",
        summary="A question, a sentence, and for every word two numbers: is it where the answer begins, is it where it ends? Learned from examples, the pair "
        "of pointers tells who does it from whom it is done to, says nothing where nothing is told, and finds words that never stood together.",
    )  # fmt: skip
    rng = np.random.default_rng(settings.seed)
    data, test = ask(settings.rows, rng, length=LENGTH), ask(settings.test_rows, rng, length=LENGTH)  # fmt: skip
    held = ask(settings.test_rows, rng, length=LENGTH, is_held=True)
    reader = build(BERTSpanReader, settings)
    train(reader, span_cross_entropy, data, data.spans, settings)
    tagger = build(lambda trunk: BERTTagger(trunk, 2, dropout=0.0), settings)
    train(tagger, token_cross_entropy, data, to_tags(data), settings)
    claim_reading(report, reader, test, held, settings.exact)
    claim_question(report, reader, test)
    claim_tags(report, reader, tagger, test)
    shown = [next(k for k, row in enumerate(test.words) if wanted(row)) for wanted in (lambda r: r[1:3] == ["who", "is"] and "by" not in r, lambda r: r[1:3] == ["who", "is"] and "by" in r, lambda r: r[1] == "where" and not look_up(r))]  # fmt: skip
    report.figure("pointers", draw(reader, test, shown), caption="How likely each word is the first (up) and the last (down) of the answer. Third: the sentence does not tell, and both point to [CLS].")  # fmt: skip
    return report


def draw(reader: nn.Module, test: Asked, rows: list[int]) -> Figure:
    """Probabilities of first words above, of last words below, word by word."""
    chances = logits(reader, test).softmax(1)  # (rows, T, 2)
    figure, panels = new_figure(len(rows), width=9.6, height=2.1 * len(rows))
    for panel, k in zip(panels, rows, strict=True):
        words = test.words[k]
        first, last = chances[k, : len(words)].T.numpy()
        panel.bar(range(len(words)), first, color=PALETTE[0], label="first")
        panel.bar(range(len(words)), -last, color=PALETTE[1], label="last")
        panel.axhline(0, color=INK, linewidth=0.8)
        panel.axvline(words.index("[SEP]") + 0.5, color=MUTED, linewidth=0.8, linestyle="--")
        panel.set_xticks(range(len(words)), words, fontsize=8, rotation=30)
        panel.set(ylim=(-1.1, 1.1), yticks=[-1, 0, 1])
        panel.set_yticklabels(["1", "0", "1"])
        panel.grid(False)
    panels[0].legend(loc="upper left", ncols=2)
    return figure
