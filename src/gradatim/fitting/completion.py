"""After the test: the finalists learn all rows, those of the test included, and these models are written.

What the rows of the test could tell was told, once, and settings stay as they are: more rows make the models better, and
the figures are those of the models before, which saw fewer.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gradatim.events import Stage, Tell
from gradatim.fitting.player import FAILURES, Candidate, Player
from gradatim.fitting.work import Work
from gradatim.threads import limit_threads, safe_threads

DONE = (
    "After the test the models were trained on all the data, the test {0} included; all figures are those of the models "
    "before, which had not seen these {0}."
)


Build = Callable[[Mapping[str, Any]], dict[str, Any]]


class Completion(NamedTuple):
    """The models that are written.

    Args:
        models: By name.
        is_done: Whether they have learned the test rows too.
        sentence: What was done, in words.
    """

    models: dict[str, Any]
    is_done: bool
    sentence: str


def complete_models(
    player: Player,
    candidates: Sequence[Candidate],
    models: Mapping[str, Any],
    work: Work,
    *,
    build: Build,
    has_time: bool,
    keep_test_out: bool,
    is_sample: bool = False,
    tell: Tell,
) -> Completion:
    """Train the finalists on all rows, all of them or none, so that what is written belongs together.

    Args:
        player: The data.
        candidates: The finalists.
        models: What they learned from the training rows, by name.
        work: Looked at for a wish to end, and where the decision is kept, so that a resumed run makes the same.
        build: Makes models of those that were trained, by name.
        has_time: Whether the budget leaves time for it.
        keep_test_out: Whether the user wants the test rows left out.
        is_sample: Whether the data are a sample of more, from which a model has learned already.
        tell: Called with what is being done.
    """
    kept, things = dict(models), player.things
    if keep_test_out:
        return Completion(kept, False, f"The test {things} were kept out of the models, as asked.")
    if is_sample:
        return Completion(
            kept, False, f"The models have not learned the test {things}, which are few beside all."
        )
    if not work.recall("test-rows-added", lambda: has_time):
        words = f"The models have not learned the test {things}: the budget leaves no time. Try a longer --budget."
        return Completion(kept, False, words)
    tell(Stage(f"training on all {things}", 0.6))
    try:
        for candidate in candidates:
            work.cancel.check()
            with limit_threads(safe_threads()):
                kept[candidate.name] = player.complete(candidate, models[candidate.name])
    except FAILURES:
        words = f"The models have not learned the test {things}: a training on all {things} failed."
        return Completion(dict(models), False, words)
    return Completion(kept | build(kept), True, DONE.format(things))
