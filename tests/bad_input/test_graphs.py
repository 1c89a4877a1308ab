"""Whole graphs that are wrong or odd, and models of graphs used on the wrong things."""

import pytest

from .inputs import csv, file, folder, good, graph_lines, graph_records, model, tu_files
from .trial import trial

FIT = "fit g.jsonl --trials 1 -o m"
TU = "fit tu --trials 1 -o m"
RIGHT = "Recommended"
PREDICT = "predict m {} -o out.csv"
FIRST = graph_records(1)[0]
ONE = {"edges": [], "x": [[1, 0.5]], "y": "path"}


def lines(*more, **changed):
    """A file of graphs with something odd."""
    return file("g.jsonl", graph_lines(*more, **changed))


FITTED = [
    trial("graphs", lines(), FIT, 0, RIGHT, "binary classification of 'y'"),
    trial("a folder of graphs", file("d/graphs.jsonl", graph_lines()), "fit d --trials 1 -o m", 0, RIGHT),
    trial("a line cut short", lines('{"edges": [[0, 1], [1'), FIT, 2, "line 31 of 'g.jsonl' must be a whole record of JSON"),
    trial("a line that is a list", lines("[1, 2]"), FIT, 2, "line 31 of 'g.jsonl' must be a record with \"edges\""),
    trial("edges to nodes that are not there", lines(edges=[[0, 99]]), FIT, 2, "line 1 of 'g.jsonl' must have edges between nodes from 0 to", "got node 99"),
    trial("edges below zero", lines(edges=[[0, -1]]), FIT, 2, "got node -1"),
    trial("edges of three nodes", lines(edges=[[0, 1, 2]]), FIT, 2, "must have pairs of nodes as edges"),
    trial("edges that are words", lines(edges="all"), FIT, 2, "must have pairs of nodes as edges"),
    trial("ragged x", lines({**FIRST, "x": [[1, 2], [1]]}), FIT, 2, "line 31 of 'g.jsonl' must have rows of equal length as x, got rows of 1 and 2"),
    trial("mixed widths of x", lines({"edges": [], "x": [[1], [2]], "y": "ring"}), FIT, 2, "x must have as many columns in every graph, got 2 in graph 1 and 1 in graph 31"),
    trial("x of some graphs", lines({"edges": [[0, 1]], "y": "ring"}), FIT, 2, "x must be given for every graph or for none, got none for graph 31"),
    trial("words in x", lines({"edges": [], "x": [["C", 1]], "y": "ring"}), FIT, 2, "must have a row of numbers for every node as x"),
    trial("an empty graph", lines({"edges": [], "x": [], "y": "path"}), FIT, 0, "1 graph has no nodes: models see nothing of it.", RIGHT),
    trial("graphs of one node", lines(*[ONE] * 2), FIT, 0, RIGHT),
    trial("no edges", file("g.jsonl", "".join(f'{{"edges": [], "x": [[{k % 3}], [{k % 2}]], "y": {k % 2}}}\n' for k in range(30))), FIT, 0, "No graph has an edge: models see sets of nodes.", RIGHT),
    trial("self-loops", lines(edges=[[0, 0], [0, 1]]), FIT, 0, "1 node has an edge to itself: such loops are left out.", RIGHT),
    trial("repeated edges", lines(edges=[[0, 1], [0, 1], [0, 1]]), FIT, 0, "2 edges repeat another one and count once.", RIGHT),
    trial("one class only", file("g.jsonl", graph_lines().replace("ring", "path")), FIT, 2, "must"),
    trial("NaN in x", lines({**ONE, "x": [[float("nan"), 0.5]]}), FIT, 0, "1 value of a node is missing or not finite and counts as average.", RIGHT),
    trial("null in x", lines({**ONE, "x": [[1, None]]}), FIT, 0, "1 value of a node is missing or not finite and counts as average.", RIGHT),
    trial("infinity in x", lines({**ONE, "x": [[1, float("inf")]]}), FIT, 0, "1 value of a node is missing or not finite", RIGHT),
    trial("missing y", lines({"edges": [], "x": [[1, 0.5]]}), FIT, 0, "left out", RIGHT),
    trial("no y at all", file("g.jsonl", '{"edges": [[0, 1]]}\n' * 30), FIT, 2, "data must hold at least 12 graphs with a y, got 0"),
    trial("a list as y", lines(y=[1, 2]), FIT, 2, "line 1 of 'g.jsonl' must have one class or number as y"),
    trial("few graphs", lines(count=8), FIT, 2, "data must hold at least 12 graphs with a y, got 8"),
    trial("unknown keys", lines(colour="red"), FIT, 0, "'colour' of graphs is not read", RIGHT),
    trial("empty lines", lines("", "  "), FIT, 0, RIGHT),
    trial("repeats", lines(*graph_records(4)), FIT, 0, "graphs repeat another one; such graphs stay together in every split", RIGHT),
    trial("numbers as y", file("g.jsonl", "".join(f'{{"edges": [[0, 1]], "x": [[{k}.5], [{k}]], "y": {k / 7}}}\n' for k in range(40))), FIT, 0, "regression", RIGHT),
    trial("a huge number of nodes", lines({"edges": [[0, 10**12]], "y": "ring"}), FIT, 2, "must have from 0 to 10,000,000 nodes"),
    trial("a target for graphs", lines(), f"{FIT} --target y", 2, "target must not be given for whole graphs"),
    trial("a task for graphs", lines(), f"{FIT} --task classification", 0, RIGHT),
    trial("test graphs of their own", (lines(), file("new.jsonl", graph_lines())), f"{FIT} --test new.jsonl", 0, RIGHT),
    trial("test graphs of another width", (lines(), file("new.jsonl", '{"edges": [], "x": [[1]], "y": "ring"}\n' * 9)), f"{FIT} --test new.jsonl", 2, "test must have 2 columns of nodes, as the training graphs have, got 1"),
    trial("an empty file", file("d/graphs.jsonl", ""), "fit d --trials 1 -o m", 2, "'graphs.jsonl' must hold graphs, one a line, and is empty"),
    trial("TU files", tu_files(), TU, 0, RIGHT),
    trial("TU nodes of unequal length", tu_files(node_labels="1\n2\n"), TU, 2, "TOY_node_labels.txt must have a line for each of 48 nodes, got 2"),
    trial("TU labels of unequal length", tu_files(graph_labels="1\n-1\n"), TU, 2, "TOY_graph_indicator.txt must name graphs from 1 to 2, got 3"),
    trial("TU edges of unequal length", tu_files(edge_labels="1\n"), TU, 2, "TOY_edge_labels.txt must have a line for each of 64 edges, got 1"),
    trial("TU edges to nodes that are not there", tu_files(A="1, 99\n"), TU, 2, "TOY_A.txt must name nodes from 1 to 48, got 99"),
    trial("TU edges across graphs", tu_files(A="1, 9\n"), TU, 2, "TOY_A.txt must join nodes of one graph"),
    trial("TU words", tu_files(A="a, b\n"), TU, 2, "TOY_A.txt must hold numbers"),
    trial("TU files without edges", tu_files(A=""), TU, 0, "No graph has an edge", RIGHT),
]  # fmt: skip
USED = [
    trial("new graphs without y", (model("graph"), file("n.jsonl", graph_lines().replace('"y"', '"z"'))), PREDICT.format("n.jsonl"), 0, "30 rows: out.csv"),
    trial("one graph", (model("graph"), file("n.jsonl", '{"edges": [], "x": [[1, 0.5]]}\n')), PREDICT.format("n.jsonl"), 0, "1 row: out.csv"),
    trial("an empty new graph", (model("graph"), file("n.jsonl", '{"edges": [], "x": [[1, 0.5]]}\n{"edges": []}\n')), PREDICT.format("n.jsonl"), 0, "2 rows: out.csv", "1 graph has no nodes"),
    trial("a new label of a node", (model("graph"), file("n.jsonl", '{"edges": [], "x": [[9, 0.5]]}\n')), PREDICT.format("n.jsonl"), 0, "1 node has a label that training never saw"),
    trial("other columns", (model("graph"), file("n.jsonl", '{"edges": [], "x": [[1]]}\n')), PREDICT.format("n.jsonl"), 2, "predict: nodes must have 2 columns, as those of training had, got 1"),
    trial("a cut line to predict", (model("graph"), file("n.jsonl", '{"edges": [')), PREDICT.format("n.jsonl"), 2, "predict: line 1 of 'n.jsonl' must be a whole record of JSON"),
    trial("nothing to predict", model("graph"), PREDICT.format("none.jsonl"), 1, "'none.jsonl' is not there"),
    trial("an empty folder to predict", (model("graph"), folder("new")), PREDICT.format("new"), 2, "must hold graphs.jsonl, or NAME_A.txt"),
    trial("a table to predict", (model("graph"), csv(good())), PREDICT.format("t.csv"), 2, "predict: line 1 of 't.csv' must be a whole record of JSON"),
    trial("an export of graphs", model("graph"), "export m --onnx -o m.onnx", 2, "reads graphs of any size"),
]  # fmt: skip
TRIALS = [*FITTED, *USED]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_graphs(row, make_trial):
    make_trial(row)
