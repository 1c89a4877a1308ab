"""Source text for Graphviz."""

import re

from gradatim.backprop.dot import dot_source, quote


def test_quotes_lines_and_backslashes_are_escaped():
    assert quote('a"b') == r'"a\"b"'
    assert quote("a\nb") == r'"a\nb"'
    assert quote("a\\b") == r'"a\\b"'


def test_every_node_and_edge_is_written_once():
    nodes = [("leaf", "w", "1", "2"), ("operation", "mul", "", ""), ("loss", "sum", "3", "1")]
    source = dot_source(nodes, [(0, 1), (1, 2)])
    assert re.findall(r"^  (n\d) \[label=\"([^\"]*)\"", source, re.M) == [
        ("n0", r"w\n1\n∂ 2"),
        ("n1", "mul"),
        ("n2", r"sum\n3\n∂ 1"),
    ]
    assert re.findall(r"n\d -> n\d", source) == ["n0 -> n1", "n1 -> n2"]
    assert source.startswith("digraph {")
    assert source.endswith("}")
