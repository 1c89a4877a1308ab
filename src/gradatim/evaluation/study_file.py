"""The file in which a search keeps its trials: a journal of Optuna, one line for every event."""

import json
import os
from pathlib import Path
from typing import Any

from gradatim.errors import GradatimError, InvalidValue
from gradatim.files import check_output, first_line, or_unavailable

STUDY = "tune"  # the name of a search in its file


def open_journal(path: str | Path) -> Any:
    """Open a file of trials, or begin one; a file that is none is refused and stays as it is.

    Args:
        path: The file. Half a line at its end, which a kill left, is dropped.
    """
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    real = check_output(path, "tune: study", is_ours=_is_journal)
    try:
        with or_unavailable(f"tune: {path} cannot be written"):
            real.parent.mkdir(parents=True, exist_ok=True)
            _drop_half_line(real)
            lock = JournalFileOpenLock(str(real))
            return JournalStorage(JournalFileBackend(str(real), lock_obj=lock))
    except GradatimError:
        raise
    except (ValueError, KeyError, TypeError, AssertionError) as error:
        raise InvalidValue(
            f"tune: study must be a whole file of trials, got '{path}', which is damaged. Choose another file."
        ) from error


def _is_journal(path: Path) -> bool:
    try:
        first = json.loads(first_line(path))
    except ValueError:
        return False
    return isinstance(first, dict) and first.get("study_name") == STUDY


def _drop_half_line(path: Path) -> None:
    if path.exists():
        content = path.read_bytes()
        os.truncate(path, content.rfind(b"\n") + 1)
