"""Mistakes in what was typed, in one or two plain lines with the nearest valid word."""

from typing import Any

from gradatim.errors import nearest_first


def is_usage_error(error: Exception) -> bool:
    """Whether the parser of the command line raised ``error``."""
    return hasattr(error, "format_message") and hasattr(error, "ctx")


def usage_message(error: Any) -> str:
    """Say what is wrong and where the help is."""
    context = error.ctx
    path = context.command_path if context else "gradatim"
    message = _unknown_command(error) or _unknown_option(error) or _sentence(error.format_message())
    return f"{path}: {message}\nSee '{path} --help'."


def _sentence(text: str) -> str:
    text = " ".join(text.split()).replace("[", "").replace("]", "")
    return text[:1].lower() + text[1:].rstrip(".") + "."


def _unknown_command(error: Any) -> str | None:
    if not error.format_message().startswith("No such command") or error.ctx is None:
        return None
    # the parser keeps the words it could not place; the first is the unknown command
    typed = error.message.split("'")[1]
    return f"no command {typed!r}. Did you mean {nearest_first(typed, error.ctx.command.commands)[0]!r}?"


def _unknown_option(error: Any) -> str | None:
    typed = getattr(error, "option_name", None)
    if typed is None or not error.message.startswith("No such option") or error.ctx is None:
        return None
    options = [
        name for option in error.ctx.command.params for name in option.opts if name[0] == "-"
    ]
    return f"no option {typed!r}. Did you mean {nearest_first(typed, [*options, '--help'])[0]!r}?"
