"""What the report says of graphs: sizes and degrees, right and wrong answers drawn, and errors by size."""

import numpy as np

from gradatim.evaluation.judged import decide_classes
from gradatim.fitting import sections
from gradatim.fitting.findings import Findings
from gradatim.fitting.graphs.networks import GraphSettings
from gradatim.fitting.graphs.problem import GraphProblem
from gradatim.fitting.graphs.raw import RawGraphs
from gradatim.plots.graph_panels import count_bars, error_by_size, graph_panels
from gradatim.reports import Report

ARCHITECTURES = {
    "gin": "graph isomorphism network (GIN)",
    "gcn": "graph convolutional network (GCN)",
}
POOLINGS = {"sum": "the sum over nodes", "mean": "the mean over nodes", "max": "the largest values over nodes"}  # fmt: skip
DRAWN = 3  # graphs with right answers, and as many with wrong ones
MOST_NODES = 120  # of a graph that is drawn
COLOURED = 8  # labels of nodes that are told apart


def describe_data(report: Report, p: GraphProblem) -> None:
    """Add task, sizes, degrees, columns and the target."""
    raw = p.raw
    ties = np.bincount(raw.owner[raw.edges[0]], minlength=len(raw)) / 2
    degrees = np.bincount(raw.edges[1], minlength=len(raw.x))
    rows = [
        ["task", p.task],
        ["training graphs", f"{len(p.train):,}"],
        ["test graphs", f"{len(p.test):,}"],
        ["nodes of a graph", _spread(raw.sizes[p.train])],
        ["edges of a graph", _spread(ties[p.train])],
        ["neighbours of a node", _spread(degrees)],
        ["columns of nodes", f"{raw.x.shape[1]:,}"],
        ["columns of edges", f"{raw.e.shape[1]:,}"],
        sections.target_row(p),
    ]
    report.table("Data", columns=["", "value"], rows=rows)
    with report.attempt("sizes and degrees"):
        counts = {"nodes of a graph": raw.sizes, "edges of a graph": ties, "neighbours of a node": degrees}  # fmt: skip
        report.figure("sizes", count_bars(counts), caption="Sizes of all graphs, and degrees of all nodes.")  # fmt: skip


def _spread(values: np.ndarray) -> str:
    if not len(values):
        return "none"
    low, middle, high = np.percentile(values, [5, 50, 95])
    return f"{middle:.0f} (5 % below {low:.0f}, 5 % above {high:.0f})"


def describe_network(s: GraphSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    return [
        ("architecture", ARCHITECTURES[s.architecture]),
        ("answers from", POOLINGS[s.pooling]),
        ("layers", s.num_layers),
        ("layers that are read", "all" if s.jumping == "concatenate" else "the last"),
        ("width of a layer", s.hidden_dim),
        ("dropout", s.dropout),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
    ]


def judge_figures(report: Report, p: GraphProblem, f: Findings) -> None:
    """Add confusion and calibration or residuals, graphs with right and wrong answers, and errors by size.

    Args:
        report: Where to draw.
        p: The problem.
        f: What the contest found.
    """
    sections.judge_figures(report, p, f, label=p.target)
    with report.attempt("graphs and answers"):
        _answers(report, p, f)
    with report.attempt("errors by size"):
        error = _errors(p, f)
        label = "share of wrong answers" if p.classes else "mean absolute error"
        sizes = p.raw.sizes[p.test]
        report.figure(
            "error-by-size", error_by_size(sizes, error, label=label),
            caption=f"{f.verdict.recommended} on the test graphs, by their number of nodes; bars are standard errors.",
        )  # fmt: skip


def _errors(p: GraphProblem, f: Findings) -> np.ndarray:
    y = p.y[p.test]
    if p.classes:
        return (decide_classes(f.output, f.decision) != y).astype(float)
    return np.abs(f.output - y)


def _answers(report: Report, p: GraphProblem, f: Findings) -> None:
    """Draw graphs that were answered well, and graphs that were not."""
    error = _errors(p, f)
    sure = f.output.max(1) if p.classes else np.zeros(len(error))
    small = (p.raw.sizes[p.test] <= MOST_NODES) & (p.raw.sizes[p.test] > 0)
    order = np.lexsort((-sure, error))  # right and sure first; the worst, and surest, last
    best = [k for k in order if small[k] and (error[k] == 0 or not p.classes)][:DRAWN]
    worst = [k for k in np.lexsort((-sure, -error)) if small[k] and error[k] > 0 and k not in best][:DRAWN]  # fmt: skip
    shown = [*best, *worst]
    if not shown:
        return
    titles = [_title(p, f, k) for k in shown]
    parts = [_drawable(p.raw, int(p.test[k])) for k in shown]
    marks = sorted({int(c) for _, _, own in parts for c in own.tolist()})
    rank = {mark: min(k, COLOURED - 1) for k, mark in enumerate(marks)}
    graphs = [(size, edges, [rank[int(c)] for c in own]) for size, edges, own in parts]
    words = "right answers, then wrong ones" if p.classes else "the best answers, then the worst"
    colours = " Colours of nodes are their labels." if len(marks) > 1 else ""
    report.figure(
        "answers", graph_panels(graphs, titles, is_right=[k in best for k in shown]),
        caption=f"Test graphs and what {f.verdict.recommended} says: {words}.{colours}",
    )  # fmt: skip


def _title(p: GraphProblem, f: Findings, k: int) -> str:
    y, output = p.y[p.test[k]], f.output[k]
    number = f"graph {p.numbers[p.test[k]]:,}"
    if not p.classes:
        return f"{number}: {output:.4g},\ntruly {y:.4g}"
    said = int(decide_classes(f.output[k : k + 1], f.decision)[0])
    truth = "" if said == y else f",\nnot {p.labels[y]}"
    return f"{number}: {p.labels[said]} ({output[said]:.2f}){truth}"


def _drawable(raw: RawGraphs, row: int) -> tuple[int, list[tuple[int, int]], np.ndarray]:
    """Nodes, edges and first labels of one graph."""
    one = raw.take(np.array([row]))
    labels = one.x[:, 0] if one.x.shape[1] else np.zeros(len(one.x))
    is_label = bool((labels == np.round(labels)).all())
    if is_label and one.x.shape[1] > 1 and set(np.unique(one.x)) <= {0.0, 1.0}:
        labels = one.x.argmax(1).astype(float)  # marks of one label
    edges = [(int(a), int(b)) for a, b in one.edges.T if a < b]
    return len(one.x), edges, labels if is_label else np.zeros(len(one.x))


def usage(p: GraphProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    lines = [
        "import gradatim\n",
        f"model = gradatim.load_model({str(f.folder)!r})",
        'model.predict("new.jsonl")              # a file or folder like that of training; y may be absent',
        "model.predict(graphs)                   # gradatim.data.Graph in a list",
        *(["model.predict_proba(graphs)             # probabilities"] if p.classes else []),
        *(['model.predict(graphs, model="network")  # the network instead'] if f.tuning else []),
    ]
    return "\n".join(lines) + "\n"
