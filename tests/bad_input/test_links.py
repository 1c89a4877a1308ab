"""Graphs whose links are learned, wrong or odd: their edges, their nodes, and pairs to predict."""

import pytest

from .inputs import change, csv, edges, file, folder, good, graph, model, nodes, nothing
from .trial import trial

FIT = "fit g --links --trials 1 -o m"
PREDICT = "predict m pairs.csv -o p.csv"
NEW = "predict m new -o p.csv"
RIGHT = "which pairs are joined"
NODES, EDGES = nodes(), edges()
FULL = "source,target\n" + "".join(f"n{a},n{b}\n" for a in range(12) for b in range(a))
ALMOST = "source,target\n" + "".join(f"n{a},n{b}\n" for a in range(12) for b in range(a) if (a, b) != (5, 3))  # fmt: skip
FEW = "source,target\n" + "".join(f"n{k},n{k + 1}\n" for k in range(19))
TIMED = "source,target,year\n" + "".join(f"n{k},n{(k * 7 + 1) % 30},{2000 + k % 5}\n" for k in range(30))  # fmt: skip
SHOP = "source,target\n" + "".join(f"n{k % 10},n{10 + k * 3 % 20}\n" for k in range(60))
MANY = "source,target\n" + "".join(f"m{k % 3000},m{k * 7919 % 2999}\n" for k in range(30_000))
FITTED = [
    trial("a graph", graph(), FIT, 0, RIGHT, "60 of all of them edges, 30 nodes"),
    trial("edges alone", graph(None), FIT, 0, RIGHT, "There is no nodes.csv: nodes are those that edges.csv names", "random numbers made from their ids"),
    trial("nodes alone", graph(edges_csv=None), FIT, 2, "a graph must have edges.csv, got nodes.csv in 'g'"),
    trial("an empty folder", folder("g"), FIT, 2, "a graph must have edges.csv, got neither in 'g'"),
    trial("no folder", nothing, FIT, 1, "must be a folder with edges.csv, and is none"),
    trial("a table for links", csv(good(), "g"), FIT, 1, "must be a folder with edges.csv"),
    trial("an edge to an unknown id", graph(edges_csv=EDGES + "n1,zz\n"), FIT, 0, RIGHT, "1 edge names an id that no node has and is left out; row 61 of edges.csv names the id 'zz'"),
    trial("edges to unknown ids only", graph(edges_csv="source,target\na,b\n"), FIT, 2, "edges must join ids of nodes.csv, got none that does"),
    trial("an edge without an end", graph(None, EDGES + "n1,\n"), FIT, 0, "names no id"),
    trial("a repeated id", graph(NODES + "n3,1,up\n"), FIT, 2, "ids of nodes.csv must be there once, got 'n3' in rows 4 and 31"),
    trial("a missing id", graph(NODES + ",1,up\n"), FIT, 2, "every node of nodes.csv must have an id, got none in row 31"),
    trial("a self-loop", graph(edges_csv=EDGES + "n1,n1\n"), FIT, 0, RIGHT, "1 edge leads from a node to itself and is left out"),
    trial("self-loops only", graph(edges_csv="source,target\nn1,n1\n"), FIT, 2, "a graph must have at least 20 edges to learn links from, got 0"),
    trial("a repeated edge", graph(edges_csv=EDGES + "n1,n0\n"), FIT, 0, "1 edge repeats another, in either direction, and counts once"),
    trial("both directions of an edge", graph(edges_csv=EDGES + "n1,n0\n"), f"{FIT} --directed", 0, RIGHT, "61 of all of them edges"),
    trial("an isolated node", graph(NODES + "n30,1,up\n"), FIT, 0, "1 node has no edge: only pairs that are not joined name it"),
    trial("one node", graph("id,x\nn0,1\n", "source,target\nn0,n0\n"), FIT, 2, "a graph must have at least 20 edges to learn links from, got 0"),
    trial("no edges", graph(edges_csv="source,target\n"), FIT, 2, "a graph must have at least 20 edges to learn links from, got 0"),
    trial("too few edges", graph(edges_csv=FEW), FIT, 2, "a graph must have at least 20 edges to learn links from, got 19"),
    trial("a complete graph", graph(None, FULL), FIT, 2, "a graph must have at least 20 pairs of nodes that no edge joins, got 0"),
    trial("a graph that lacks one edge", graph(None, ALMOST), FIT, 2, "a graph must have at least 20 pairs of nodes that no edge joins, got 1"),
    trial("more edges than pairs without one", graph(None, FULL + "".join(f"n12,n{k}\n" for k in range(2)) + "n13,n0\n"), FIT, 0, "Beside 69 edges there are only 22 pairs that no edge joins"),
    trial("ids read as floats", graph(NODES.replace("n", ""), EDGES.replace("n", "").replace("\n5,", "\n5.0,")), FIT, 0, "Ids such as '5.0' in edges.csv are read as '5'"),
    trial("ids read as floats of edges alone", graph(None, EDGES.replace("n", "").replace("\n5,", "\n5.0,")), FIT, 0, "Ids such as '5.0' in edges.csv are read as '5'", "edges, 30 nodes"),
    trial("very many edges", graph(None, MANY), f"{FIT} --rows 200", 0, RIGHT, "A random sample of 200 of", "the others pass messages on"),
    trial("two sides", graph(None, SHOP), FIT, 0, "never back: only pairs across these two sides are drawn"),
    trial("edges.csv cut short", graph(None, EDGES[: EDGES.rindex(",")]), FIT, 0, RIGHT, "1 edge names an id that no node has and is left out; row 60 of edges.csv names no id"),
    trial("nodes.csv cut short", graph(NODES[: len(NODES) // 2]), FIT, 0, RIGHT, "that no node has and are left out"),
    trial("empty edges.csv", (graph(), file("g/edges.csv", "")), FIT, 2, "must"),
    trial("empty nodes.csv", (graph(), file("g/nodes.csv", "")), FIT, 2, "must"),
    trial("nodes.csv of a header", graph("id,x,c\n"), FIT, 2, "must have rows under its header"),
    trial("edges of one column", graph(edges_csv="source\nn1\n"), FIT, 2, "edges.csv must have the columns 'source' and 'target', got 'source'"),
    trial("edges of one column alone", graph(None, "source\nn1\n"), FIT, 2, "edges.csv must have the columns 'source' and 'target', got 'source'"),
    trial("edges with other names", graph(edges_csv=EDGES.replace("source,target", "a,b")), FIT, 0, "its first two, 'a' and 'b', name the ends"),
    trial("bytes in edges.csv", (graph(), file("g/edges.csv", b"\x00\xff\x00\xff" * 9)), FIT, 2, "must"),
    trial("a weight that is a word", graph(edges_csv="source,target,weight\nn1,n2,heavy\n"), FIT, 2, "weights of edges must be numbers from 0, got 'heavy'"),
    trial("times of edges", graph(edges_csv=TIMED), f"{FIT} --time-column year", 0, RIGHT),
    trial("an unknown column of times", graph(edges_csv=TIMED), f"{FIT} --time-column day", 2, "time_column must be a column of the table", "got 'day'"),
    trial("times that are words", graph(edges_csv=TIMED.replace(",200", ",in 200")), f"{FIT} --time-column year", 2, "time_column must hold dates or numbers"),
    trial("an edge without a time", graph(edges_csv=TIMED + "n4,n20,\n"), f"{FIT} --time-column year", 2, "time_column must have a time in every row, got 1 row without one in 'year'"),
    trial("columns of nodes left out", graph(), f"{FIT} --drop x --drop c", 0, "random numbers made from their ids"),
    trial("an unknown column left out", graph(), f"{FIT} --drop y", 2, "drop must be a column of the table", "got 'y'"),
    trial("a column of no nodes.csv left out", graph(None), f"{FIT} --drop x", 2, "drop must be a column of nodes.csv, got 'x', and there is none"),
    trial("a target of links", graph(), f"{FIT} --target c", 2, "target must not be given for links of a graph, got 'c'"),
    trial("groups of links", graph(), f"{FIT} --group c", 2, "group must not be given for links of a graph, got 'c'"),
    trial("a task of links", graph(), f"{FIT} --task regression", 2, "task must not be given for links of a graph"),
    trial("a table of test pairs", (graph(), file("t.csv", "source,target\nn0,n1\n")), f"{FIT} --test t.csv", 2, "test must be a share for links, got a file"),
    trial("a score of links", graph(), f"{FIT} --score average-precision", 0, "average precision"),
    trial("a score of numbers for links", graph(), f"{FIT} --score mae", 2, "score"),
    trial("links and anomalies", graph(), f"{FIT} --anomaly", 2, "must not be given together"),
    trial("links of a table", csv(good()), "fit t.csv --links --trials 1 -o m", 1, "must be a folder with edges.csv"),
    trial("the graph as the output", graph(), "fit g --links --trials 1 -o g", 2, "output must be new, empty or a model folder"),
]  # fmt: skip
PAIRS = file("pairs.csv", "source,target\nn0,n9\nn4,n20\n")
USED = [
    trial("pairs", (model("link"), PAIRS), PREDICT, 0, "2 rows: p.csv"),
    trial("a folder with pairs", (model("link"), file("new/pairs.csv", "source,target\nn0,n9\n")), NEW, 0, "1 row: p.csv"),
    trial("a folder without pairs", (model("link"), graph(name="new")), NEW, 1, "new/pairs.csv: there is no such file. Name the pairs to predict there"),
    trial("no pairs", model("link"), PREDICT, 1, "pairs.csv: there is no such file"),
    trial("pairs of a header", (model("link"), file("pairs.csv", "source,target\n")), PREDICT, 2, "must have rows under its header"),
    trial("an empty file of pairs", (model("link"), file("pairs.csv", "")), PREDICT, 2, "must"),
    trial("pairs of one column", (model("link"), file("pairs.csv", "source\nn0\n")), PREDICT, 2, "predict: pairs.csv must have the columns 'source' and 'target', got 'source'"),
    trial("pairs with other names", (model("link"), file("pairs.csv", "a,b\nn0,n9\n")), PREDICT, 0, "its first two, 'a' and 'b', name the ends"),
    trial("a pair with an unknown id", (model("link"), file("pairs.csv", "source,target\nn0,n9\nn0,zz\n")), PREDICT, 2, "pairs must name nodes by their ids, got 'zz' in row 2, which no node has"),
    trial("a pair without an end", (model("link"), file("pairs.csv", "source,target\nn0,\n")), PREDICT, 2, "pairs must name nodes by their ids, got none in row 1"),
    trial("a pair that is known", (model("link"), file("pairs.csv", "source,target\nn1,n0\nn0,n9\n")), PREDICT, 0, "1 of the 2 pairs is an edge that is known already: what is said of it is no prediction"),
    trial("a node and itself", (model("link"), file("pairs.csv", "source,target\nn0,n0\n")), PREDICT, 0, "1 pair is a node and itself, of which nothing was learned"),
    trial("the same pair twice", (model("link"), file("pairs.csv", "source,target\nn0,n9\nn9,n0\n")), PREDICT, 0, "2 rows: p.csv"),
    trial("a pair of a new node", (model("link"), graph("id,x\nz,0.5\n", "source,target\nz,n1\n", "new"), file("new/pairs.csv", "source,target\nz,n2\n")), NEW, 0, "1 row: p.csv"),
    trial("a pair of a new node without a column", (model("link"), graph("id,w\nz,0.5\n", "source,target\nz,n1\n", "new"), file("new/pairs.csv", "source,target\nz,n2\n")), NEW, 2, "predict: the table must have the column 'x', and has not"),
    trial("a pair of a node that only edges name", (model("link"), graph(None, "source,target\nz,n1\nn1,n4\n", "new"), file("new/pairs.csv", "source,target\nz,n2\n")), NEW, 2, "got 'z' in row 1, which no node has"),
    trial("pairs and edges of known nodes", (model("link"), graph(None, "source,target\nn1,n9\n", "new"), file("new/pairs.csv", "source,target\nn1,n8\n")), NEW, 0, "1 row: p.csv"),
    trial("a bit of a graph changed", (model("link"), PAIRS, change("m/model.safetensors", lambda c: c[:-5] + bytes([c[-5] ^ 1]) + c[-4:])), PREDICT, 2, "is not the file that was written with model.json"),
    trial("links cannot be exported", model("link"), "export m -o m.onnx", 2, "export"),
]  # fmt: skip
TRIALS = [*FITTED, *USED]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_links(row, make_trial):
    make_trial(row)
