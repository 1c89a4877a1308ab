"""An exception as facts: its words, the user's line, and which layer expected what."""

import re
import traceback
from typing import TYPE_CHECKING, Any

from torch import nn

from gradatim.doctor.facts import Failure, Place
from gradatim.doctor.holding import held_tensors
from gradatim.doctor.losing import Lost
from gradatim.doctor.origins import made_by, made_tensor
from gradatim.doctor.places import is_library, source
from gradatim.doctor.rules.crash import kind_of

if TYPE_CHECKING:
    from gradatim.doctor.observing import Observer

LABELS = (
    (r"Target (-?\d+) is out of bounds", "label {0} is outside 0 … C−1, C being the number of outputs", "Number the classes from 0 (subtract 1 if they start at 1), and give the last layer one output per class."),
    (r"multi-target not supported", "the labels have shape (N, 1) or are one-hot integers, where cross_entropy wants N class numbers", "Pass labels of shape (N): y.squeeze(1), or y.argmax(1) for one-hot rows."),
    (r"only batches of spatial targets supported.*but got targets of (?:dimension|size)", "the labels have an axis too many, where cross_entropy wants one class number per place: (N, height, width)", "Drop the axis of size 1: mask.squeeze(1)."),
    (r"expected scalar type Long but found (\w+)", "cross_entropy wants class numbers as int64, and gets {0}", "Convert the labels: y.long() (and y.squeeze(1) if they have shape (N, 1))."),
    (r"expected target dtype to be Long or Byte, but got (\w+)", "cross_entropy wants class numbers as int64, and gets {0}", "Convert the labels: y.long() (and y.squeeze(1) if they have shape (N, 1))."),
    (r"nll_loss.*not implemented for '(\w+)'", "the loss wants class numbers as int64, and gets {0}", "Convert the labels: y.long()."),
    (r"Expected floating point type for target with class probabilities, got (\w+)", "one-hot labels of type {0} go where class numbers or probabilities are meant", "Pass class numbers: y.argmax(1), or one-hot rows as float."),
    (r"all elements of target should be between 0 and 1", "binary_cross_entropy wants targets from 0 to 1", "Map the two classes to 0.0 and 1.0."),
    (r"CUDA error: device-side assert", "a label or index is out of bounds (on the GPU it is reported late)", "Check that labels are within 0 … C−1; run once on the CPU for the exact line."),
)  # fmt: skip
MORE = re.compile(r"shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)")
CHANNELS = re.compile(r"expected input\[(.*?)\] to have (\d+) channels, but got (\d+) channels")
LAST = re.compile(r"input\.size\(-1\) must be equal to input_size\. Expected (\d+), got (\d+)")


def describe_failure(error: BaseException, observer: "Observer | None" = None) -> Failure:
    """Turn an exception into facts.

    Args:
        error: As it was caught, with its traceback.
        observer: Who knows the layers.
    """
    message = str(error)
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not is_library(f.filename)]
    last = own[-1] if own else None
    place = Place(last.filename, last.lineno) if last else Place()
    failure = Failure(type(error).__name__, message, place, source(place))
    if isinstance(error, SyntaxError):
        failure.place = Place(error.filename, error.lineno)
    failure.numbers = _meaning(failure, error) | _layer(error, message, observer)
    if failure.numbers.get("kind") == "labels":
        failure.place = made_by(failure.place)
    layer_place = failure.numbers.pop("place", None)
    if kind_of(failure) == "crash.device":
        failure.place = _outermost(frames) or failure.place
    elif kind_of(failure) == "crash.dtype" and "ouble" in message:
        failure.place = made_tensor(_outermost(frames) or failure.place)
    elif layer_place is not None and failure.numbers.get("expects"):
        failure.place = layer_place
    if observer is not None and observer.lost is not None:
        _name_lost(failure, observer.lost)
    if kind_of(failure) == "crash.memory":
        failure.numbers |= held_tensors()
    return failure


def _outermost(frames: traceback.StackSummary) -> Place | None:
    """The user's line that called the model."""
    place = None
    for frame in frames:
        if not is_library(frame.filename):
            place = Place(frame.filename, frame.lineno)
        elif frame.name in {"_wrapped_call_impl", "_call_impl"} and place is not None:
            return place
    return None


def _name_lost(failure: Failure, lost: Lost) -> None:
    """The line that changed a tensor, or the one that needs it."""
    failure.numbers["needs"] = lost.operation
    if lost.place.line is not None:
        failure.numbers["line"] = lost.place.line
    place = lost.changed if lost.changed.line is not None else lost.place
    if place.line is not None:
        failure.place = place


def _meaning(failure: Failure, error: BaseException) -> dict[str, Any]:
    message = failure.message
    for pattern, cause, remedy in LABELS:
        match = re.search(pattern, message)
        if match and ("Long" not in pattern or _in_loss(error)):
            return {"kind": "labels", "cause": cause.format(*match.groups()), "remedy": remedy}
    if "does not require grad" in message:
        return {"kind": "detached"}
    if match := re.search(r"Function '(\w+?)Backward\d*' returned nan values", message):
        return {"kind": "nan", "operation": match[1].lower()}
    if "empty parameter list" in message:
        return {"kind": "empty-parameters"}
    return {}


def _in_loss(error: BaseException) -> bool:
    names = [f.name for f in traceback.extract_tb(error.__traceback__)[-3:]]
    return any(name in {"cross_entropy", "nll_loss"} for name in names)


def _layer(error: BaseException, message: str, observer: "Observer | None") -> dict[str, Any]:
    """The module in whose forward it happened: what it expects, what came."""
    module, trace = None, error.__traceback__
    shapes = ""
    while trace is not None:
        owner = trace.tb_frame.f_locals.get("self")
        if trace.tb_frame.f_code.co_name == "forward" and isinstance(owner, nn.Module):
            module = owner
            given = [v for v in trace.tb_frame.f_locals.values() if hasattr(v, "shape")]
            shapes = f"{tuple(given[0].shape)}" if given else ""
        trace = trace.tb_next
    if module is None:
        return {}
    told: dict[str, Any] = {"layer_type": type(module).__name__}
    if observer is not None:
        observer.calls.roots.update(
            [(m, True) for m in observer.calls.made if not observer.calls.roots]
        )
        observer.safely("names", observer.calls.learn_names)
        told["layer"] = observer.calls.name(module)
        made = observer.calls.made.get(module)
        if made is not None and made.line is not None and not any(True for _ in module.children()):
            told["place"] = Place(made.file, made.line, told["layer"])
    return told | _sizes(module, message, shapes)


def _sizes(module: nn.Module, message: str, shapes: str) -> dict[str, Any]:
    if (match := MORE.search(message)) and isinstance(module, nn.Linear):
        came, wants = int(match[2]), module.in_features
        return {"expects": f"{wants} features", "came": f"{came} (input of shape {shapes})", "remedy": f"Make it nn.Linear({came}, {module.out_features}), or reshape what comes to (N, {wants})."}  # fmt: skip
    if match := CHANNELS.search(message):
        return {"expects": f"{match[2]} channels", "came": f"{match[3]} (input of shape {shapes})", "remedy": f"Set its input channels to {match[3]}; images are (N, channels, height, width)."}  # fmt: skip
    if match := LAST.search(message):
        return {"expects": f"{match[1]} features per step", "came": f"{match[2]} (input of shape {shapes})", "remedy": f"Set input_size to {match[2]}; with batch_first=True the axes are (batch, time, features)."}  # fmt: skip
    return {}
