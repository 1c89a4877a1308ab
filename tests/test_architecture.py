"""Imports point one way, and ``import gradatim`` is light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gradatim

SOURCE = Path(gradatim.__file__).parent
# The rooms from the ground up. A room may import every room below it, and topics only those they name.
BASE = {"errors", "events", "files", "randomness", "threads", "versions"}
PARTS = BASE | {"data", "nn"}
MODELS = PARTS | {"losses", "optim", "models"}
TRAINING = MODELS | {"decoding", "training"}
TOPICS: dict[str, set[str]] = {
    "neurons": {"linear"},  # a perceptron's bound needs the margin of its data
    "linear": set(),
    "backprop": set(),
    "instruments": set(),
    "theory": {"linear"},
    "timeseries": set(),
    "robust": set(),
    "bayes": {"linear"},
    "generative": set(),
    "clustering": set(),
    "reinforcement": set(),
}
LEARNING = TRAINING | set(TOPICS)
MEASURING = LEARNING | {"evaluation"}
READERS = MEASURING | {"reports", "estimators", "model_folder"}
SHOWING = READERS | {"plots", "doctor"}

# For each room, the rooms that its modules may import.
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "__main__": {"cli"},
    "errors": set(),
    "events": set(),
    "files": {"errors"},
    "randomness": set(),
    "threads": set(),
    "versions": set(),
    "data": BASE,
    "nn": BASE | {"data"},
    "losses": PARTS,
    "optim": PARTS | {"losses"},
    "models": PARTS,
    "decoding": PARTS | {"models"},
    "training": MODELS | {"decoding"},
    **{topic: TRAINING | others for topic, others in TOPICS.items()},
    "evaluation": LEARNING,
    "reports": BASE,
    "model_folder": MEASURING,
    "estimators": MEASURING | {"model_folder"},
    "plots": READERS,
    "doctor": READERS,
    "fitting": SHOWING,
    "experiments": SHOWING | {"fitting"},
    "cli": SHOWING | {"fitting", "experiments", "studio"},
    "studio": SHOWING | {"fitting", "experiments"},
}

# Imports inside a function that point up, each with the reason why it may.
UPWARD: dict[tuple[str, str], str] = {
    ("instruments/lr_range.py", "plots"): "figure() draws on demand; the record is plain data",
    ("training/history.py", "plots"): "History.plot draws on demand; training needs no figure",
    ("backprop/graph.py", "plots"): "figure() draws on demand; the graph is plain data",
    ("backprop/jacobian_cost.py", "plots"): "figure() draws on demand; the table is plain data",
    ("backprop/trace.py", "plots"): "figure() draws on demand; the trace is plain data",
}


def room(path: Path) -> str:
    relative = path.relative_to(SOURCE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def targets(node: ast.AST, path: Path) -> set[str]:
    """Rooms of Gradatim that an import statement names."""
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        stem = node.module or ""
        if node.level:
            package = ("gradatim", *path.relative_to(SOURCE).parent.parts)
            stem = ".".join((*package[: len(package) - node.level + 1], *filter(None, [stem])))
        modules = [f"{stem}.{alias.name}" for alias in node.names]
    else:
        return set()
    parts = [module.split(".") for module in modules]
    return {p[1] for p in parts if p[0] == "gradatim" and len(p) > 1 and not p[1].startswith("__")}


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Each room that a file imports, and whether at module level; imports for types only are free."""
    stack: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), True)]
    while stack:
        node, top = stack.pop()
        yield from ((target, top) for target in targets(node, path))
        inside = top and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        children: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            children = list(node.orelse)
        stack += [(child, inside) for child in children]


def files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def upward() -> Iterator[tuple[str, str, bool]]:
    for path in files():
        own = room(path)
        for target, top in imports(path):
            if target != own and target not in MAY_IMPORT.get(own, set()):
                yield path.relative_to(SOURCE).as_posix(), target, top


def test_every_room_has_its_place():
    unknown = {room(path) for path in files()} - set(MAY_IMPORT)
    assert not unknown, f"add {sorted(unknown)} to MAY_IMPORT"


def test_no_module_imports_a_room_above_it():
    found = sorted(f"{path} imports {target}" for path, target, top in upward() if top)
    assert not found, "\n".join(found)


def test_upward_imports_in_functions_are_in_the_table():
    found = {(path, target) for path, target, top in upward() if not top}
    assert found == set(UPWARD)


def test_allowed_imports_form_no_circle():
    order: list[str] = []

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in order:
            for other in sorted(MAY_IMPORT[name] - {name}):
                visit(other, (*trail, name))
            order.append(name)

    for name in MAY_IMPORT:
        visit(name, ())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import gradatim.plots", {("plots", True)}),
        ("from gradatim import data, __version__", {("data", True)}),
        ("from gradatim.plots.style import new_figure", {("plots", True)}),
        ("from ..plots import style", {("plots", True)}),
        ("from . import history", {("training", True)}),
        ("def f():\n    from gradatim.plots import bars", {("plots", False)}),
        ("class A:\n    import gradatim.cli", {("cli", True)}),
        (
            "if TYPE_CHECKING:\n    import gradatim.cli\nelse:\n    import gradatim.nn",
            {("nn", True)},
        ),
        ("import torch, gradatimx.cli", set()),
    ],
)
def test_the_reader_of_imports_sees_them(monkeypatch, tmp_path, source, expected):
    monkeypatch.setattr(sys.modules[__name__], "SOURCE", tmp_path)
    (tmp_path / "training").mkdir()
    path = tmp_path / "training" / "module.py"
    path.write_text(source)
    assert set(imports(path)) == expected


def test_import_gradatim_loads_no_library():
    script = "import sys, gradatim; print(sorted({'torch', 'numpy', 'pandas', 'matplotlib', 'typer'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_dir_lists_the_public_names():
    assert dir(gradatim) == sorted([*gradatim.__all__, "__version__"])


@pytest.mark.parametrize("name", gradatim.__all__)
def test_public_names_are_found(name):
    assert getattr(gradatim, name) is not None


def test_unknown_names_are_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'gradatim' has no attribute 'Trainr'"):
        gradatim.Trainr  # noqa: B018
