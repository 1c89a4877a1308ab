"""Where a batch came from: the lines that bound its name, from the call of the model back to the data."""

import ast
import linecache
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from gradatim.doctor.facts import Place

MOST = 12  # bindings that are followed
ARITHMETIC = (ast.Mult, ast.Div, ast.Add, ast.Sub, ast.Pow)


class Binding(NamedTuple):
    """One line that gave a name its value."""

    line: int
    value: ast.expr
    is_part: bool  # only entries were set: ``X[3] = …``


def origins(place: Place, *, last: bool = False, indexed: bool = False) -> list[Place]:
    """The lines through which the first (or last) argument of the call in a line came, the nearest first.

    Args:
        place: A line with a call, of a model or a loss.
        last: Whether the last argument is meant: the target.
        indexed: Of ``y[rows]``, whether ``y`` is meant, not ``rows``.
    """
    tree = parse(place)
    if tree is None or place.line is None:
        return []
    call = _call(tree, place.line)
    names = _names(call, indices=not indexed) if call is not None else []
    found: list[Binding] = []
    if names:
        _follow(tree, names[-1 if last else 0], place.line, found, last=last)
    return [Place(place.file, binding.line) for binding in found]


def scaled(place: Place) -> Place:
    """Of the lines a batch came through, the one that computes its values, else makes a tensor of them, else the first."""
    chain = origins(place)
    known = _first(chain, _computes) or _first(chain, _converts)
    return known or (chain[-1] if chain else place)


def made_tensor(place: Place) -> Place:
    """Of the lines a batch came through, the nearest that makes a tensor of something else, else the first of all."""
    chain = origins(place)
    return _first(chain, _converts) or (chain[-1] if chain else place)


def _first(chain: list[Place], holds: Callable[[ast.Assign | ast.AugAssign], bool]) -> Place | None:
    tree = parse(chain[0]) if chain else None
    statements = {n.lineno: n for n in ast.walk(tree) if isinstance(n, ast.Assign | ast.AugAssign)} if tree else {}  # fmt: skip
    return next((s for s in chain if s.line in statements and holds(statements[s.line])), None)


def made_by(place: Place) -> Place:
    """The line that computed or converted the target in a call, rather than cut it into batches."""
    tree = parse(place)
    call = _call(tree, place.line) if tree is not None and place.line is not None else None
    target = call.args[-1] if call is not None and call.args else None
    if tree is None or not isinstance(target, ast.Name | ast.Subscript):
        return place
    chain = origins(place, last=True, indexed=True)
    return _first(chain, lambda statement: _computes(statement) or _converts(statement)) or place


def update_line(backward: Place) -> Place:
    """Behind a backward pass, the line that moves weights by hand; where its rate is a name, the line that set it."""
    tree = parse(backward)
    if tree is None or backward.line is None:
        return backward
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr) or not 0 < node.lineno - backward.line < 12:  # fmt: skip
            continue
        if not any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in ast.walk(node.value)):
            continue
        rates = [n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)]
        for name in rates:
            bound = _binding(tree, name, node.lineno)
            if bound is not None and isinstance(bound.value, ast.Constant):
                return Place(backward.file, bound.line)
        return Place(backward.file, node.lineno)
    return backward


def bound_line(place: Place, name: str) -> Place:
    """The line that bound a name before a line.

    Args:
        place: The line.
        name: Of a variable.
    """
    tree = parse(place)
    if tree is None or place.line is None:
        return Place()
    found = _binding(_scope(tree, place.line), name, place.line) or _binding(tree, name, 10**9)
    return Place() if found is None else Place(place.file, found.line)


def loop_of(place: Place) -> Place:
    """The outermost loop around a line."""
    tree = parse(place)
    if tree is None or place.line is None:
        return place
    around = [n for n in ast.walk(tree) if isinstance(n, ast.For | ast.While) and n.lineno <= place.line <= (n.end_lineno or 0)]  # fmt: skip
    if around:
        return Place(place.file, min(n.lineno for n in around))
    function = _scope(tree, place.line)
    call = _first_call(tree, function) if isinstance(function, ast.FunctionDef) else None
    return place if call is None else loop_of(Place(place.file, call.lineno))


