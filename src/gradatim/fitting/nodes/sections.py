"""What the report says of nodes: the graph, its degrees and homophily, what edges are worth, where mistakes are made."""

import numpy as np

from gradatim.evaluation.judged import decide_classes
from gradatim.fitting import sections
from gradatim.fitting.findings import Findings
from gradatim.fitting.nodes.controls import Help
from gradatim.fitting.nodes.networks import NodeSettings
from gradatim.fitting.nodes.problem import NodeProblem
from gradatim.fitting.nodes.view import adjusted_homophily, count_components, distances
from gradatim.plots.graph_figures import MOST_NODES, draw_graph, grouped_errors, neighbourhood
from gradatim.plots.graph_figures import degree_bars as draw_degrees
from gradatim.reports import Report

ARCHITECTURES = {
    "gcn": "graph convolutions (GCN)",
    "sage": "means of neighbours beside the node (GraphSAGE)",
    "gat": "attention over neighbours (GAT)",
    "appnp": "predictions that walk over the graph (APPNP)",
}
DEGREES = (0, 1, 2, 4, 8, 16, 32, 64, 128)  # where the groups of degrees begin
STEPS = (0, 1, 2, 3, 4, 5)


def describe_data(report: Report, p: NodeProblem) -> None:
    """Add task, sizes, edges, homophily and the target, the graph drawn and its degrees."""
    degree, count = p.degree, len(p)
    homophily = adjusted_homophily(p.index, p.y, p.classes)
    name = "adjusted homophily" if p.classes else "correlation of values along edges"
    rows = [
        ["task", p.task],
        ["nodes", f"{count:,}, {len(p.unlabelled):,} without a target"],
        ["edges", f"{p.index.shape[1]:,}, {'one way' if p.is_directed else 'both ways'}{'' if p.edge_weight is None else ', weighted'}"],
        ["training nodes", f"{len(p.train):,}"],
        ["test nodes", f"{len(p.test):,}, {_hidden(p)}"],
        ["columns", f"{len(p.columns):,}" + (f", {len(p.counts):,} of them counts" if p.counts else "")],
        ["degree", f"median {np.median(degree):.0f}, mean {degree.mean():.1f}, largest {degree.max():,}"],
        ["parts that no edge joins", f"{count_components(p.index, count):,}"],
        [name, f"{homophily:.2f}" if np.isfinite(homophily) else "cannot be told"],
        sections.target_row(p),
    ]  # fmt: skip
    report.table("Data", columns=["", "value"], rows=rows)
    with report.attempt("the drawing of the graph"):
        _draw(report, p)
    with report.attempt("the degrees"):
        report.figure("degrees", draw_degrees(degree), caption="How many edges nodes have.")


def _hidden(p: NodeProblem) -> str:
    if p.times is not None:
        return "the latest, hidden with their edges while models learn"
    if p.groups is not None:
        return "whole groups, hidden with their edges while models learn"
    return "drawn at random; their labels are hidden, they and their edges are seen"


def _draw(report: Report, p: NodeProblem) -> None:
    """The graph, or the surroundings of its best-connected node."""
    rows = neighbourhood(p.index, len(p), MOST_NODES)
    known = rows < len(p.y)
    values = np.full(len(rows), np.nan)
    values[known] = p.y[rows[known]]
    report.figure(
        "graph", draw_graph(edges_between(p.index, rows, len(p)), values, labels=[str(name) for name in p.labels], label=p.target),
        caption=f"{drawn_words(len(rows), len(p))}; nodes without a target are white.",
    )  # fmt: skip


def edges_between(index: np.ndarray, rows: np.ndarray, count: int) -> np.ndarray:
    """Edges between some nodes, by their places among these.

    Args:
        index: Edges, shape ``(2, E)``.
        rows: The nodes.
        count: Number of all nodes.

    Example:
        >>> edges_between(np.array([[0, 1, 2], [1, 2, 3]]), np.array([1, 2]), 4).tolist()
        [[0], [1]]
    """
    place = np.full(count, -1)
    place[rows] = np.arange(len(rows))
    found = place[index]
    return found[:, (found >= 0).all(0)]


def drawn_words(drawn: int, count: int) -> str:
    """Which nodes a drawing shows."""
    return f"All {count:,} nodes" if drawn == count else f"{drawn:,} of {count:,} nodes, those around the best-connected one"  # fmt: skip


def describe_network(s: NodeSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    return [
        ("architecture", ARCHITECTURES[s.architecture]),
        ("width of hidden layers", s.hidden_dim),
        ("layers", s.num_layers),
        ("dropout", s.dropout),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
    ]


def help_section(report: Report, found: Help) -> None:
    """Add what edges are worth: a sentence, and the figures behind it."""
    report.text(found.sentence)
    if not found.differences:
        return
    rows = [
        [graph, float(np.mean(own)), *([f"{d.mean:.3g} ({d.low:.3g} to {d.high:.3g})"] if (d := found.differences.get(graph)) else ["–"])]
        for graph, own in found.figures.items()
    ]  # fmt: skip
    report.table(
        f"Does the graph help? The same network on {len(next(iter(found.figures.values())))} folds",
        columns=["edges", found.metric, "worse by, 95 % interval"],
        rows=rows,
    )


def judge_figures(report: Report, p: NodeProblem, f: Findings) -> None:
    """Add confusion and calibration or residuals, and errors by degree and by distance from nodes with a known target."""
    sections.judge_figures(report, p, f, label=p.target)
    y = p.y[p.test]
    errors = (decide_classes(f.output, f.decision) != y).astype(float) if p.classes else np.abs(f.output - y)  # fmt: skip
    label = "share of mistakes" if p.classes else "mean absolute error"
    with report.attempt("errors by degree"):
        report.figure(
            "error-by-degree",
            grouped_errors(errors, p.degree[p.test], DEGREES, label=label, groups="edges of a node"),
            caption=f"{f.verdict.recommended} on the test nodes, by how many edges they have.",
        )  # fmt: skip
    with report.attempt("errors by distance"):
        steps = distances(p.index, len(p), p.train)[p.test]
        report.figure(
            "error-by-distance",
            grouped_errors(errors, steps, STEPS, label=label, groups="steps to the nearest training node", none="no way"),
            caption=f"{f.verdict.recommended} on the test nodes, by how far the nearest training node is.",
        )  # fmt: skip


def usage(p: NodeProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    lines = [
        "import gradatim\n",
        f"model = gradatim.load_model({str(f.folder)!r})",
        'model.predict("new")                    # a folder with nodes.csv and edges.csv, which may name nodes of training',
        *(['model.predict_proba("new")              # probabilities'] if p.classes else []),
        *(['model.predict("new", model="network")   # the network instead'] if f.tuning else []),
    ]
    return "\n".join(lines) + "\n"
