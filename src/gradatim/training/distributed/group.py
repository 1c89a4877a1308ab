"""The processes of a run, as each of them sees it; alone, a group of one that waits for nobody."""

import json
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor

from gradatim.errors import GradatimError
from gradatim.files import pack_tree, unpack_tree
from gradatim.training.distributed.signals import Signals


class Lost(GradatimError):
    """The others can no longer be reached."""

    exit_code = 1


class Group:
    """A process among those that train one model.

    Args:
        rank: Its number, from 0.
        world_size: How many there are.
        store: Where they leave notes for each other; ``None`` for one process alone.
        timeout: Seconds to wait for another process.
        signals: What this process was asked by the system.

    Attributes:
        is_sharded: Whether each holds a shard of the model, so that all must ask it the same number of times.

    Example:
        >>> alone = Group()
        >>> alone.is_first, alone.is_alone, alone.sum(torch.ones(2)), alone.gather("a note")
        (True, True, tensor([1., 1.]), ['a note'])
    """

    def __init__(
        self,
        rank: int = 0,
        world_size: int = 1,
        store: Any = None,
        timeout: float = 600.0,
        signals: Signals | None = None,
    ) -> None:
        self.rank, self.world_size, self.store, self.timeout = rank, world_size, store, timeout
        self.signals, self.has_failed = signals or Signals(), False
        self.is_sharded = False

    @property
    def is_first(self) -> bool:
        """Whether this is the process that speaks and writes for all."""
        return self.rank == 0

    @property
    def is_alone(self) -> bool:
        """Whether there is no other process."""
        return self.world_size == 1

    def sum(self, tensor: Tensor) -> Tensor:
        """Replace a tensor by its sum over all processes."""
        self.begin_sum(tensor)()
        return tensor

    def begin_sum(self, tensor: Tensor) -> Callable[[], None]:
        """Begin to replace a tensor by its sum over all processes; what is returned waits for the end of it."""
        if self.is_alone:
            return nothing
        with reaching():
            work = dist.all_reduce(tensor, async_op=True)

        def wait() -> None:
            with reaching():
                work.wait()

        return wait

    @torch.no_grad()
    def broadcast(self, tensors: list[Tensor]) -> None:
        """Replace tensors on one device by those of the first process; one message carries them all, as bytes."""
        if self.is_alone or not tensors:
            return
        parts = [tensor.reshape(-1).view(torch.uint8) for tensor in tensors]
        flat = torch.cat(parts)
        with reaching():
            dist.broadcast(flat, 0)
        for tensor, part in zip(tensors, flat.split([len(p) for p in parts]), strict=True):
            tensor.copy_(part.clone().view(tensor.dtype).view(tensor.shape))

    def gather(self, note: Any) -> list[Any]:
        """Return what every process has noted, plain values, by rank."""
        if self.is_alone:
            return [note]
        own = torch.frombuffer(bytearray(json.dumps(note).encode()), dtype=torch.uint8)
        lengths = torch.zeros(self.world_size, dtype=torch.long)
        lengths[self.rank] = len(own)
        longest = int(self.sum(lengths).max())
        texts = [torch.zeros(longest, dtype=torch.uint8) for _ in range(self.world_size)]
        with reaching():
            dist.all_gather(texts, F.pad(own, (0, longest - len(own))))
        pairs = zip(texts, lengths.tolist(), strict=True)
        return [json.loads(text[:length].numpy().tobytes()) for text, length in pairs]

    def gather_trees(self, tree: Any) -> list[Any]:
        """Return the trees of all processes, by rank: dictionaries and lists of tensors and plain values."""
        if self.is_alone:
            return [tree]
        tensors: dict[str, Tensor] = {}
        packed = pack_tree(tree, tensors)
        kinds = {
            k: [str(t.dtype).removeprefix("torch."), list(t.shape)] for k, t in tensors.items()
        }
        notes, trees = self.gather([packed, kinds]), []
        for rank, (form, parts) in enumerate(notes):
            found = {}
            for name, (kind, shape) in parts.items():
                is_own = rank == self.rank
                part = tensors[name] if is_own else torch.empty(shape, dtype=getattr(torch, kind))
                with reaching():
                    dist.broadcast(part, rank)
                found[name] = part
            trees.append(unpack_tree(form, found))
        return trees


ALONE = Group()


def nothing() -> None:
    """Wait for nobody, wish for nothing."""
    return


class reaching:  # noqa: N801 - a context, named as one
    """While inside, an error of the network or of a store is :class:`Lost`."""

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None and is_lost(error):
            raise Lost(str(error).splitlines()[0]) from error


_SIGNS = ("gloo", "Connection", "connection", "Timed out", "timeout", "Timeout", "NCCL", "Broken pipe", "Socket")  # fmt: skip


def is_lost(error: BaseException) -> bool:
    """Whether an error says that another process cannot be reached.

    >>> is_lost(RuntimeError("[.../gloo/transport/tcp/pair.cc:547] Connection closed by peer")), is_lost(ValueError("no"))
    (True, False)
    """
    if isinstance(error, Lost | dist.DistError):
        return True
    is_technical = isinstance(error, RuntimeError | OSError) and not isinstance(error, GradatimError)  # fmt: skip
    return is_technical and any(sign in str(error) for sign in _SIGNS)


def sum_gradients(parameters: list[Tensor], group: Group, factor: float) -> None:
    """Replace gradients by their sum over all processes, each times the factor of its process.

    Args:
        parameters: Whose gradients they are; those without one are left out, the same in all processes.
        group: The processes.
        factor: Of this process.
    """
    gradients = [p.grad for p in parameters if p.grad is not None]
    if not gradients:
        return
    if factor != 1.0:
        torch._foreach_mul_(gradients, factor)
    if group.is_alone:
        return
    flat = torch.cat([g.reshape(-1) for g in gradients])
    group.sum(flat)
    for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
        gradient.copy_(part.view_as(gradient))
