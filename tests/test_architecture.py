"""Imports point one way, every room imports only what the table allows, and ``import gradatim`` is light."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gradatim

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("rooms", ROOT / "docs" / "rooms.py")
assert SPEC is not None
assert SPEC.loader is not None
rooms = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(rooms)

# Rooms of one floor that may import each other, each with the reason why; others of a floor stand apart.
BESIDE: dict[tuple[str, str], str] = {
    ("neurons", "linear"): "a perceptron's bound needs the margin of its data",
    ("theory", "linear"): "labelings by half-spaces are those that linear programs find",
    ("theory", "instruments"): "the spectrum of a Hessian is had by its products with vectors",
    ("theory", "clustering"): "a graph is cut by k-means on its slowest waves",
    ("bayes", "theory"): "a network of infinite width is a Gaussian process",
    ("estimators", "model_folder"): "an estimator is saved as a model folder",
}

# Imports inside a function that point up, each with the reason why it may.
UPWARD: dict[tuple[str, str], str] = {
    ("backprop/graph.py", "plots"): "figure() draws on demand; the graph is plain data",
    ("backprop/jacobian_cost.py", "plots"): "figure() draws on demand; the table is plain data",
    ("backprop/trace.py", "plots"): "figure() draws on demand; the trace is plain data",
    ("bayes/trace.py", "plots"): "figure() draws on demand; the draws are plain data",
    ("instruments/lr_range.py", "plots"): "figure() draws on demand; the record is plain data",
    ("training/history.py", "plots"): "figure() draws on demand; training needs no figure",
}


def files() -> list[Path]:
    return sorted(rooms.SOURCE.rglob("*.py"))


def crossings() -> Iterator[tuple[str, str, str, bool]]:
    """File, its room, another room that it imports, and whether it does so when it is loaded."""
    for path in files():
        own = rooms.name_of(rooms.room(path))
        for target, top in rooms.imports(path):
            other = rooms.name_of(target)
            if own not in rooms.DOORS and other != own:
                yield path.relative_to(rooms.SOURCE).as_posix(), own, other, top


def test_every_room_has_its_floor():
    named = {name for floor in rooms.FLOORS for name in floor} | rooms.DOORS
    unknown = {rooms.name_of(rooms.room(path)) for path in files()} - named
    assert not unknown, f"give {sorted(unknown)} a floor in docs/rooms.py"


def test_no_module_imports_a_room_above_it():
    found = {(path, other) for path, own, other, top in crossings() if top and rooms.floor_of(other) > rooms.floor_of(own)}  # fmt: skip
    assert not found


def test_rooms_of_one_floor_import_each_other_only_where_the_table_says():
    found = {(own, other) for _, own, other, _ in crossings() if rooms.floor_of(other) == rooms.floor_of(own)}  # fmt: skip
    assert found == set(BESIDE)


def test_upward_imports_in_functions_are_in_the_table():
    found = {(path, other) for path, own, other, top in crossings() if not top and rooms.floor_of(other) > rooms.floor_of(own)}  # fmt: skip
    assert found == set(UPWARD)


def test_base_modules_import_only_the_lowest_of_them():
    for path in files():
        own = rooms.room(path)
        if own in rooms.BASE:
            found = {target for target, _ in rooms.imports(path)}
            assert found <= {"errors", "hashing", "hidden_values", own}, path.name


def test_the_picture_of_the_rooms_is_current():
    assert rooms.PICTURE.read_text(encoding="utf-8") == rooms.draw(rooms.graph()), (
        "the imports have changed: run make rooms"
    )


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
        ("KINDS = {'table': ('gradatim.fitting.tables', 'load')}", {("fitting", True)}),
        ("def f(name):\n    return import_module(f'gradatim.cli.{name}')", {("cli", False)}),
        ("NAME = 'gradatim'", set()),
    ],
)
def test_the_reader_of_imports_sees_them(tmp_path, source, expected):
    (tmp_path / "training").mkdir()
    path = tmp_path / "training" / "module.py"
    path.write_text(source)
    assert set(rooms.imports(path, tmp_path)) == expected


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
