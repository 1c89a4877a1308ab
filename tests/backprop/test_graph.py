"""Computation graphs: operations, values, gradients; no side effects; files by Graphviz or Matplotlib."""

import stat
import sys
from xml.etree import ElementTree

import pytest
import torch
import torch.nn.functional as F
from PIL import Image
from torch import nn

from gradatim.backprop import computation_graph
from gradatim.errors import InvalidType, InvalidValue, Unavailable


def worked_example():
    leaves = {
        name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
        for name, value in {"w1": 0.4, "b1": 0.3, "w2": 0.5, "b2": 0.1}.items()
    }
    a = leaves["w1"] * 1 + leaves["b1"]
    h = torch.sigmoid(a)
    y = leaves["w2"] * h + leaves["b2"]
    return (y - 0.5) ** 2 / 2, leaves | {"a": a, "y": y}


def test_values_and_gradients_of_a_worked_example():
    loss, names = worked_example()
    nodes = {node.label: node for node in computation_graph(loss, names).nodes}
    assert (nodes["w1"].kind, nodes["w1"].value, nodes["w1"].gradient) == (
        "leaf",
        "0.4",
        "-0.007306",
    )
    assert (nodes["b2"].value, nodes["b2"].gradient) == ("0.1", "-0.06591")
    assert nodes["w2"].gradient == "-0.04404"
    assert (nodes["a = add"].value, nodes["a = add"].gradient) == ("0.7", "-0.007306")
    assert (nodes["sigmoid"].value, nodes["sigmoid"].gradient) == ("0.6682", "-0.03295")
    assert (nodes["y = add"].value, nodes["y = add"].gradient) == ("0.4341", "-0.06591")
    assert (nodes["div"].kind, nodes["div"].value, nodes["div"].gradient) == (
        "loss",
        "0.002172",
        "1",
    )
    assert nodes["pow"].gradient == "0.5"


def test_edges_follow_the_computation():
    loss, names = worked_example()
    graph = computation_graph(loss, names)
    label = [node.label for node in graph.nodes]
    edges = [(label[a], label[b]) for a, b in graph.edges]
    assert ("a = add", "sigmoid") in edges
    assert ("b2", "y = add") in edges
    assert all(a < b for a, b in graph.edges)
    assert label[-1] == "div"


def test_value_used_twice_collects_both_gradients():
    w = torch.tensor(3.0, requires_grad=True)
    graph = computation_graph(w * w + w, {"w": w})
    leaf = next(node for node in graph.nodes if node.kind == "leaf")
    assert leaf.gradient == "7"
    assert len(graph.edges) == 3
    assert repr(graph) == "ComputationGraph(3 nodes, 3 edges)"


def test_modules_name_their_parameters_and_large_tensors_show_shapes():
    model = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 2))
    loss = F.cross_entropy(model(torch.randn(3, 5)), torch.tensor([0, 1, 0]))
    graph = computation_graph(loss, model)
    leaves = {node.label: node for node in graph.nodes if node.kind == "leaf"}
    assert set(leaves) == {"0.weight", "0.bias", "2.weight", "2.bias"}
    assert leaves["0.weight"].value == "(6, 5)"
    norm = torch.autograd.grad(loss, model[0].weight)[0].norm().item()
    assert leaves["0.weight"].gradient == f"‖·‖ = {norm:.3g}"
    assert leaves["2.bias"].value.startswith("[")
    relu = next(node for node in graph.nodes if node.label == "relu")
    assert relu.value == "(3, 6)"


def test_names_are_optional():
    w = torch.ones(9, requires_grad=True)
    assert [node.label for node in computation_graph(w.sum()).nodes] == ["leaf", "sum"]


def test_nothing_changes_and_backward_still_works():
    w = torch.tensor(2.0, requires_grad=True)
    w.grad = torch.tensor(5.0)
    loss = w**2
    computation_graph(loss)
    assert w.grad == 5
    loss.backward()
    assert w.grad == 9


def test_long_chain_needs_no_recursion():
    x = torch.tensor(1.0, requires_grad=True)
    value = x
    for _ in range(3000):
        value = value + 1
    assert len(computation_graph(value).nodes) == 3001


def test_figure_has_a_box_for_each_node():
    loss, names = worked_example()
    graph = computation_graph(loss, names)
    axes = graph.figure().axes[0]
    texts = {text.get_text() for text in axes.texts}
    assert {node.label for node in graph.nodes} <= texts
    assert "∂ -0.06591" in texts


@pytest.mark.parametrize(
    ("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_matplotlib_draws_where_graphviz_is_missing(tmp_path, monkeypatch, ending, start):
    monkeypatch.setenv("PATH", str(tmp_path))
    path = computation_graph(worked_example()[0]).save(tmp_path / f"graph.{ending}")
    assert path.read_bytes().startswith(start)
    if ending == "png":
        assert Image.open(path).text["Comment"] == "written by gradatim"
        Image.open(path).verify()
    elif ending == "svg":
        ElementTree.fromstring(path.read_bytes())


def install_dot(folder, monkeypatch, body):
    program = folder / "dot"
    program.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands in for Graphviz")
def test_graphviz_draws_where_it_is_present(tmp_path, monkeypatch):
    install_dot(tmp_path, monkeypatch, "sys.stdout.write(sys.argv[1] + sys.stdin.read())")
    graph = computation_graph(worked_example()[0])
    assert graph.save(tmp_path / "graph.svg").read_text().startswith("-Tsvg" + graph.dot)


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands in for Graphviz")
def test_failure_of_graphviz_is_passed_on(tmp_path, monkeypatch):
    install_dot(tmp_path, monkeypatch, "sys.exit('no plugin')")
    with pytest.raises(Unavailable, match=r"ComputationGraph\.save: Graphviz failed: no plugin"):
        computation_graph(worked_example()[0]).save(tmp_path / "graph.svg")


def test_errors(tmp_path):
    with pytest.raises(InvalidType, match="loss must be a tensor, got float"):
        computation_graph(1.0)
    with pytest.raises(
        InvalidValue, match=r"one number computed from tensors that require grad, got shape \(2,\)"
    ):
        computation_graph(torch.ones(2, requires_grad=True) * 2)
    with pytest.raises(InvalidValue, match="that require grad, got a tensor without a graph"):
        computation_graph(torch.tensor(1.0))
    with pytest.raises(InvalidValue, match=r"path ending must be one of .* got 'bmp'"):
        computation_graph(worked_example()[0]).save(tmp_path / "graph.bmp")


def test_freed_graph_is_refused():
    loss, _ = worked_example()
    loss.backward()
    with pytest.raises(
        InvalidValue,
        match=r"must still have its graph, got one that backward\(\) freed\. Draw it before",
    ):
        computation_graph(loss)


def test_other_failures_of_the_backward_pass_are_not_disguised():
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, p):
            raise RuntimeError("broken backward")

    with pytest.raises(RuntimeError, match="broken backward"):
        computation_graph(Broken.apply(torch.tensor(1.0, requires_grad=True)))