def loops_around(place: Place) -> int:
    """How many loops stand around a line, those around the first call of its function too."""
    tree = parse(place)
    if tree is None or place.line is None:
        return 0
    scope = _scope(tree, place.line)
    around = [n for n in ast.walk(scope) if isinstance(n, ast.For | ast.While) and n.lineno <= place.line <= (n.end_lineno or 0)]  # fmt: skip
    call = _first_call(tree, scope) if isinstance(scope, ast.FunctionDef) else None
    return len(around) + (loops_around(Place(place.file, call.lineno)) if call is not None else 0)


def _first_call(tree: ast.Module, function: ast.FunctionDef) -> ast.Call | None:
    """The first call of a function from outside of it."""
    for node in ast.walk(tree):
        called = isinstance(node, ast.Call) and (getattr(node.func, "id", None) or getattr(node.func, "attr", None))  # fmt: skip
        if isinstance(node, ast.Call) and called == function.name and not function.lineno <= node.lineno <= (function.end_lineno or 0):  # fmt: skip
            return node
    return None


def containing(places: list[Place], words: tuple[str, ...]) -> Place | None:
    """The first of some lines that holds one of some words."""
    for place in places:
        text = linecache.getline(str(place.file), place.line or 0)
        if any(word in text for word in words):
            return place
    return None


def inside(places: list[Place], words: tuple[str, ...]) -> Place | None:
    """The first line with one of some words within a class of the user's that is made in one of some lines."""
    tree = parse(places[0]) if places else None
    classes = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)} if tree else {}
    for place in places:
        text = linecache.getline(str(place.file), place.line or 0)
        for name, body in classes.items():
            if f"{name}(" in text:
                lines = [Place(place.file, k) for k in range(body.lineno, (body.end_lineno or body.lineno) + 1)]  # fmt: skip
                found = containing(lines, words)
                if found is not None:
                    return found
    return None


def parse(place: Place) -> ast.Module | None:
    """The syntax tree of a file, if it can be read."""
    if place.file is None:
        return None
    return _parsed("".join(linecache.getlines(place.file)))


@lru_cache(maxsize=8)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def named_option(place: Place, option: str) -> Place | None:
    """The line of a keyword argument within the call in a line.

    Args:
        place: A line with a call.
        option: Such as ``"batch_size"``.
    """
    tree = parse(place)
    call = _call(tree, place.line) if tree is not None and place.line is not None else None
    if call is None:
        return None
    keyword = next((k for node in ast.walk(call) if isinstance(node, ast.Call) for k in node.keywords if k.arg == option), None)  # fmt: skip
    return None if keyword is None else Place(place.file, keyword.value.lineno)


