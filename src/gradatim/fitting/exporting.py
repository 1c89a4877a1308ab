"""``export``: a stored model for programs that know nothing of this package."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradatim.errors import InvalidType
from gradatim.files import open_atomically
from gradatim.fitting.loading import load_model
from gradatim.fitting.programs import ABOUT, Program
from gradatim.fitting.tables.export import table_graph
from gradatim.fitting.tables.model import TableModel
from gradatim.fitting.tables.program import table_program
from gradatim.model_folder import parts_of


@dataclass(frozen=True)
class ExportResult:
    """Where the file is, what its inputs are, one line each, and what its user must know."""

    path: Path
    inputs: list[str]
    notes: list[str]


def export_onnx(model: str | Path, output: str | Path, *, which: str = "network") -> ExportResult:
    """Write a model as ONNX, with as much of its preprocessing as ONNX can hold.

    Of a table every column is an input of shape ``(N, 1)``: ``double`` for numbers, truth values and dates (days since
    1970), ``string`` for categories; the graph computes in double precision, as ``predict`` does. The output
    ``probabilities`` has shape ``(N, classes)``, ``prediction`` shape ``(N, 1)``; where a column has one of these names, an
    underscore follows. Networks of other data take tensors, which are listed in what is returned.

    Args:
        model: A model folder.
        output: File to write.
        which: ``"network"``, ``"recommended"``, or another model of the folder.
    """
    stored = load_model(model)
    if isinstance(stored, TableModel):
        content, lines = table_graph(stored, which)
        return _write(model, output, content, _is_onnx, lines, [])
    program = program_of(stored, which)
    title = f"Gives {program.output}. {stored.about.get('verdict', '')}".strip()
    return _write(model, output, program.to_onnx(title), _is_onnx, program.lines(), _notes(program))


def export_torch(model: str | Path, output: str | Path, *, which: str = "network") -> ExportResult:
    """Write a network as a program of ``torch.export``: ``torch.export.load(output).module()`` is called with the inputs.

    Args:
        model: A model folder.
        output: File to write, usually ``.pt2``.
        which: ``"network"``, ``"recommended"``, or another model of the folder.
    """
    program = program_of(load_model(model), which)
    return _write(model, output, program.to_torch(), _is_torch, program.lines(), _notes(program))


def program_of(stored: Any, which: str = "network") -> Program:
    """The program of a model, where it has a network.

    Args:
        stored: What :func:`gradatim.load_model` returned.
        which: Which of its models.
    """
    if isinstance(stored, TableModel):
        return table_program(stored, which)
    make = getattr(stored, "program", None)
    if make is None:
        raise InvalidType(
            f"export: model must be a folder with a network that 'gradatim fit' wrote, got a {type(stored).__name__}. "
            "Use it with gradatim.load_model."
        )
    program = make(which)
    assert isinstance(program, Program)
    return program


def _notes(program: Program) -> list[str]:
    before = program.facts.get("before")
    return [str(before)] if before else []


def _write(
    model: str | Path,
    output: str | Path,
    content: bytes,
    is_ours: Callable[[Path], bool],
    lines: list[str],
    notes: list[str],
) -> ExportResult:
    with open_atomically(output, owner="export", inputs=parts_of(model), is_ours=is_ours) as file:
        file.write(content)
    return ExportResult(Path(output), lines, notes)


def _is_onnx(path: Path) -> bool:
    """Whether the field ``producer_name`` near the beginning of an ONNX file is ours."""
    with open(path, "rb") as file:
        return b"\x12\x08gradatim" in file.read(64)


def _is_torch(path: Path) -> bool:
    """Whether a program of PyTorch holds our own description."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith(ABOUT) for name in archive.namelist())
