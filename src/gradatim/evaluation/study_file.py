"""Where a search keeps its trials: a journal of Optuna, one line for every event, or a database."""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gradatim.errors import GradatimError, InvalidValue, Unavailable
from gradatim.evaluation.scoring import Score
from gradatim.files import check_output, first_line, or_unavailable

STUDY = "tune"  # the name of a search in its file
ATTEMPTS = 5  # of processes that create the tables of a database at once, one is first


def open_study(place: str | Path | None, metric: Score, identity: Mapping[str, Any]) -> Any:
    """Open the study of a search, or begin one; that of another search is refused.

    Args:
        place: A file, the URL of a database, or ``None`` for memory.
        metric: Says which way is better.
        identity: What the study must be of.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    store = optuna.create_study(
        study_name=STUDY,
        storage=_open_storage(place),
        load_if_exists=True,
        direction="maximize" if metric.higher_is_better else "minimize",
        pruner=optuna.pruners.MedianPruner(n_startup_trials=3),
    )
    kept = json.loads(store.user_attrs.get("job", json.dumps(identity)))
    others = [name for name in identity if kept.get(name) != identity[name]]
    if others:
        raise InvalidValue(
            f"tune: study must be a file of the same search, got '{place}' of one with other {', '.join(others)}. "
            "Choose another file."
        )
    if "job" not in store.user_attrs:
        store.set_user_attr("job", json.dumps(identity))
    return store


def _open_storage(place: str | Path | None) -> Any:
    if place is None:
        return None
    return open_database(str(place)) if "://" in str(place) else open_journal(place)


def open_database(url: str) -> Any:
    """Open a database that SQLAlchemy knows, such as ``sqlite:///study.db`` or ``postgresql://host/name``.

    Args:
        url: Which; processes of several machines can share one on a server.
    """
    from optuna.storages import RDBStorage
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

    rule = "tune: study must be a file or the URL of a database"
    waiting = {"connect_args": {"timeout": 60}} if url.startswith("sqlite") else {}
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return RDBStorage(url, engine_kwargs=waiting)
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            reason = " ".join(str(error).split()).rstrip(".")
            raise InvalidValue(f"{rule}, got '{url}' ({reason}). Try sqlite:///study.db.") from error  # fmt: skip
        except (SQLAlchemyError, RuntimeError) as error:
            if attempt == ATTEMPTS or "already exists" not in str(error):
                reason = " ".join(str(getattr(error, "orig", None) or error).split()).rstrip(".")
                raise Unavailable(f"tune: {url} cannot be used ({reason}).") from error
        time.sleep(0.1 * attempt)
    raise AssertionError("unreachable")


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
            lock = JournalFileOpenLock(str(real))
            lock.acquire()  # nobody else is in the middle of a line
            try:
                _drop_half_line(real)
            finally:
                lock.release()
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
