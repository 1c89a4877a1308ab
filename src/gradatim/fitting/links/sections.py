"""What the report says of links: the graph and its degrees, how pairs are ranked, where mistakes are made."""

import numpy as np

from gradatim.evaluation.judged import decide_classes
from gradatim.fitting import sections
from gradatim.fitting.findings import Findings
from gradatim.fitting.links.networks import LinkSettings
from gradatim.fitting.links.problem import LinkProblem
from gradatim.fitting.nodes import sections as nodes
from gradatim.fitting.nodes.view import count_components
from gradatim.fitting.rare_classes import has_rare_class
from gradatim.plots.graph_figures import MOST_NODES, draw_graph, grouped_errors, neighbourhood
from gradatim.plots.graph_figures import degree_bars as draw_degrees
from gradatim.plots.precision_recall import precision_recall
from gradatim.reports import Report

DECODERS = {"product": "product of the two nodes", "mlp": "dense layers on the product of the two nodes"}  # fmt: skip
LISTED = 10  # mistakes


def describe_data(report: Report, p: LinkProblem) -> None:
    """Add task, sizes and split, the graph drawn and its degrees."""
    degree, count = p.degree, len(p)
    edges = [int(p.y[rows].sum()) for rows in (p.train, p.test)]
    how = "the latest" if p.times is not None else "drawn at random"
    rows = [
        ["task", "which pairs of nodes are joined"],
        ["nodes", f"{count:,}, {int((degree == 0).sum()):,} without an edge"],
        ["edges", f"{p.index.shape[1]:,}, {'one way' if p.is_directed else 'both ways'}{'' if p.edge_weight is None else ', weighted'}"],
        ["training pairs", f"{len(p.train):,}, {edges[0]:,} of them edges"],
        ["test pairs", f"{len(p.test):,}, {edges[1]:,} of them edges, {how}; these pass no messages while models learn and are judged"],
        ["pairs that are not joined", "drawn from all that no edge joins, each once"],
        ["columns", f"{len(p.columns):,}" + (f", {len(p.counts):,} of them counts" if p.counts else "")],
        ["degree", f"median {np.median(degree):.0f}, mean {degree.mean():.1f}, largest {degree.max():,}"],
        ["parts that no edge joins", f"{count_components(p.index, count):,}"],
    ]  # fmt: skip
    report.table("Data", columns=["", "value"], rows=rows)
    with report.attempt("the drawing of the graph"):
        _draw(report, p)
    with report.attempt("the degrees"):
        report.figure("degrees", draw_degrees(degree), caption="How many edges nodes have.")
    share = f"{100 * p.joined / len(p.y):.0f} %"
    report.text(
        f"Of the pairs that models learn from and are judged by {share} are edges. Probabilities are those of such a mixture: of pairs "
        "taken at random far fewer are joined, so the order of the probabilities says more than their size."
    )


def _draw(report: Report, p: LinkProblem) -> None:
    """The graph, or the surroundings of its best-connected node."""
    rows = neighbourhood(p.index, len(p), MOST_NODES)
    words = nodes.drawn_words(len(rows), len(p))
    report.figure(
        "graph", draw_graph(nodes.edges_between(p.index, rows, len(p)), p.degree[rows].astype(float), label="edges of a node"),
        caption=f"{words}, in the colour of how many edges they have.",
    )  # fmt: skip


def describe_network(s: LinkSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    first, *others = nodes.describe_network(s)
    return [first, ("pairs are told by", DECODERS[s.decoder]), *others]


def judge_figures(report: Report, p: LinkProblem, f: Findings) -> None:
    """Add confusion and calibration, precision over recall, errors by degree, and the surest mistakes."""
    sections.judge_figures(report, p, f, label="links")
    name, y = f.verdict.recommended, p.y[p.test]
    if f.decision is None and not has_rare_class(p):
        with report.attempt("precision and recall"):
            report.figure(
                "precision-recall", precision_recall(y == 1, f.output[:, 1]),
                caption=f"{name} on the test pairs: which share of the edges is found, and how often it is right, at every threshold. "
                "The line is what chance would give.",
            )  # fmt: skip
    with report.attempt("errors by degree"):
        errors = (decide_classes(f.output, f.decision) != y).astype(float)
        seen = np.bincount(p.index[:, p.passing(p.train)].reshape(-1), minlength=len(p))
        report.figure(
            "error-by-degree",
            grouped_errors(errors, seen[p.pairs[:, p.test]].min(0), nodes.DEGREES, label="share of mistakes", groups="edges of the node with fewer", rows="pairs"),
            caption=f"{name} on the test pairs, by how many edges models see of that of the two nodes which has fewer.",
        )  # fmt: skip
    with report.attempt("the surest mistakes"):
        _mistakes(report, p, f)


def _mistakes(report: Report, p: LinkProblem, f: Findings) -> None:
    """Test pairs of which the recommended model was surest, and wrong: edges that may be missing, or wrong, in the data."""
    y = p.y[p.test]
    rows = sections.surest_mistakes(f.output, y, LISTED)
    if not rows:
        return
    ends = p.pairs[:, p.test[rows]].T.tolist()
    report.table(
        f"The surest mistakes of {f.verdict.recommended} on the test pairs",
        columns=["source", "target", "in truth", "probability that they are joined"],
        rows=[[p.ids[a], p.ids[b], str(p.labels[y[k]]), float(f.output[k, 1])] for (a, b), k in zip(ends, rows, strict=True)],
    )  # fmt: skip


def usage(p: LinkProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    lines = [
        "import gradatim\n",
        f"model = gradatim.load_model({str(f.folder)!r})",
        'model.predict_proba("pairs.csv")               # columns source and target; or a data frame of them',
        'model.predict_proba("new")                     # a folder with pairs.csv, and nodes.csv and edges.csv of new nodes',
        *(
            ['model.predict("pairs.csv", model="network")    # the network instead']
            if f.tuning
            else []
        ),
    ]
    return "\n".join(lines) + "\n"
