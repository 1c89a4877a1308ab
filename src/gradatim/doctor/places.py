"""Lines of the user's own code: the frame nearest to what happens that is neither library nor doctor."""

import ast
import linecache
import re
import sys
import sysconfig
from pathlib import Path
from types import FrameType

from gradatim.doctor.facts import Place

_OWN = str(Path(__file__).parents[1])
_LIBRARIES = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {_OWN, "<frozen", "<string>", "<@", "<eval_with_key"}
)
_FRAME = re.compile(r'File "(.+?)", line (\d+), in (.+)')
_known: dict[str, bool] = {}


def is_library(filename: str) -> bool:
    """Whether a file is not the user's."""
    answer = _known.get(filename)
    if answer is None:
        answer = filename.startswith(_LIBRARIES) or "site-packages" in filename
        _known[filename] = answer
    return answer


def user_frame(start: FrameType | None = None) -> FrameType | None:
    """The innermost frame of the user's code."""
    frame = start or sys._getframe(1)
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back  # type: ignore[assignment]
    return frame


def user_place() -> Place:
    """The line of the user's code that is running now."""
    frame = user_frame(sys._getframe(1))
    return Place() if frame is None else Place(frame.f_code.co_filename, frame.f_lineno)


def user_way(most: int = 4) -> list[Place]:
    """The lines of the user's code that led here, the innermost first."""
    found: list[Place] = []
    frame = user_frame(sys._getframe(1))
    while frame is not None and len(found) < most:
        found.append(Place(frame.f_code.co_filename, frame.f_lineno))
        frame = user_frame(frame.f_back) if frame.f_back is not None else None
    return found


def parse_trace(lines: list[str]) -> tuple[Place, str]:
    """The user's line in the traceback that anomaly mode keeps, and the library function that was called there."""
    place, function = Place(), ""
    for match in _FRAME.finditer("".join(lines)):
        if is_library(match[1]):
            function = function or ("" if place.line is None else match[3])
        else:
            place, function = Place(match[1], int(match[2])), ""
    return place, function


def is_direct(lines: list[str]) -> bool:
    """Whether the user's line in such a traceback calls a layer itself, not a container that holds it."""
    files = [match[1] for match in _FRAME.finditer("".join(lines))]
    own = [k for k, file in enumerate(files) if not is_library(file)]
    return bool(own) and not any(file.endswith("container.py") for file in files[own[-1] :])


def follow(place: Place, keyword: str) -> Place:
    """Where the value of a keyword of the call in a line was set: the line of its assignment where it is a name.

    Args:
        place: A line with a call.
        keyword: Such as ``"lr"``.
    """
    if place.file is None or place.line is None:
        return place
    try:
        tree = ast.parse("".join(linecache.getlines(place.file)))
    except (SyntaxError, ValueError):
        return place
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.lineno <= place.line <= (
            node.end_lineno or 0
        ):
            continue
        for argument in node.keywords:
            if argument.arg != keyword:
                continue
            if not isinstance(argument.value, ast.Name):
                return Place(place.file, argument.value.lineno, place.layer, place.step)
            line = _assigned(tree, argument.value.id)
            return Place(place.file, line or argument.value.lineno, place.layer, place.step)
    return place


def _assigned(tree: ast.Module, name: str) -> int | None:
    """The only line of a file that assigns a name at its top level."""
    lines = [
        node.lineno
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == name
    ]
    return lines[0] if len(lines) == 1 else None


def source(place: Place) -> str:
    """The text of a line, empty where it cannot be read."""
    if place.file is None or place.line is None:
        return ""
    return linecache.getline(place.file, place.line).strip()
