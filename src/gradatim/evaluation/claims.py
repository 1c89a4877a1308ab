"""Who tries which choice, where several processes work on one study.

A claim is a running trial of the study that says which choice it is and who works on it. Of two claims of the same choice
the earlier holds: every process sees them in the order of the store. A claim is void where its process on this machine
is gone, or where it has given no sign of life for ``GRACE`` seconds, by the clock of the one who looks.
"""

import os
import platform
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

BEAT, GRACE = 5.0, 60.0  # seconds between signs of life; without one for so long, a process is gone


class Claims:
    """The claims of one process in a study.

    Args:
        store: The study, as Optuna has it.
        is_shared: Whether other processes may work on it.
    """

    def __init__(self, store: Any, *, is_shared: bool) -> None:
        self.store, self.is_shared = store, is_shared
        self.worker = f"{platform.node()}:{os.getpid()}"
        self._seen: dict[int, tuple[int, float]] = {}

    def finished(self) -> dict[int, Any]:
        """What was tried, by choice, in order; of a choice that was tried twice, the first."""
        found: dict[int, Any] = {}
        for trial in self._trials():
            if trial.state.is_finished() and "is_void" not in trial.user_attrs:
                found.setdefault(trial.user_attrs["choice"], trial)
        return dict(sorted(found.items()))

    def free(self, count: int) -> list[int]:
        """Of ``count`` choices those that nobody has tried or is trying."""
        self._void_the_dead()
        taken = {t.user_attrs["choice"] for t in self._trials() if "is_void" not in t.user_attrs}
        return [choice for choice in range(count) if choice not in taken]

    def claim(
        self, choice: int, places: Mapping[str, Any], distributions: Mapping[str, Any]
    ) -> Any | None:
        """Claim a choice; ``None`` where another was faster."""
        import optuna

        trial_id = self.store._storage.create_new_trial(
            self.store._study_id,
            optuna.trial.create_trial(
                state=optuna.trial.TrialState.RUNNING,
                params=dict(places),
                distributions=dict(distributions),
                user_attrs={"choice": choice, "worker": self.worker, "beats": 0},
            ),
        )
        rivals = [t for t in self._trials() if t.user_attrs["choice"] == choice]
        own = next(t for t in rivals if t._trial_id == trial_id)
        if any(t.number < own.number and "is_void" not in t.user_attrs for t in rivals):
            self.give_up(own)
            return None
        return own

    def tell(
        self, trial: Any, value: float | None, state: str, scores: Mapping[int, float]
    ) -> None:
        """Write down how a choice did, unless somebody took the claim for void meanwhile."""
        import optuna

        with suppress(optuna.exceptions.UpdateFinishedTrialError, RuntimeError, ValueError):
            for step, score in scores.items():
                self.store._storage.set_trial_intermediate_value(trial._trial_id, step, score)
        self.store.tell(
            trial.number, value, state=optuna.trial.TrialState[state], skip_if_finished=True
        )

    def give_up(self, trial: Any) -> None:
        """Let a choice be tried by others."""
        import optuna

        errors = (optuna.exceptions.OptunaError, RuntimeError, ValueError, KeyError)
        with suppress(*errors):  # somebody else did
            self.store._storage.set_trial_user_attr(trial._trial_id, "is_void", True)
            self.store.tell(trial.number, state=optuna.trial.TrialState.FAIL, skip_if_finished=True)

    @contextmanager
    def held(self, trials: list[Any]) -> Iterator[None]:
        """Give signs of life while choices are tried; where that ends by an error, give them up."""
        done = threading.Event()
        beating = threading.Thread(target=self._beat, args=(trials, done), daemon=True)
        if self.is_shared:
            beating.start()
        try:
            yield
        except BaseException:
            for trial in trials:
                self.give_up(trial)
            raise
        finally:
            done.set()
            if self.is_shared:
                beating.join()

    def _beat(self, trials: list[Any], done: threading.Event) -> None:
        import optuna

        beats = 0
        while not done.wait(BEAT):
            beats += 1
            for trial in trials:
                with suppress(optuna.exceptions.OptunaError, RuntimeError, ValueError, OSError):
                    self.store._storage.set_trial_user_attr(trial._trial_id, "beats", beats)

    def _trials(self) -> list[Any]:
        """The trials of choices; others, that somebody added by hand, are none of ours."""
        return [t for t in self.store.get_trials(deepcopy=False) if "choice" in t.user_attrs]

    def _void_the_dead(self) -> None:
        now = time.monotonic()
        for trial in self._trials():
            if trial.state.is_finished() or trial.user_attrs.get("worker") == self.worker:
                continue
            beats = trial.user_attrs.get("beats", 0)
            last, since = self._seen.get(trial.number, (-1, now))
            self._seen[trial.number] = (beats, since if beats == last else now)
            if now - self._seen[trial.number][1] > GRACE or _is_gone(trial.user_attrs["worker"]):
                self.give_up(trial)


def _is_gone(worker: str) -> bool:
    """Whether a worker was a process of this machine that has ended.

    >>> _is_gone(f"{platform.node()}:{os.getpid()}"), _is_gone("elsewhere:1")
    (False, False)
    """
    machine, _, process = worker.rpartition(":")
    if machine != platform.node() or os.name != "posix":
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
