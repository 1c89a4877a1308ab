"""BERTs with published weights: a folder with ``config.json`` and ``model.safetensors``, as they are shared."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gradatim.data.entries import find, require_cached
from gradatim.data.tokenizers import WordPieceTokenizer
from gradatim.errors import InvalidValue, Unavailable
from gradatim.models.bert import BERT
from gradatim.models.sentence_encoder import SentenceEncoder
from gradatim.models.weights import load_weights

MINILM = "minilm"
SHOWN = 5  # wrong tensors that a message names

# Published names of what a layer holds, and ours; three that we keep in one come first.
_ATTENTION = ("attention.self.query", "attention.self.key", "attention.self.value")
_LAYER = {
    "attention.output.dense": "attention.merge",
    "attention.output.LayerNorm": "attention_shortcut.norm",
    "intermediate.dense": "feed_forward.widen",
    "output.dense": "feed_forward.narrow",
    "output.LayerNorm": "feed_forward_shortcut.norm",
}
_REST = {
    "embedding.weight": "embeddings.word_embeddings.weight",
    "place.table": "embeddings.position_embeddings.weight",
    "segment.weight": "embeddings.token_type_embeddings.weight",
    **{f"norm.{part}": f"embeddings.LayerNorm.{part}" for part in ("weight", "bias")},
    **{f"pooler.{part}": f"pooler.dense.{part}" for part in ("weight", "bias")},
}


def published_names(num_layers: int) -> dict[str, tuple[str, ...]]:
    """For each tensor of a :class:`BERT`, the published ones it is made of, one below the other.

    Args:
        num_layers: Blocks of the network.

    Example:
        >>> published_names(1)["blocks.blocks.0.attention.merge.bias"]
        ('encoder.layer.0.attention.output.dense.bias',)
    """
    names: dict[str, tuple[str, ...]] = {own: (name,) for own, name in _REST.items()}
    for layer in range(num_layers):
        own, their = f"blocks.blocks.{layer}", f"encoder.layer.{layer}"
        for part in ("weight", "bias"):
            project = f"{own}.attention.project.{part}"
            names[project] = tuple(f"{their}.{name}.{part}" for name in _ATTENTION)
            names |= {f"{own}.{b}.{part}": (f"{their}.{a}.{part}",) for a, b in _LAYER.items()}
    return names


def load_bert(folder: str | Path) -> BERT:
    """Read a published BERT; nothing in its files can run code.

    Args:
        folder: Holds ``config.json`` and ``model.safetensors`` with the names that Hugging Face gives.

    Returns:
        The network, in evaluation mode. Heads in the file are left out.

    Example:
        >>> model = load_bert("all-MiniLM-L6-v2")  # doctest: +SKIP
    """
    folder = Path(folder)
    model = _build(folder / "config.json")
    weights = _assemble(model, _read_tensors(folder / "model.safetensors"), folder)
    load_weights("load_bert", model, weights)
    return model.eval()


def _build(path: Path) -> BERT:
    try:
        config: dict[str, Any] = json.loads(path.read_bytes())
        if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
            raise InvalidValue(
                f"load_bert: '{path}' must describe a BERT with GELU, got model_type="
                f"{config.get('model_type')!r}, hidden_act={config.get('hidden_act')!r}."
            )
        return BERT(
            config["vocab_size"], config["max_position_embeddings"], config["hidden_size"],
            config["num_hidden_layers"], config["num_attention_heads"],
            hidden_dim=config["intermediate_size"], num_segments=config["type_vocab_size"],
            dropout=config["hidden_dropout_prob"],
        )  # fmt: skip
    except OSError as error:
        raise Unavailable(
            f"load_bert: '{path}' cannot be read: {error.strerror or error}."
        ) from error
    except (json.JSONDecodeError, UnicodeDecodeError, AttributeError, TypeError) as error:
        raise InvalidValue(f"load_bert: '{path}' must be a JSON object ({error}).") from error
    except KeyError as error:
        raise InvalidValue(f"load_bert: '{path}' must hold {error}, and does not.") from error


def _read_tensors(path: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return {name.removeprefix("bert."): tensor for name, tensor in load_file(path).items()}
    except SafetensorError as error:
        reason = str(error).splitlines()[0]
        raise InvalidValue(
            f"load_bert: '{path}' is cut off, damaged or no safetensors file ({reason})."
        ) from error
    except OSError as error:
        raise Unavailable(
            f"load_bert: '{path}' cannot be read: {error.strerror or error}."
        ) from error


def _assemble(model: BERT, tensors: Mapping[str, Tensor], folder: Path) -> dict[str, Tensor]:
    """The state of ``model`` from published tensors, every one of which must have its shape."""
    state, faults = {}, []
    own = model.state_dict()
    for name, parts in published_names(model.num_layers).items():
        rows, *rest = own[name].shape
        expected = (rows // len(parts), *rest)
        wrong = [part for part in parts if _shape(tensors, part) != expected]
        faults += [f"{part} {_shape(tensors, part) or 'missing'} for {expected}" for part in wrong]
        if not wrong:
            state[name] = torch.cat([tensors[part].float() for part in parts])
    if faults:
        more = f" and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        raise InvalidValue(
            f"load_bert: the weights in '{folder}' must fit its config.json, got "
            f"{'; '.join(faults[:SHOWN])}{more}. Is it another network's file?"
        )
    return state


def _shape(tensors: Mapping[str, Tensor], name: str) -> tuple[int, ...]:
    return tuple(tensors[name].shape) if name in tensors else ()


def published_minilm() -> SentenceEncoder:
    """Load all-MiniLM-L6-v2: sentences to vectors of width 384 whose cosines tell how close their meanings are.

    The files come into the cache by ``gradatim data get minilm``.

    Returns:
        The encoder: six layers, 22.7 million parameters, texts of up to 256 tokens.

    Example:
        >>> encoder = published_minilm()  # doctest: +SKIP
        >>> encoder.encode(["A cat sat.", "A feline was sitting."])  # doctest: +SKIP

    Reference:
        Reimers and Gurevych, Sentence-BERT, 2019; Wang et al., MiniLM, 2020.
    """
    require_cached("published_minilm", MINILM)
    entry = find("published_minilm", MINILM)
    vocabulary = entry.path("vocab.txt")
    return SentenceEncoder(load_bert(vocabulary.parent), WordPieceTokenizer.load(vocabulary))
