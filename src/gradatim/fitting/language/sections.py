"""The report of a language model: the contest, its learning curve, what it writes, how to use it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from gradatim.data.corpus import Text, Tokens
from gradatim.data.tokenizers import Tokenizer
from gradatim.evaluation import corrected_interval
from gradatim.fitting.language.networks import Plan
from gradatim.fitting.player import NETWORK
from gradatim.fitting.verdict import Verdict
from gradatim.plots import comparison_bars
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Concern, Report
from gradatim.training import History

if TYPE_CHECKING:
    from gradatim.fitting.language.job import Reading
    from gradatim.fitting.language.model import LanguageModel

WRITTEN = 200  # tokens of a sample in the report
WAYS = (("the likeliest token", 0.0), ("temperature 0.8", 0.8), ("temperature 1", 1.0))


class Sample(NamedTuple):
    """What was written after a prompt, and how tokens were chosen."""

    prompt: str
    way: str
    text: str


@dataclass
class LanguageFindings:
    """Everything the report is made of.

    Args:
        folder: Where the model will be.
        name: Short name of the text.
        text: The text.
        tokenizer: How it was cut.
        tokens: Its parts.
        plan: How the network was trained.
        history: How the training went.
        scores: Bits per character of every contestant on every block of the test part.
        verdict: The conclusion.
        judged: Tokens of the test part that were used.
        counted: Bits per character of the n-gram on the validation part.
        watched: Round, bits per character and sample while training.
        written: What the trained network writes.
        notes: What was done to the text.
        concerns: What a careful reader would worry about.
    """

    folder: Path
    name: str
    text: Text
    tokenizer: Tokenizer
    tokens: Tokens
    plan: Plan
    history: History
    scores: dict[str, np.ndarray]
    verdict: Verdict
    judged: int
    counted: float
    watched: list[tuple[int, float, str]]
    written: list[Sample]
    notes: list[str]
    concerns: list[Concern]

    @property
    def headline(self) -> str:
        """What was learned from how much, in a line."""
        return f"Language model of {self.name}, {self.text.characters:,} characters"

    @property
    def word(self) -> str:
        """A word of the text, for examples."""
        words: list[str] = re.findall(r"\w+", self.written[0].prompt)
        return max(words, key=len, default=self.text.alphabet[-1])


def samples(model: "LanguageModel", reading: "Reading") -> list[Sample]:
    """Let the network go on with the beginning of the test part, in several ways."""
    start = reading.tokens.test[: min(reading.context // 2, 40)].tolist()
    prompt = reading.tokenizer.decode(start).strip("�")
    return [
        Sample(prompt, way, model.generate(prompt, WRITTEN, temperature=temperature))
        for way, temperature in WAYS
    ]


def make_report(f: LanguageFindings) -> Report:
    """Compose the report."""
    report = Report(title=f"A language model of {f.name}", summary=f.verdict.sentence)
    _describe_data(report, f)
    if f.concerns:
        report.table(
            "Warnings", columns=["what to worry about"], rows=[[str(c)] for c in f.concerns]
        )
    _test_table(report, f)
    report.figure(
        "bits", _bars(f), caption="Bits per character on the test part; fewer are better."
    )
    _describe_network(report, f)
    report.figure(
        "learning-curve",
        curve_panels([_curves(f)], width=7.0),
        caption="What the network needs for a character it learns from and for one of the validation part, and what "
        "counting needs there. The test part may be easier or harder for both.",
    )
    for sample in f.written:
        report.text(f"Written by the trained network, {sample.way}; the first line is the prompt:")
        report.code("text", f"{sample.prompt!r}\n{sample.text}")
    for done, bits, text in (f.watched[0], f.watched[len(f.watched) // 2]):
        report.text(f"While training, after round {done}, at {bits:.2f} bits per character:")
        report.code("text", text)
    report.text("How to use the model:")
    report.code("python", usage(f))
    return report


def _describe_data(report: Report, f: LanguageFindings) -> None:
    report.table(
        "Data",
        columns=["", "value"],
        rows=[
            ["characters", f"{f.text.characters:,}"],
            ["different characters", f"{len(f.text.alphabet):,}"],
            ["training tokens", f"{len(f.tokens.train):,}"],
            ["validation tokens", f"{len(f.tokens.validation):,}"],
            ["test tokens", f"{f.judged:,}"],
        ],
    )
    report.table("What was done to the text", columns=["step"], rows=[[note] for note in f.notes])


def _test_table(report: Report, f: LanguageFindings) -> None:
    rows = []
    for name, values in f.scores.items():
        interval = corrected_interval(values, 0.0)
        mark = " ←" if name == f.verdict.recommended else ""
        spread = f"{interval.low:.3f} to {interval.high:.3f}"
        rows.append([name + mark, interval.mean, spread, 2**interval.mean])
    report.table(
        f"Test: the last part of the text, {f.judged:,} tokens, used once",
        columns=["model", f.verdict.metric, "95 % interval", "equally likely characters"],
        rows=rows,
    )
    report.text(
        "The intervals are those of the mean over 20 stretches of the test part, after this one training. The paired "
        "difference between network and counting decides. The last column is two to the power of the bits: so many "
        "equally likely characters would be as hard to guess."
    )


def _bars(f: LanguageFindings) -> Figure:
    return comparison_bars(
        {name: float(values.mean()) for name, values in f.scores.items()},
        label=f.verdict.metric,
        highlight=NETWORK,
    )


def _describe_network(report: Report, f: LanguageFindings) -> None:
    plan = f.plan
    read = len(f.history.records) * plan.tokens / plan.rounds
    report.table(
        "Network: GPT with rotary positions",
        columns=["setting", "value"],
        rows=[
            ["width", plan.size.dim],
            ["layers", plan.size.num_layers],
            ["heads", plan.size.num_heads],
            ["context, tokens", plan.context],
            ["dropout", plan.dropout],
            ["largest learning rate", plan.lr],
            ["tokens read in training", f"{read:,.0f}"],
            ["passes over the text", read / len(f.tokens.train)],
        ],
    )


def _curves(f: LanguageFindings) -> CurvePanel:
    records = f.history.records
    per_nat = f.watched[-1][1] / records[f.watched[-1][0] - 1]["validation_loss"]
    read = [record["epoch"] * f.plan.tokens / f.plan.rounds / 1e6 for record in records]
    curves = {
        name: (read, [record[key] * per_nat for record in records])
        for name, key in (("training", "train_loss"), ("validation", "validation_loss"))
    }
    guides = {f"{f.verdict.best_simple}, validation": ([0.0, read[-1]], [f.counted] * 2)}
    return CurvePanel("Learning", "million tokens read", f.verdict.metric, curves, guides)


def usage(f: LanguageFindings) -> str:
    """Lines that use the model folder, from the shell and from Python."""
    prompt = repr(f.word)
    return (
        f"# gradatim generate {f.folder} --prompt {prompt} --temperature 0.8\n"
        "import gradatim\n\n"
        f"model = gradatim.load_model({str(f.folder)!r})\n"
        f"print(model.generate({prompt}, 200, temperature=0.8, top_p=0.95))\n"
        f"for piece in model.stream({prompt}, 200, seed=1):  # as it is written\n"
        '    print(piece, end="", flush=True)\n'
        "model.network, model.tokenizer  # an ordinary nn.Module, and its tokens\n"
    )
