"""The report of a translator: BLEU of all contestants, examples, where it looks, how to use it."""

from typing import TYPE_CHECKING, NamedTuple

import torch
from matplotlib.figure import Figure

from gradatim.data.vocabulary import END
from gradatim.fitting.course import Outcome
from gradatim.fitting.player import NETWORK
from gradatim.fitting.translation.batches import FIRST, encode
from gradatim.fitting.translation.networks import CONTEXT
from gradatim.instruments import cross_attention
from gradatim.plots import alignment_maps, comparison_bars, learning_curves
from gradatim.reports import Report

if TYPE_CHECKING:
    from gradatim.fitting.translation.course import TranslationCourse

EXAMPLES, MAPS = 12, 4


class Contestant(NamedTuple):
    """What a translator wrote for the test sentences, and how good that is."""

    written: list[str]
    bleu: float
    chrf: float


def describe_data(report: Report, course: "TranslationCourse", outcome: Outcome) -> None:
    """Add sizes of parts and network."""
    size, parts = outcome.plan.size, course.parts
    report.table(
        "Data and network",
        columns=["", "value"],
        rows=[
            ["training pairs", f"{len(parts.train):,}"],
            ["validation pairs", f"{len(parts.validation):,}"],
            ["test sentences", f"{len(parts.test):,}"],
            ["network", f"Transformer, {size.num_layers} + {size.num_layers} layers, width {size.dim}, {size.num_heads} heads"],
            ["parameters", sum(p.numel() for p in outcome.model.network.parameters())],
            ["steps", len(outcome.history.records) * outcome.plan.steps],
        ],
    )  # fmt: skip


def explain(report: Report, course: "TranslationCourse", outcome: Outcome) -> None:
    """Add scores, examples, where the network looks, and its learning curves."""
    found = course.contestants
    report.table(
        f"Test, {len(course.parts.test):,} sentences, used once",
        columns=["translator", "BLEU", "chrF"],
        rows=[
            [name + (" ←" if name == outcome.verdict.recommended else ""), c.bleu, c.chrf]
            for name, c in found.items()
        ],
    )
    report.text(
        "BLEU and chrF are those of sacrebleu, from 0 to 100, against every known translation of a sentence; more is "
        "better. `network` searches with a beam of four. The verdict compares network and look-up on groups of test "
        "sentences."
    )
    with report.attempt("the figure of the test"):
        report.figure(
            "bleu",
            comparison_bars({n: c.bleu for n, c in found.items()}, label="BLEU on test sentences", highlight=NETWORK),
            caption="More is better.",
        )  # fmt: skip
    with report.attempt("the examples"):
        _examples(report, course)
    with report.attempt("where the network looks"):
        report.figure(
            "cross-attention",
            _maps(course, outcome),
            caption="Each row is a token that the network wrote, each column one that it read; dark where it looked, on "
            "average over layers and heads.",
        )
    with report.attempt("the learning curve"):
        report.figure(
            "learning-curves",
            learning_curves({"": outcome.history}),
            caption="Cross-entropy of a token in training (dashed) and on the validation pairs (solid).",
        )


def _examples(report: Report, course: "TranslationCourse") -> None:
    rows = [
        [question.source, question.references[0], course.contestants[NETWORK].written[k]]
        for k, question in enumerate(course.parts.test[:EXAMPLES])
    ]
    report.table(
        "Examples from the test", columns=["sentence", "a known translation", "network"], rows=rows
    )


def _maps(course: "TranslationCourse", outcome: Outcome) -> Figure:
    tokenizer, test, panels = course.tokenizer, course.parts.test, []
    lengths = [(len(q.source), k) for k, q in enumerate(test)]
    middle = [k for _, k in sorted(lengths)][len(lengths) // 2 :][:MAPS]
    for k in middle:
        source = encode(tokenizer, test[k].source)[:CONTEXT]
        target = [*encode(tokenizer, course.contestants[NETWORK].written[k]), END][:CONTEXT]
        weights = cross_attention(outcome.model.network, torch.tensor([source]), torch.tensor([target]))[0]  # fmt: skip
        names = [[tokenizer.decode([n - FIRST]).strip() for n in side if n >= FIRST] for side in (target, source)]  # fmt: skip
        panels.append((weights.numpy(), [*names[0], "end"][: len(target)], names[1]))
    return alignment_maps(panels)


def usage(course: "TranslationCourse", outcome: Outcome) -> str:
    """Lines that use the model folder, from the shell and from Python."""
    example = course.parts.test[0].source
    return (
        f"# gradatim predict {outcome.folder} new.tsv -o translations.csv\n"
        "import gradatim\n\n"
        f"model = gradatim.load_model({str(outcome.folder)!r})\n"
        f"print(model.translate([{example!r}]))\n"
    )
