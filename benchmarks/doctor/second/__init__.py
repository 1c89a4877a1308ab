"""The second set: whole programs in many hands, written from the list of codes alone.

Each faulty program has one fault, and the edits that undo it: its twin is a healthy program.
Nothing of the doctor may be tuned on them; the programs stand in ``programs``, what is known of
them in ``table.toml``.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
HEALTHY = "healthy"


@dataclass(frozen=True)
class Program:
    """A training script of a set's folder, the lines of its one fault (from 1) and the repair."""

    file: str
    code: str
    style: str
    folder: Path
    lines: tuple[int, ...] = ()
    layer: str = ""
    repair: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        return Path(self.file).stem

    @property
    def path(self) -> Path:
        return self.folder / "programs" / self.file

    @property
    def is_faulty(self) -> bool:
        return self.code != HEALTHY

    def is_at(self, line: int | None) -> bool:
        """Whether a line is one of the fault's, or next to one."""
        return line is not None and any(abs(line - own) <= 1 for own in self.lines)

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def repaired(self) -> str:
        """The twin: the same program without its fault."""
        text = self.text()
        for old, new in self.repair:
            if text.count(old) != 1:
                raise ValueError(f"{self.file}: the text to repair must occur once: {old!r}.")
            text = text.replace(old, new)
        return text


def read_programs(folder: Path = HERE) -> list[Program]:
    """All programs of a set's table, in its order."""
    table = tomllib.loads((folder / "table.toml").read_text(encoding="utf-8"))
    rows = table["program"]
    return [
        Program(
            **row
            | {
                "folder": folder,
                "lines": tuple(row.get("lines", [])),
                "repair": tuple((old, new) for old, new in row.get("repair", [])),
            }
        )
        for row in rows
    ]
