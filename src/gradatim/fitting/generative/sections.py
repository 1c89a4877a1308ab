"""The report of a generative model: the data, the figures of all generators, the networks, how to use them."""

from base64 import b64decode

from gradatim.fitting.generative.medium import Medium, Outcome, Trained
from gradatim.plots import learning_curves
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.pages import picture_pages
from gradatim.reports import Report

PRIVACY = (
    "Samples that copy nothing are no proof of privacy: what a model has learned of a few rare cases may still tell of "
    "them. Nothing here bounds that."
)


def make_report(medium: Medium, outcome: Outcome) -> Report:
    """Compose the report.

    Args:
        medium: The data.
        outcome: What the course found.
    """
    report = Report(title=medium.title, summary=outcome.verdict.sentence)
    with report.attempt("the data"):
        medium.describe(report)
    if medium.notes:
        steps = [[note] for note in medium.notes]
        report.table("What was done to the data", columns=["step"], rows=steps)
    if outcome.concerns:
        worries = [[str(concern)] for concern in outcome.concerns]
        report.table("Warnings", columns=["what to worry about"], rows=worries)
    with report.attempt("what the generators make"):
        medium.explain(report, outcome)
    report.text(PRIVACY)
    with report.attempt("the networks"):
        _networks(report, medium, outcome)
    report.text("How to use the model:")
    with report.attempt("the usage"):
        report.code("python", medium.usage(outcome))
    return report


def _networks(report: Report, medium: Medium, outcome: Outcome) -> None:
    """Add the networks, how they learned, and samples of the same noise on the way."""
    if not outcome.trained:
        report.text("No network was trained.")
        return
    rows = []
    for name, own in outcome.trained.items():
        numbers = sum(p.numel() for p in own.network.parameters())
        steps = len(own.history.records) * own.plan.steps
        mark = " ←" if name == outcome.chosen else ""
        rows.append([name + mark, numbers, own.plan.size.dim, own.plan.size.num_layers, steps, own.plan.batch_size, own.figure])  # fmt: skip
    report.table(
        f"Networks, chosen by the {medium.metric} on validation {medium.things}",
        columns=["network", "parameters", "width", "layers", "steps", f"{medium.things} per step", medium.metric],
        rows=rows,
    )  # fmt: skip
    panels = [
        CurvePanel(
            name,
            "round",
            medium.figure[0],
            {"samples of the same noise": ([s.round for s in own.watched], [s.figure for s in own.watched])},
        )
        for name, own in outcome.trained.items()
    ]  # fmt: skip
    report.figure(
        "learning",
        curve_panels(panels),
        caption=f"How good samples were after each round, by the {medium.figure[0]} beside validation {medium.things}.",
    )
    best = outcome.best
    if best is None:
        return
    report.figure(
        "learning-curves",
        learning_curves({"": best.history}),
        caption="Loss in training (dashed) and on the validation part (solid) of the network that was chosen.",
    )
    _previews(report, best)


def _previews(report: Report, best: Trained) -> None:
    """Add samples of the same noise after the first, a middle and the last round."""
    places = sorted({0, len(best.watched) // 2, len(best.watched) - 1})
    seen = [best.watched[k] for k in places]
    pages = [b64decode(own.picture) for own in seen if own.picture]
    if pages:
        report.figure(
            "previews",
            picture_pages(pages, [f"after round {own.round}" for own in seen]),
            caption="From the same noise, while the network learned.",
        )
        return
    for own in seen:
        report.text(f"From the same noise after round {own.round}:")
        report.code("text", own.sample)