def _call(tree: ast.Module, line: int) -> ast.Call | None:
    """The outermost call that spans a line."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.lineno <= line <= (n.end_lineno or 0)]  # fmt: skip
    exact = [n for n in calls if n.lineno == line] or calls
    return max(exact, key=lambda n: len(ast.dump(n)), default=None)


def _names(expression: ast.expr, *, indices: bool = True) -> list[str]:
    """Names and attributes of ``self`` in the arguments, in order, without those that are called."""
    called = {id(n.func) for n in ast.walk(expression) if isinstance(n, ast.Call)}
    owners = {id(n.value) for n in ast.walk(expression) if isinstance(n, ast.Attribute) and id(n) in called and isinstance(n.value, ast.Name) and n.value.id in {"torch", "F", "nn", "np", "self"}}  # fmt: skip
    found: list[tuple[int, int, str]] = []
    hidden = set() if indices else {id(n) for s in ast.walk(expression) if isinstance(s, ast.Subscript) for n in ast.walk(s.slice)}  # fmt: skip
    called |= hidden
    for node in ast.walk(expression):
        if id(node) in called or id(node) in owners:
            continue
        if isinstance(node, ast.Name) and node.id not in {"torch", "F", "nn", "np", "self", "float", "len"}:  # fmt: skip
            found.append((node.lineno, node.col_offset, node.id))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":  # fmt: skip
            found.append((node.lineno, node.col_offset, "self." + node.attr))
    return [name for _, _, name in sorted(found)]


def _follow(tree: ast.Module, name: str, line: int, found: list[Binding], *, last: bool) -> None:
    if len(found) >= MOST:
        return
    scope = _scope(tree, line)
    binding = _binding(scope, name, line) or (_binding(tree, name, line) if scope is not tree else None)  # fmt: skip
    if binding is None:
        if isinstance(scope, ast.FunctionDef):
            _from_caller(tree, scope, name, found, last=last)
        return
    found.append(binding)
    inner = _names(binding.value)
    if binding.is_part or name in inner:
        _follow(tree, name, binding.line, found, last=last)
    elif inner:
        known = [n for n in inner if _binding(scope, n, binding.line) or _binding(tree, n, binding.line) or isinstance(scope, ast.FunctionDef)]  # fmt: skip
        if known:
            _follow(tree, known[-1 if last and len(known) > 1 else 0], binding.line, found, last=last)  # fmt: skip


def _scope(tree: ast.Module, line: int) -> ast.Module | ast.FunctionDef:
    """The innermost function around a line."""
    around = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.lineno <= line <= (n.end_lineno or 0)]  # fmt: skip
    return max(around, key=lambda n: n.lineno, default=tree)


def _binding(scope: ast.AST, name: str, line: int) -> Binding | None:
    """The last binding of a name before a line; that of an attribute wherever it is."""
    found: list[Binding] = []
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AugAssign):
            targets, value = [node.target], ast.BinOp(node.target, node.op, node.value)
        elif isinstance(node, ast.For):
            targets, value = [node.target], node.iter
        elif isinstance(node, ast.Expr) and _shuffles(node.value):
            found += [Binding(node.lineno, a, True) for a in node.value.args[:1] if _binds(a, name)]  # type: ignore[attr-defined]
            continue
        else:
            continue
        at = value.lineno if isinstance(node, ast.For) else node.lineno
        for target in targets:
            if _binds(target, name):
                found.append(Binding(at, value, False))
            elif isinstance(target, ast.Subscript) and _binds(target.value, name):
                found.append(Binding(at, value, True))
    if name.startswith("self."):
        return found[-1] if found else None
    before = [b for b in found if b.line < line]
    return max(before, key=lambda b: b.line, default=None)


def _shuffles(value: ast.expr) -> bool:
    """``random.shuffle(rows)`` and the like change what a name holds."""
    return isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "shuffle"


def _binds(target: ast.expr, name: str) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return any(_binds(entry, name) for entry in target.elts)
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return f"{target.value.id}.{target.attr}" == name
    return isinstance(target, ast.Name) and target.id == name


def _from_caller(tree: ast.Module, function: ast.FunctionDef, name: str, found: list[Binding], *, last: bool) -> None:  # fmt: skip
    """A parameter: what the first call of the function gives for it."""
    names = [a.arg for a in function.args.args if a.arg != "self"]
    if name not in names:
        return
    k = names.index(name)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        given = node.args[k] if called == function.name and len(node.args) > k else None
        inner = _names(given) if given is not None else []
        if inner:
            _follow(tree, inner[-1 if last else 0], node.lineno, found, last=last)
            return


def _converts(statement: ast.Assign | ast.AugAssign) -> bool:
    """Whether a statement calls something that makes other values of a tensor."""
    names = {getattr(n.func, "attr", None) for n in ast.walk(statement) if isinstance(n, ast.Call)}
    return bool(names & {"float", "long", "one_hot", "to", "tensor", "as_tensor", "sign", "argmax", "round", "clamp", "where", "from_numpy", "FloatTensor", "Tensor", "cat", "stack", "hstack", "column_stack", "concatenate"})  # fmt: skip


def _computes(statement: ast.Assign | ast.AugAssign) -> bool:
    """Whether a statement does arithmetic outside of indices."""
    if isinstance(statement, ast.AugAssign):
        return True
    inside = {id(n) for s in ast.walk(statement) if isinstance(s, ast.Subscript) for n in ast.walk(s.slice)}  # fmt: skip
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ARITHMETIC) and id(n) not in inside for n in ast.walk(statement.value))  # fmt: skip
