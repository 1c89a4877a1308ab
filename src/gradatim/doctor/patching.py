"""Functions of PyTorch replaced by ones that look on, and put back."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

_MISSING = object()


class Patches:
    """Replacements that can be undone; the last made is undone first."""

    def __init__(self) -> None:
        self._undo: list[tuple[Any, str, Any]] = []

    def wrap(self, owner: Any, name: str, around: Callable[..., Any]) -> None:
        """Replace ``owner.name`` by a call of ``around(original, *arguments)``."""
        original = getattr(owner, name)

        @wraps(original)
        def replaced(*arguments: Any, **named: Any) -> Any:
            return around(original, *arguments, **named)

        self.put(owner, name, replaced)

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Set ``owner.name``, remembering what stood there."""
        self._undo.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def undo(self) -> None:
        """Put everything back."""
        while self._undo:
            owner, name, value = self._undo.pop()
            with suppress(AttributeError):
                if value is _MISSING:
                    delattr(owner, name)
                else:
                    setattr(owner, name, value)


class Safely:
    """Runs the doctor's own code inside the user's run: what fails is noted and never tried again."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._off: set[str] = set()

    def __call__(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what ``function`` returns; None once it failed."""
        if name in self._off:
            return None
        try:
            return function(*arguments)
        except Exception as error:
            self._off.add(name)
            reason = " ".join(str(error).split())[:200]
            self.notes.append(f"{name} was switched off: {type(error).__name__}: {reason}")
            return None
