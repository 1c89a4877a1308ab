"""The lines that findings on data should name: where rows, their order and their targets come from."""

from typing import TYPE_CHECKING

from gradatim.doctor.facts import Facts, Place
from gradatim.doctor.origins import containing, loop_of, made_by, named_option, origins, scaled

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
    places["inputs"] = scaled(call)
    if loader is not None and loader.made.line is not None:
        places["order"] = loader.made
        places["draw"] = loader.place
        places["batch-size"] = named_option(loader.made, "batch_size") or loader.made
    elif drawn:
        places["order"] = places["draw"] = places["batch-size"] = drawn[0]
    term = next((t for t in facts.losses if t.line is not None), None)
    if term is not None:
        targets = origins(Place(term.file, term.line), last=True)
        if targets:
            places["targets"] = made_by(Place(term.file, term.line))
            places["pairing"] = containing(targets, SHUFFLING) or containing(inputs, SHUFFLING) or targets[-1]  # fmt: skip
    judged = facts.witness("overlap").place
    if judged.line is not None:
        places["validation"] = scaled(judged)
        places["split"] = containing(origins(judged), SPLITTING) or judged
    backward = facts.witness("backward").place
    if backward.line is not None:
        places["loop"] = loop_of(backward)
