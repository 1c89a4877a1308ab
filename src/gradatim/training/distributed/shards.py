"""Folders of shards: every process writes its part of a checkpoint, without pickle, while training goes on.

Tensors go through ``torch.distributed.checkpoint`` into safetensors files, all else into ``state.json``, which comes last:
a folder is whole or absent.
"""

import json
import os
import shutil
import warnings
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from gradatim.errors import GradatimError, InvalidValue, Unavailable
from gradatim.files import pack_tree, unpack_tree
from gradatim.hashing import check_signed, hash_file, json_bytes, sign
from gradatim.training.distributed.group import Group

STATE, FOREIGN, KIND = "state.json", ".metadata", "checkpoint"


class ShardWriter:
    """Writes one checkpoint at a time, in the background.

    Args:
        group: The processes, all of which call every method.
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        self.processes = dist.new_group(backend="gloo")  # of its own: it speaks while others train
        self.pending: Future[None] | None = None
        self.place = Path()

    def write(self, place: Path, state: Mapping[str, Any]) -> None:
        """Begin to write a state, once the one before is written.

        Args:
            place: The folder, which will be whole or absent.
            state: Tensors and plain values, the same in all processes where they are not sharded.
        """
        from torch.distributed.checkpoint import HuggingFaceStorageWriter, async_save

        self.wait()
        tensors: dict[str, Tensor] = {}
        packed = pack_tree(state, tensors)
        self.place, partial = place, place.with_name(f".{place.name}.partial")
        if self.group.is_first:
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
        self.group.sum(torch.zeros(1))  # the folder is there
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            writer = HuggingFaceStorageWriter(str(partial), save_distributed=True)
            saved = async_save(tensors, storage_writer=writer, process_group=self.processes)
        assert isinstance(saved, Future)
        self.pending = _then(saved, lambda: finish(partial, place, packed)) if self.group.is_first else saved  # fmt: skip

    def wait(self) -> None:
        """Wait until the last checkpoint is written; name the process that could not."""
        if self.pending is None:
            return
        from torch.distributed.checkpoint import CheckpointException

        pending, self.pending = self.pending, None
        try:
            pending.result()
        except GradatimError:
            raise
        except (Exception, CheckpointException) as error:
            failures = getattr(error, "failures", {self.group.rank: error})
            rank, reason = next(iter(failures.items()))
            reason = reason[0] if isinstance(reason, tuple) else reason
            raise Unavailable(
                f"Checkpoint: {self.place} cannot be written by rank {rank}: {str(reason).splitlines()[0]}. "
                "Older checkpoints stay whole."
            ) from error


def _then(first: Future[Any], finish: Any) -> Future[None]:
    """What is done when ``first`` is, as a future of its own."""
    from torch.distributed.checkpoint import CheckpointException  # which is no Exception

    both: Future[None] = Future()

    def go_on(done: Future[Any]) -> None:
        try:
            done.result()
            finish()
        except (Exception, CheckpointException) as error:
            both.set_exception(error)
        else:
            both.set_result(None)

    first.add_done_callback(go_on)
    return both


def finish(partial: Path, place: Path, packed: Any) -> None:
    """Describe shards that are written, and give their folder its name."""
    files = sorted(path.name for path in partial.iterdir())
    hashes = {name: hash_file(partial / name) for name in files}
    description = sign({"kind": KIND, "tree": packed, "files": hashes})
    with open(partial / STATE, "wb") as file:
        file.write(json_bytes(description))
        file.flush()
        os.fsync(file.fileno())
    if place.exists():
        shutil.rmtree(place)
    os.replace(partial, place)


def is_shards(folder: Path) -> bool:
    """Whether a folder holds a whole checkpoint in shards."""
    return (folder / STATE).is_file()


def read_shards(folder: Path) -> dict[str, Any]:
    """Read a checkpoint in shards, whoever wrote it; a damaged or foreign folder raises one clear sentence.

    Args:
        folder: A folder of :class:`ShardWriter`.
    """
    if not is_shards(folder):
        if (folder / FOREIGN).exists():
            raise InvalidValue(
                f"{folder}: must be a checkpoint of Gradatim, got a folder with {FOREIGN}, which is read by pickle. "
                "Save it anew with HuggingFaceStorageWriter, or as one safetensors file."
            )
        raise Unavailable(f"{folder}: no such {KIND} file or folder.")
    try:
        description = json.loads((folder / STATE).read_bytes())
        check_signed(str(folder), description)
        for name, known in description["files"].items():
            if hash_file(folder / name) != known:
                raise InvalidValue(f"{folder}: is damaged: the checksum of {name} differs. Use an older {KIND}.")  # fmt: skip
        tree: dict[str, Any] = unpack_tree(description["tree"], _tensors(folder))
        return tree
    except GradatimError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidValue(f"{folder}: is damaged or not a {KIND} of Gradatim ({reason}).") from error  # fmt: skip


def _tensors(folder: Path) -> dict[str, Tensor]:
    """All tensors, whole, on the CPU."""
    from torch.distributed.checkpoint import HuggingFaceStorageReader, TensorStorageMetadata, load

    reader = HuggingFaceStorageReader(str(folder))
    known = reader.read_metadata().state_dict_metadata
    tensors = {
        name: torch.empty(kind.size, dtype=kind.properties.dtype)
        for name, kind in known.items()
        if isinstance(kind, TensorStorageMetadata)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        load(tensors, storage_reader=HuggingFaceStorageReader(str(folder)), no_dist=True)
    return tensors
