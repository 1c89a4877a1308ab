"""Graphs that are wrong or odd: their nodes, their edges, and new nodes to predict."""

import pytest

from .inputs import change, csv, edges, file, folder, good, graph, model, nodes, nothing
from .trial import trial

FIT = "fit g --target c --trials 1 -o m"
PREDICT = "predict m new -o p.csv"
RIGHT = "classification of 'c'"
NODES, EDGES = nodes(), edges()
BLANK = NODES.replace(",up\n", ",\n", 3)
APART = "source,target\n" + "".join(f"n{k},n{k + 1}\n" for k in range(0, 30, 2))
MANY = "source,target\n" + "".join(f"n{k % 30},n{k * 7 % 30}\n" for k in range(1_000_000))
NEW = "id,x\nz,0.5\n"
FITTED = [
    trial("a graph", graph(), FIT, 0, RIGHT, "Does the graph help?"),
    trial("an edge to an unknown id", graph(edges_csv=EDGES + "n1,zz\n"), FIT, 0, RIGHT, "1 edge names an id that no node has and is left out; row 61 of edges.csv names the id 'zz'"),
    trial("edges to unknown ids only", graph(edges_csv="source,target\na,b\n"), FIT, 2, "edges must join ids of nodes.csv, got none that does"),
    trial("an edge without an end", graph(edges_csv=EDGES + "n1,\n"), FIT, 0, "names no id"),
    trial("a repeated id", graph(NODES + "n3,1,up\n"), FIT, 2, "ids of nodes.csv must be there once, got 'n3' in rows 4 and 31"),
    trial("a missing id", graph(NODES + ",1,up\n"), FIT, 2, "every node of nodes.csv must have an id, got none in row 31"),
    trial("a self-loop", graph(edges_csv=EDGES + "n1,n1\n"), FIT, 0, RIGHT, "1 edge leads from a node to itself and is left out"),
    trial("self-loops only", graph(edges_csv="source,target\nn1,n1\n"), FIT, 0, "There are no edges"),
    trial("a repeated edge", graph(edges_csv=EDGES + "n1,n0\n"), FIT, 0, "1 edge repeats another, in either direction, and counts once"),
    trial("a repeated edge with a direction", graph(edges_csv=EDGES + "n0,n1\nn1,n0\n"), f"{FIT} --directed", 0, "1 edge repeats another and counts once"),
    trial("an isolated node", graph(NODES + "n30,1,up\n"), FIT, 0, "1 node has no edge and is judged by its own columns"),
    trial("one node", graph("id,x,c\nn0,1,up\n", "source,target\nn0,n0\n"), FIT, 2, "a graph must have at least 20 nodes with a 'c', got 1"),
    trial("no edges", graph(edges_csv="source,target\n"), FIT, 0, RIGHT, "There are no edges: models learn from the columns of the nodes alone"),
    trial("several components", graph(edges_csv=APART), FIT, 0, "The graph has 15 parts that no edge joins"),
    trial("ids read as floats", graph(NODES.replace("n", ""), EDGES.replace("n", "").replace("\n5,", "\n5.0,")), "fit g --target c --trials 1 -o m", 0, "Ids such as '5.0' in edges.csv are read as '5'"),
    trial("an id as a whole number and as a float", graph("id,x,c\n1,0,a\n1.0,1,b\n"), FIT, 2, "ids of nodes.csv must be there once, got '1' in rows 1 and 2"),
    trial("a million edges", graph(edges_csv=MANY), FIT, 0, RIGHT, "count once"),
    trial("nodes without a target", graph(BLANK), FIT, 0, RIGHT, "3 nodes have no target: they pass messages on, and are predicted in unlabelled.csv"),
    trial("no target anywhere", graph(NODES.replace("up", "").replace("down", "")), FIT, 2, "a graph must have at least 20 nodes with a 'c', got 0"),
    trial("one class of nodes", graph(NODES.replace("down", "up")), FIT, 2, "must"),
    trial("nodes without edges.csv", graph(edges_csv=None), FIT, 2, "a graph must have nodes.csv and edges.csv, got nodes.csv in 'g'"),
    trial("edges without nodes.csv", graph(None), FIT, 2, "a graph must have nodes.csv and edges.csv, got edges.csv in 'g'"),
    trial("empty nodes.csv", (graph(), file("g/nodes.csv", "")), FIT, 2, "must"),
    trial("nodes.csv of a header", graph("id,x,c\n"), FIT, 2, "must have rows under its header"),
    trial("empty edges.csv", (graph(), file("g/edges.csv", "")), FIT, 2, "must"),
    trial("edges of one column", graph(edges_csv="source\nn1\n"), FIT, 2, "edges.csv must have the columns 'source' and 'target', got 'source'"),
    trial("edges with other names", graph(edges_csv=EDGES.replace("source,target", "a,b")), FIT, 0, "its first two, 'a' and 'b', name the ends"),
    trial("nodes without a column id", graph(NODES.replace("id,", "who,")), FIT, 0, "its first column, 'who', names the nodes"),
    trial("bytes in nodes.csv", (graph(), file("g/nodes.csv", b"\x00\xff\x00\xff" * 9)), FIT, 2, "must"),
    trial("a weight that is a word", graph(edges_csv="source,target,weight\nn1,n2,heavy\n"), FIT, 2, "weights of edges must be numbers from 0, got 'heavy'"),
    trial("a negative weight of an edge", graph(edges_csv="source,target,weight\nn1,n2,-1\n"), FIT, 2, "weights of edges must be numbers from 0, got '-1'"),
    trial("an edge without a weight", graph(edges_csv="source,target,weight\nn1,n2,2\nn2,n3,\n"), FIT, 0, "1 edge has no weight and counts as 1"),
    trial("an edge that weighs nothing", graph(edges_csv="source,target,weight\nn1,n2,2\nn2,n3,0\n"), FIT, 0, "1 edge weighs nothing and is left out"),
    trial("no target for nodes", graph(), "fit g --trials 1 -o m", 2, "target must name a column"),
    trial("an unknown target of nodes", graph(), "fit g --target d --trials 1 -o m", 2, "target must be a column of the table", "got 'd'"),
    trial("the ids as target", graph(), "fit g --target id --trials 1 -o m", 2, "target must be a column"),
    trial("nodes without columns", graph("id,c\n" + "".join(f"n{k},{k % 2}x\n" for k in range(30))), FIT, 0, "Nodes have no columns to learn from: their degree and random numbers"),
    trial("columns of nodes left out", graph(), f"{FIT} --drop x", 0, "Nodes have no columns to learn from: their degree and random numbers"),
    trial("few groups of nodes", graph(), "fit g --target x --group c --trials 1 -o m", 2, "group must have at least 4 different values in 'c', got 2"),
    trial("an unknown group of nodes", graph(), f"{FIT} --group town", 2, "group must be a column of the table", "got 'town'"),
    trial("times and groups of nodes", graph(), f"{FIT} --time-column x --group x", 2, "time_column and group must not be given together"),
    trial("times of nodes", graph(), f"{FIT} --time-column x", 0, RIGHT),
    trial("a number of classes of nodes", graph(), f"{FIT} --task regression", 2, "must"),
    trial("a cost of nodes", (graph(), file("k.csv", ",up,down\nup,0,5\ndown,1,0\n")), f"{FIT} --costs k.csv", 0, "cost"),
    trial("a score of nodes", graph(), f"{FIT} --score auc", 0, "AUC"),
    trial("test nodes that are none", (graph(), file("t.csv", "id\nzz\n")), f"{FIT} --test t.csv", 2, "test must name nodes with a target, got 'zz'"),
    trial("a folder of test nodes", graph(), f"{FIT} --test g", 2, "test must be a share or a table of ids of test nodes, got a folder"),
    trial("a sample of nodes", graph(), f"{FIT} --rows 25", 0, "A random sample of 25 of 30 nodes is used"),
    trial("directed edges of a table", csv(good()), "fit t.csv --target y --directed --trials 1 -o m", 2, "directed must not be given for a table"),
    trial("the graph as the output", graph(), "fit g --target c --trials 1 -o g", 2, "output must be new, empty or a model folder"),
]  # fmt: skip
USED = [
    trial("a new node", (model("node"), graph(NEW, "source,target\nz,n1\nn3,z\n", "new")), PREDICT, 0, "1 row: p.csv"),
    trial("a new node without edges", (model("node"), graph(NEW, "source,target\n", "new")), PREDICT, 0, "1 row: p.csv"),
    trial("a new node with an unknown neighbour", (model("node"), graph(NEW, "source,target\nz,n1\nz,qq\n", "new")), PREDICT, 0, "names the id 'qq'"),
    trial("the nodes of training", (model("node"), graph(name="new")), PREDICT, 0, "30 of the 30 nodes are known from training"),
    trial("new nodes of one id", (model("node"), graph(NEW + "z,1\n", "source,target\nz,n1\n", "new")), PREDICT, 2, "predict: ids of nodes.csv must be there once"),
    trial("new nodes without a column", (model("node"), graph("id,w\nz,1\n", "source,target\nz,n1\n", "new")), PREDICT, 2, "predict: the table must have the column 'x', and has not"),
    trial("new nodes without edges.csv", (model("node"), graph(NEW, None, "new")), PREDICT, 2, "predict: a graph must have nodes.csv and edges.csv"),
    trial("no folder of new nodes", (model("node"), nothing), PREDICT, 1, "must be a folder with nodes.csv and edges.csv"),
    trial("an empty folder of new nodes", (model("node"), folder("new")), PREDICT, 2, "predict: a graph must have nodes.csv and edges.csv, got neither"),
    trial("a table of new nodes", (model("node"), csv(good(), "new")), PREDICT, 1, "must be a folder"),
    trial("a word among new numbers", (model("node"), graph("id,x\nz,many\n", "source,target\nz,n1\n", "new")), PREDICT, 0, "Column 'x': 1 cell is not a finite number and counts as missing"),
    trial("a bit of a graph changed", (model("node"), graph(NEW, "source,target\n", "new"), change("m/model.safetensors", lambda c: c[:-5] + bytes([c[-5] ^ 1]) + c[-4:])), PREDICT, 2, "is not the file that was written with model.json"),
    trial("nodes cannot be exported", model("node"), "export m -o m.onnx", 2, "export"),
]  # fmt: skip
TRIALS = [*FITTED, *USED]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_nodes(row, make_trial):
    make_trial(row)
