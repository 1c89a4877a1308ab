"""The report of a language model: the contest, its learning curve, what it writes, how to use it."""

from typing import TYPE_CHECKING, NamedTuple

from gradatim.evaluation import corrected_interval
from gradatim.fitting.course import Outcome
from gradatim.fitting.language.networks import largest_rate
from gradatim.fitting.player import NETWORK
from gradatim.fitting.verdict import Verdict
from gradatim.plots import comparison_bars
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report

if TYPE_CHECKING:
    from gradatim.fitting.language.course import LanguageCourse
    from gradatim.fitting.language.model import LanguageModel

WRITTEN = 200  # tokens of a sample in the report
WAYS = (("the likeliest token", 0.0), ("temperature 0.8", 0.8), ("temperature 1", 1.0))


class Sample(NamedTuple):
    """What was written after a prompt, and how tokens were chosen."""

    prompt: str
    way: str
    text: str


def samples(model: "LanguageModel", course: "LanguageCourse") -> list[Sample]:
    """Let the network go on with the beginning of the test part, in several ways."""
    prompt = course.start_of(course.tokens.test, 40)
    return [
        Sample(prompt, way, model.generate(prompt, WRITTEN, temperature=temperature))
        for way, temperature in WAYS
    ]


def describe_data(report: Report, course: "LanguageCourse") -> None:
    """Add characters and tokens."""
    report.table(
        "Data",
        columns=["", "value"],
        rows=[
            ["characters", f"{course.text.characters:,}"],
            ["different characters", f"{len(course.text.alphabet):,}"],
            ["training tokens", f"{len(course.tokens.train):,}"],
            ["validation tokens", f"{len(course.tokens.validation):,}"],
            ["test tokens", f"{len(course.judged):,}"],
        ],
    )


def explain(report: Report, course: "LanguageCourse", outcome: Outcome) -> None:
    """Add bits per character, the network, its learning curve, and what it writes."""
    with report.attempt("the test"):
        _test_table(report, course, outcome.verdict)
    with report.attempt("the figure of the test"):
        report.figure(
            "bits",
            comparison_bars(
                {name: float(values.mean()) for name, values in course.scores.items()},
                label=course.metric,
                highlight=NETWORK,
            ),
            caption="Bits per character on the test part; fewer are better.",
        )
    with report.attempt("the network"):
        _describe_network(report, course, outcome)
    with report.attempt("the learning curve"):
        report.figure(
            "learning-curve",
            curve_panels([_curves(course, outcome)], width=7.0),
            caption="What the network needs for a character it learns from and for one of the validation part, and what "
            "counting needs there. The test part may be easier or harder for both.",
        )
    for sample in course.written:
        report.text(f"Written by the trained network, {sample.way}; the first line is the prompt:")
        report.code("text", f"{sample.prompt!r}\n{sample.text}")
    for seen in (course.watched[0], course.watched[len(course.watched) // 2]):
        report.text(f"While training, after round {seen.round}, at {seen.figure:.2f} bits per character:")  # fmt: skip
        report.code("text", seen.sample)


def _test_table(report: Report, course: "LanguageCourse", verdict: Verdict) -> None:
    rows = []
    for name, values in course.scores.items():
        interval = corrected_interval(values, 0.0)
        mark = " ←" if name == verdict.recommended else ""
        spread = f"{interval.low:.3f} to {interval.high:.3f}"
        rows.append([name + mark, interval.mean, spread, 2**interval.mean])
    report.table(
        f"Test: the last part of the text, {len(course.judged):,} tokens, used once",
        columns=["model", course.metric, "95 % interval", "equally likely characters"],
        rows=rows,
    )
    report.text(
        "The intervals are those of the mean over 20 stretches of the test part, after this one training. The paired "
        "difference between network and counting decides. The last column is two to the power of the bits: so many "
        "equally likely characters would be as hard to guess."
    )


def _describe_network(report: Report, course: "LanguageCourse", outcome: Outcome) -> None:
    plan = outcome.plan
    read = len(outcome.history.records) * plan.tokens / plan.rounds
    report.table(
        "Network: GPT with rotary positions",
        columns=["setting", "value"],
        rows=[
            ["width", plan.size.dim],
            ["layers", plan.size.num_layers],
            ["heads", plan.size.num_heads],
            ["context, tokens", plan.context],
            ["dropout", plan.dropout],
            ["largest learning rate", largest_rate(plan)],
            ["tokens read in training", f"{read:,.0f}"],
            ["passes over the text", read / len(course.tokens.train)],
        ],
    )


def _curves(course: "LanguageCourse", outcome: Outcome) -> CurvePanel:
    records, plan, last = outcome.history.records, outcome.plan, course.watched[-1]
    per_nat = last.figure / records[last.round - 1]["validation_loss"]
    read = [record["epoch"] * plan.tokens / plan.rounds / 1e6 for record in records]
    curves = {
        name: (read, [record[key] * per_nat for record in records])
        for name, key in (("training", "train_loss"), ("validation", "validation_loss"))
    }
    line = [0.0, read[-1]], [course.counted_bits()] * 2
    guides = {f"{outcome.verdict.best_simple}, validation": line}
    return CurvePanel("Learning", "million tokens read", course.metric, curves, guides)


def usage(course: "LanguageCourse", outcome: Outcome) -> str:
    """Lines that use the model folder, from the shell and from Python."""
    prompt = repr(course.word)
    return (
        f"# gradatim generate {outcome.folder} --prompt {prompt} --temperature 0.8\n"
        "import gradatim\n\n"
        f"model = gradatim.load_model({str(outcome.folder)!r})\n"
        f"print(model.generate({prompt}, 200, temperature=0.8, top_p=0.95))\n"
        f"for piece in model.stream({prompt}, 200, seed=1):  # as it is written\n"
        '    print(piece, end="", flush=True)\n'
        "model.network, model.tokenizer  # an ordinary nn.Module, and its tokens\n"
    )
