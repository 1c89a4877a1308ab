"""The options of ``gradatim fit``, made from the records of the kinds of data."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import Field, fields
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from gradatim.cli.fit import fit


def sections() -> dict[str, dict[str, str]]:
    """Help by name of option, under a heading for every kind of data."""
    from gradatim.fitting.kinds import KINDS
    from gradatim.fitting.options import ContestOptions, Options

    shared = {o.name: _help(o) for o in fields(Options)}
    contest = {o.name: _help(o) for o in fields(ContestOptions) if o.name not in shared}
    found = {"Options": shared, contest_title(): contest}
    for kind in KINDS.values():
        flag = {kind.flag: kind.flag_help} if kind.flag else {}
        own = {o.name: _help(o) for o in kind.own.values() if o.name not in contest}
        found[kind.title] = flag | own
    return found


def contest_title() -> str:
    """Heading of what all kinds of data take that have a contest.

    Example:
        >>> contest_title().startswith("Tables, texts, ")
        True
    """
    from gradatim.fitting.kinds import KINDS
    from gradatim.fitting.options import ContestOptions

    titles = [k.title.lower() for k in KINDS.values() if issubclass(k.options, ContestOptions)]
    return f"{', '.join(titles[:-1])} and {titles[-1]}".capitalize()


def _help(option: "Field[Any]") -> str:
    shown = option.metadata["shown"]
    return option.metadata["help"] + (f"  [default: {shown}]" if shown else "")


def takes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take every option of every kind; those that were typed are passed on by name."""

    @wraps(command)
    def run(**values: Any) -> None:
        command(**{n: v for n, v in values.items() if v is not None and v is not False and v != []})

    own = inspect.signature(command).parameters.values()
    parameters = [p for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in dict(_annotations()).items()
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _annotations() -> Iterator[tuple[str, Any]]:
    """Type and declaration of every option, by name; a kind may share the name of another."""
    from gradatim.fitting.kinds import KINDS
    from gradatim.fitting.options import Options

    for option in (*fields(Options), *(o for kind in KINDS.values() for o in kind.own.values())):
        yield option.name, _annotation(option.name, option.type, option.metadata)
    for kind in KINDS.values():
        if kind.flag:
            yield kind.flag, _annotation(kind.flag, bool, {"metavar": ""})


def _annotation(name: str, kind: Any, facts: Any) -> Any:
    words = [f"--{name.replace('_', '-')}", *(["-o"] if name == "output" else [])]
    declared = typer.Option(*words, metavar=facts["metavar"] or None, show_default=False)
    if kind == tuple[str, ...]:
        return Annotated[list[str] | None, declared]
    known = {bool: bool, int: int, int | None: int}
    return Annotated[known.get(kind, str) | None, declared]


class FitCommand(TyperCommand):
    """The command with the options of every kind of data; they are read when it is called, not for others."""

    is_whole = False

    def get_params(self, ctx: Any) -> list[Any]:
        if not self.is_whole:
            template = typer.Typer(add_completion=False)
            template.command()(takes_options(fit))
            whole = typer.main.get_command(template)
            self.params, self.callback, self.is_whole = whole.params, whole.callback, True
        return super().get_params(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        records = {param.name: param.get_help_record(ctx) for param in self.get_params(ctx)}
        with formatter.section("Arguments"):
            formatter.write_dl([records.pop("data")])
        listed = sections()
        named = {name for helps in listed.values() for name in helps}
        others = [record for name, record in records.items() if name not in named and record]
        for title, helps in listed.items():
            lines = [(records[name][0], text) for name, text in helps.items()]
            with formatter.section(title):
                formatter.write_dl(lines + (others if title == "Options" else []))
