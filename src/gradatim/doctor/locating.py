"""The lines that findings on data should name: where rows, their order and their targets come from."""

from typing import TYPE_CHECKING

from gradatim.doctor.facts import Facts, Place
from gradatim.doctor.origins import (
    containing,
    inside,
    loop_of,
    made_by,
    made_tensor,
    named_option,
    origins,
    scaled,
)
from gradatim.doctor.places import source

if TYPE_CHECKING:
    from gradatim.doctor.observing import Observer

SHUFFLING = ("perm", "shuffle", "flip", "roll", "randint", "sort")
SPLITTING = ("[", "split")


def locate(observer: "Observer", facts: Facts) -> None:
    """Note among the facts of the rows where they come from.

    Args:
        observer: Who knows the loader.
        facts: Of the run.
    """
    call, places = facts.data.place, facts.data.origins
    loader = observer.hooks.loader
    inputs, drawn = origins(call), origins(call, last=True)
    places["inputs"], places["columns"] = scaled(call), made_tensor(call)
    if loader is not None and loader.made.line is not None:
        places["order"] = loader.made
        places["draw"] = loader.place
        places["batch-size"] = named_option(loader.made, "batch_size") or loader.made
    elif drawn:
        places["order"] = places["draw"] = places["batch-size"] = drawn[0]
    term = next((t for t in facts.losses if t.line is not None), None)
    if term is not None:
        targets = origins(Place(term.file, term.line), last=True, indexed=True)
        if targets:
            places["targets"] = made_by(Place(term.file, term.line))
            places["pairing"] = (
                _mixed(targets) or _mixed(inputs) or inside(targets, SHUFFLING) or targets[-1]
            )
    judged = facts.witness("overlap").place
    if judged.line is not None:
        places["validation"] = scaled(judged)
        places["split"] = containing(origins(judged), SPLITTING) or judged
    backward = facts.witness("backward").place
    if backward.line is not None:
        places["loop"] = loop_of(backward)


def _mixed(places: list[Place]) -> Place | None:
    """The first of some lines that puts rows in another order, but not batch by batch."""
    outside = [p for p in places if not source(p).startswith("for ") and "shuffle=" not in source(p)]  # fmt: skip
    return containing(outside, SHUFFLING)
