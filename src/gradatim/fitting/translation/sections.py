"""The report of a translator: BLEU of all contestants, examples, where it looks, how to use it."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from matplotlib.figure import Figure

from gradatim.data.pairs import Parts
from gradatim.data.vocabulary import END
from gradatim.fitting.player import NETWORK
from gradatim.fitting.translation.batches import FIRST, encode
from gradatim.fitting.translation.model import TranslationModel
from gradatim.fitting.translation.networks import CONTEXT, Plan
from gradatim.fitting.verdict import Verdict
from gradatim.instruments import cross_attention
from gradatim.plots import alignment_maps, comparison_bars, learning_curves
from gradatim.reports import Concern, Report
from gradatim.training import History

EXAMPLES, MAPS = 12, 4


class Contestant(NamedTuple):
    """What a translator wrote for the test sentences, and how good that is."""

    written: list[str]
    bleu: float
    chrf: float


@dataclass
class TranslationFindings:
    """Everything the report is made of.

    Args:
        folder: Where the model will be.
        name: Short name of the pairs.
        pairs: How many there are.
        parts: How they were split.
        plan: How the network was trained.
        model: The translator.
        history: How the training went.
        contestants: What every contestant wrote.
        verdict: The conclusion.
        notes: What was done to the pairs.
        concerns: What a careful reader would worry about.
    """

    folder: Path
    name: str
    pairs: int
    parts: Parts
    plan: Plan
    model: TranslationModel
    history: History
    contestants: dict[str, Contestant]
    verdict: Verdict
    notes: list[str]
    concerns: list[Concern]

    @property
    def headline(self) -> str:
        """What was learned from how much, in a line."""
        return f"Translator of {self.name}, {self.pairs:,} pairs"


def make_report(f: TranslationFindings) -> Report:
    """Compose the report."""
    report = Report(title=f"A translator of {f.name}", summary=f.verdict.sentence)
    _describe(report, f)
    if f.concerns:
        report.table(
            "Warnings", columns=["what to worry about"], rows=[[str(c)] for c in f.concerns]
        )
    report.table(
        f"Test, {len(f.parts.test):,} sentences, used once",
        columns=["translator", "BLEU", "chrF"],
        rows=[
            [name + (" ←" if name == f.verdict.recommended else ""), c.bleu, c.chrf]
            for name, c in f.contestants.items()
        ],
    )
    report.text(
        "BLEU and chrF are those of sacrebleu, from 0 to 100, against every known translation of a sentence; more is "
        "better. `network` searches with a beam of four. The verdict compares network and look-up on groups of test "
        "sentences."
    )
    report.figure(
        "bleu",
        comparison_bars({n: c.bleu for n, c in f.contestants.items()}, label="BLEU on test sentences", highlight=NETWORK),
        caption="More is better.",
    )  # fmt: skip
    _examples(report, f)
    report.figure(
        "cross-attention",
        _maps(f),
        caption="Each row is a token that the network wrote, each column one that it read; dark where it looked, on "
        "average over layers and heads.",
    )
    report.figure(
        "learning-curves",
        learning_curves({"": f.history}),
        caption="Cross-entropy of a token in training (dashed) and on the validation pairs (solid).",
    )
    report.text("How to use the model:")
    report.code("python", usage(f))
    return report


def _describe(report: Report, f: TranslationFindings) -> None:
    size = f.plan.size
    report.table(
        "Data and network",
        columns=["", "value"],
        rows=[
            ["training pairs", f"{len(f.parts.train):,}"],
            ["validation pairs", f"{len(f.parts.validation):,}"],
            ["test sentences", f"{len(f.parts.test):,}"],
            ["network", f"Transformer, {size.num_layers} + {size.num_layers} layers, width {size.dim}, {size.num_heads} heads"],
            ["parameters", sum(p.numel() for p in f.model.network.parameters())],
            ["steps", len(f.history.records) * f.plan.steps],
        ],
    )  # fmt: skip
    report.table("What was done to the pairs", columns=["step"], rows=[[note] for note in f.notes])


def _examples(report: Report, f: TranslationFindings) -> None:
    rows = [
        [question.source, question.references[0], f.contestants[NETWORK].written[k]]
        for k, question in enumerate(f.parts.test[:EXAMPLES])
    ]
    report.table(
        "Examples from the test", columns=["sentence", "a known translation", "network"], rows=rows
    )


def _maps(f: TranslationFindings) -> Figure:
    tokenizer, panels = f.model.tokenizer, []
    lengths = [(len(q.source), k) for k, q in enumerate(f.parts.test)]
    middle = [k for _, k in sorted(lengths)][len(lengths) // 2 :][:MAPS]
    for k in middle:
        source = encode(tokenizer, f.parts.test[k].source)[:CONTEXT]
        target = [*encode(tokenizer, f.contestants[NETWORK].written[k]), END][:CONTEXT]
        weights = cross_attention(f.model.network, torch.tensor([source]), torch.tensor([target]))[0]  # fmt: skip
        names = [[tokenizer.decode([n - FIRST]).strip() for n in side if n >= FIRST] for side in (target, source)]  # fmt: skip
        panels.append((weights.numpy(), [*names[0], "end"][: len(target)], names[1]))
    return alignment_maps(panels)


def usage(f: TranslationFindings) -> str:
    """Lines that use the model folder, from the shell and from Python."""
    example = f.parts.test[0].source
    return (
        f"# gradatim predict {f.folder} new.tsv -o translations.csv\n"
        "import gradatim\n\n"
        f"model = gradatim.load_model({str(f.folder)!r})\n"
        f"print(model.translate([{example!r}]))\n"
    )
