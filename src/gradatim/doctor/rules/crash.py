"""Rules on exceptions: what the words of PyTorch mean."""

import re

from gradatim.doctor.facts import Facts, Failure
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, make

SHAPE = re.compile(
    r"shapes? cannot be multiplied|must match|size mismatch|expected .*dim|Expected .*D |expected input.*to have|shape '.*' is invalid"
    r"|broadcast|Given groups|same size|Sizes of tensors|inconsistent tensor size|input\.size|Dimension out of range|"
    r"mat1 and mat2|normalized_shape|expected hidden|batch_size .* to match|incorrect batch size|Target size|embed_dim|"
    r"Expected more than 1 value per channel|Calculated padded input size|Kernel size can't be greater|"
    r"stack expects each tensor to be equal size|too many values to unpack|running_mean should contain|Input batch size|"
    r"not divisible|dimensions? specified|invalid for input of size|not equal|index out of range in self|Output size is too small|"
    r"Expected hidden|batch size|number of dimensions|same number of dimensions"
)  # fmt: skip
DTYPE = re.compile(
    r"same dtype|expected scalar type|Found dtype|expected .*(Float|Double|Long|Int|Half|Bool)|dtype|"
    r"only Tensors of floating point|one of the following scalar types|can't be cast|not implemented for '(Long|Int|Bool|Double|Half|Byte|Char)|result type"
)  # fmt: skip
DEVICE = re.compile(r"same device|device type|on cuda|on device|cuda:0|CUDA|No CUDA|not compiled with CUDA|MPS backend")  # fmt: skip
BACKWARD = re.compile(
    r"backward through the graph a second time|modified by an inplace operation|leaf Variable that requires grad|"
    r"a view of a leaf|grad can be implicitly created only for scalar|does not require grad|"
    r"leaf variable.*in-place|One of the differentiated Tensors"
)  # fmt: skip
MEMORY = re.compile(r"out of memory|can't allocate memory|not enough memory|MemoryError")
MANY_GRAPHS = 3  # losses that keep their graphs: one or two belong to the step under way


def kind_of(failure: Failure) -> str:
    """The code that an exception belongs to, by its words."""
    text = f"{failure.type}: {failure.message}"
    if failure.type in {"MemoryError", "OutOfMemoryError"} or MEMORY.search(text):
        return "crash.memory"
    if failure.type not in {"RuntimeError", "ValueError", "TypeError", "IndexError", "AssertionError", "NotImplementedError"}:  # fmt: skip
        return "crash.other"
    for code, words in (
        ("crash.backward", BACKWARD),
        ("crash.device", DEVICE),
        ("crash.dtype", DTYPE),
        ("crash.shape", SHAPE),
    ):
        if words.search(failure.message):
            return code
    return "crash.other"


def shape(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = _of(facts, "crash.shape")
    if failure is None:
        return None
    numbers = failure.numbers
    remedy = ""
    cause = _sentence("sizes do not fit", failure)
    if numbers.get("expects") and numbers.get("came"):
        cause = f"`{numbers.get('layer') or 'the layer'}` ({numbers.get('layer_type', '')}) expects {numbers['expects']}, but {numbers['came']} came"
        remedy = numbers.get("remedy", "")
    return make("crash.shape", failure.place, cause=cause, remedy=remedy, strength=0.9)


def dtype(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = _of(facts, "crash.dtype")
    if failure is None:
        return None
    text = failure.message
    remedy = ""
    if re.search(r"[Dd]ouble", text):
        remedy = "NumPy numbers are float64: convert inputs and targets with .float() (or torch.as_tensor(x, dtype=torch.float32))."  # fmt: skip
    elif re.search(r"Float|Long|Int|Byte", text):
        remedy = "Inputs must be float32 (.float()), class numbers int64 (.long())."
    return make("crash.dtype", failure.place, cause=_sentence("number types are mixed up", failure), remedy=remedy, strength=0.9)  # fmt: skip


def device(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = _of(facts, "crash.device")
    if failure is None:
        return None
    return make("crash.device", failure.place, cause=_sentence("tensors of different devices meet", failure), strength=0.9)  # fmt: skip


def backward(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = _of(facts, "crash.backward")
    if failure is None:
        return None
    text, remedy = failure.message, ""
    if "a second time" in text:
        cause = "backward is called a second time on a graph that is already used up: something computed in an earlier step is still in the loss"
        if failure.numbers.get("line"):
            cause += f", from line {failure.numbers['line']} on"
        remedy = "Compute everything in the loss anew in each step; carry a hidden state over with .detach()."
    elif "inplace" in text or "in-place" in text or "leaf" in text:
        cause = "a tensor that backward needs was changed in place"
        if failure.numbers.get("needs"):
            at = f" in line {failure.numbers['line']}" if failure.numbers.get("line") else ""
            cause += f": {failure.numbers['needs']}{at} needs it as it was"
        remedy = "Write x = x + 1 instead of x += 1 (and no activation with inplace=True there); update weights under torch.no_grad()."  # fmt: skip
    elif "implicitly" in text:
        cause = "backward is called on a loss with more than one number"
        remedy = "Reduce it first: loss.mean().backward()."
    else:
        cause = _sentence("the graph cannot be walked back", failure)
    return make("crash.backward", failure.place, cause=cause, remedy=remedy, strength=0.9)


def memory(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = _of(facts, "crash.memory")
    if failure is None:
        return None
    graphs, largest = failure.numbers.get("graphs", 0), failure.numbers.get("largest")
    cause = "memory is exhausted"
    if largest:
        cause += f"; most is held by tensors of shape {largest}"
    if graphs >= MANY_GRAPHS:
        cause += f"; {graphs} losses are kept with their whole graphs"
    return make("crash.memory", failure.place, cause=cause, strength=0.9)


def other(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = _of(facts, "crash.other")
    if failure is None:
        return None
    return make("crash.other", failure.place, cause=f"the script raised {failure.type}: {failure.message.splitlines()[0] if failure.message else 'no message'}", strength=0.3)  # fmt: skip


def _of(facts: Facts, code: str) -> Failure | None:
    failure = facts.failure
    return failure if failure is not None and kind_of(failure) == code else None


def _sentence(start: str, failure: Failure) -> str:
    first = failure.message.strip().splitlines()[0] if failure.message.strip() else failure.type
    return f"{start}: {first.rstrip('.')}"


RULES = {
    "crash.shape": shape,
    "crash.dtype": dtype,
    "crash.device": device,
    "crash.backward": backward,
    "crash.memory": memory,
    "crash.other": other,
}
