"""The rooms of the house and what they import: ``make rooms`` draws ``docs/rooms.svg`` from the source.

A room is a package or a module of ``gradatim``. It stands
on the rooms below it that it imports; those that follow from others are left out.
"""

import ast
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "gradatim"
PICTURE = Path(__file__).with_name("rooms.svg")
BASE = (
    "array_arguments",
    "errors",
    "events",
    "files",
    "hashing",
    "hidden_values",
    "made_once",
    "randomness",
    "threads",
    "versions",
    "wording",
)  # drawn as one room
TOPICS = (
    *("neurons", "linear", "backprop", "instruments", "theory", "timeseries", "robust"),
    *("bayes", "generative", "clustering", "reinforcement", "scaling"),
)
FLOORS: tuple[tuple[str, ...], ...] = (
    ("base",),
    ("data",),
    ("nn",),
    ("losses", "optim", "models"),
    ("decoding",),
    ("training",),
    TOPICS,
    ("evaluation",),
    ("reports",),
    ("model_folder", "estimators"),
    ("plots", "doctor"),
    ("fitting",),
    ("experiments",),
    ("cli", "studio"),
)  # from the ground up
DOORS = {"__init__", "__main__"}  # ways in, not rooms

WIDTH, BOX, GAP, MARGIN = 1080, 58, 10, 16


def room(path: Path, source: Path = SOURCE) -> str:
    """The room in which a file stands."""
    parts = path.relative_to(source).parts
    return parts[0] if len(parts) > 1 else path.stem


def targets(node: ast.AST, path: Path, source: Path = SOURCE) -> set[str]:
    """Rooms that an import statement names, or a string such as ``"gradatim.data.cache"``, which hides an import."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        modules = [node.value] if re.fullmatch(r"gradatim(\.\w*)+", node.value) else []
    elif isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        stem = node.module or ""
        if node.level:
            package = ("gradatim", *path.relative_to(source).parent.parts)
            stem = ".".join((*package[: len(package) - node.level + 1], *filter(None, [stem])))
        modules = [f"{stem}.{alias.name}" for alias in node.names]
    else:
        return set()
    parts = [module.split(".") for module in modules]
    found = {p[1] for p in parts if p[0] == "gradatim" and len(p) > 1}
    return {name for name in found if name and not name.startswith("__")}


def imports(path: Path, source: Path = SOURCE) -> Iterator[tuple[str, bool]]:
    """Each room that a file imports, and whether at module level; imports for types only are free."""
    stack: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), True)]
    while stack:
        node, top = stack.pop()
        yield from ((target, top) for target in targets(node, path, source))
        inside = top and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        children: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            children = list(node.orelse)
        stack += [(child, inside) for child in children]


def graph() -> dict[str, set[str]]:
    """For every room the rooms below it that its modules import, the base as one."""
    found: dict[str, set[str]] = {"base": set()}
    for path in sorted(SOURCE.rglob("*.py")):
        own = name_of(room(path))
        if own not in DOORS:
            others = {name_of(target) for target, _ in imports(path)}
            found.setdefault(own, set()).update(o for o in others if floor_of(o) <= floor_of(own))
    return {own: others - {own} for own, others in found.items()}


def name_of(own: str) -> str:
    """A room as the picture shows it."""
    return "base" if own in BASE else own


def floor_of(name: str) -> int:
    """On which floor a room stands, from 0."""
    return next(floor for floor, row in enumerate(FLOORS) if name in row)


def reduce(rooms: dict[str, set[str]]) -> dict[str, set[str]]:
    """Leave out what follows: no arrow from a to c where there are arrows from a to b and b to c."""
    below: dict[str, set[str]] = {}

    def reach(name: str) -> set[str]:
        if name not in below:
            below[name] = rooms[name].union(*(reach(other) for other in rooms[name]))
        return below[name]

    return {
        name: {o for o in others if not any(o in reach(between) for between in others - {o})}
        for name, others in rooms.items()
    }


def draw(rooms: dict[str, set[str]]) -> str:
    """The picture, as text of an SVG file: a floor a row, in every room what it stands on."""
    rows = [row for floor in FLOORS if (row := [name for name in floor if name in rooms])]
    stands_on = reduce(rooms)
    parts: list[str] = []
    for height, row in enumerate(reversed(rows)):
        upper = MARGIN + height * (BOX + GAP)
        width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        for k, name in enumerate(row):
            below = sorted(stands_on[name], key=lambda o: (-floor_of(o), o))
            parts.append(_box(name, below, MARGIN + k * (width + GAP), upper, width))
    total = 2 * MARGIN + len(rows) * (BOX + GAP) - GAP
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {total}" '
        'font-family="system-ui, sans-serif" text-anchor="middle">',
        f'<rect width="{WIDTH}" height="{total}" fill="#fff"/>',
        *parts, "</svg>", "",
    ])  # fmt: skip


def purpose(name: str) -> str:
    """What a room is for: the first sentence of its docstring; of the base, its modules."""
    if name == "base":
        return ", ".join(BASE)
    place = SOURCE / name
    text = (place / "__init__.py" if place.is_dir() else place.with_suffix(".py")).read_text(
        "utf-8"
    )
    return (
        (ast.get_docstring(ast.parse(text)) or "")
        .split("\n\n")[0]
        .replace("\n", " ")
        .replace("`", "")
        .rstrip(".")
    )


def _box(name: str, below: list[str], left: float, upper: float, width: float) -> str:
    middle = left + width / 2
    words = purpose(name)
    notes = [words] if 5.6 * len(words) < width else []
    if below:
        pieces = [below] if width > 300 else [below[k : k + 2] for k in range(0, len(below), 2)]
        notes += ["on " + ", ".join(pieces[0]), *(", ".join(piece) for piece in pieces[1:])]
    lines = [
        f'<text x="{middle:.0f}" y="{upper + 36 + 14 * k:.0f}" font-size="11" fill="#5b7083">{escape(note)}</text>'
        for k, note in enumerate(notes)
    ]
    return (
        f'<rect x="{left:.0f}" y="{upper:.0f}" width="{width:.0f}" height="{BOX}" rx="6" '
        'fill="#eaf2f8" stroke="#2c5f8a"/>'
        f'<text x="{middle:.0f}" y="{upper + 20:.0f}" font-size="15" fill="#12324d">{escape(name)}</text>'
        + "".join(lines)
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(graph()), encoding="utf-8")
    print(PICTURE.relative_to(Path.cwd()) if PICTURE.is_relative_to(Path.cwd()) else PICTURE)
    sys.exit(0)
