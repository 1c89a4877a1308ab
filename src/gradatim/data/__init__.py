"""Data sets by name: offline ones, synthetic ones, and downloads that are checked and kept."""

from importlib import import_module
from typing import TYPE_CHECKING

from gradatim.data.cache import cache_folder
from gradatim.data.dataset import DataSet
from gradatim.data.entries import catalogue
from gradatim.data.entry import Entry
from gradatim.data.fetch import get
from gradatim.data.loading import load

if TYPE_CHECKING:
    from gradatim.data.augmentation import random_affine
    from gradatim.data.colours import colour_jitter
    from gradatim.data.edges import make_undirected
    from gradatim.data.elastic import random_elastic
    from gradatim.data.flip_and_crop import (
        cutout,
        flip_pairs,
        quarter_turns,
        random_crop,
        random_flip,
    )
    from gradatim.data.graph import Graph
    from gradatim.data.graph_batches import GraphBatch, GraphSet, batch_graphs
    from gradatim.data.graph_stream import GraphStream
    from gradatim.data.machines import machine_signal
    from gradatim.data.masked_tokens import MaskedTokens, mask_tokens
    from gradatim.data.memory_tasks import adding_task, copy_task
    from gradatim.data.mixing import mixup
    from gradatim.data.moved_points import drop_points, jitter_points, rotate_points
    from gradatim.data.neighbour_sampling import Sample, sample_neighbours
    from gradatim.data.node_splits import node_split
    from gradatim.data.noise import add_noise, mask_entries
    from gradatim.data.padding import pad_sequences, unpad_sequences
    from gradatim.data.randaugment import rand_augment
    from gradatim.data.random_graphs import block_model, random_graph
    from gradatim.data.ringed import rings
    from gradatim.data.scattering import scattered_digits
    from gradatim.data.sentence_pairs import (
        SentencePairs,
        next_sentence_pairs,
        split_sentences,
    )
    from gradatim.data.skip_grams import SkipGrams
    from gradatim.data.solid_surfaces import Clouds, solids
    from gradatim.data.stains import combine_stains, separate_stains, stain_jitter
    from gradatim.data.streaming.row_stream import stream
    from gradatim.data.strokes import stroke_points
    from gradatim.data.synthetic import blobs, circles, moons, sinusoid, spirals, xor
    from gradatim.data.token_windows import TokenWindows
    from gradatim.data.tokenizers import (
        BytePairTokenizer,
        ByteTokenizer,
        CharacterTokenizer,
        EncodedPair,
        Tokenizer,
        WordPieceTokenizer,
        rebuild_tokenizer,
    )
    from gradatim.data.vocabulary import Vocabulary, split_words
    from gradatim.data.waving import waves

__all__ = [
    "BytePairTokenizer",
    "ByteTokenizer",
    "CharacterTokenizer",
    "Clouds",
    "DataSet",
    "EncodedPair",
    "Entry",
    "Graph",
    "GraphBatch",
    "GraphSet",
    "GraphStream",
    "MaskedTokens",
    "Sample",
    "SentencePairs",
    "SkipGrams",
    "TokenWindows",
    "Tokenizer",
    "Vocabulary",
    "WordPieceTokenizer",
    "add_noise",
    "adding_task",
    "batch_graphs",
    "blobs",
    "block_model",
    "cache_folder",
    "catalogue",
    "circles",
    "colour_jitter",
    "combine_stains",
    "copy_task",
    "cutout",
    "drop_points",
    "flip_pairs",
    "get",
    "jitter_points",
    "load",
    "machine_signal",
    "make_undirected",
    "mask_entries",
    "mask_tokens",
    "mixup",
    "moons",
    "next_sentence_pairs",
    "node_split",
    "pad_sequences",
    "quarter_turns",
    "rand_augment",
    "random_affine",
    "random_crop",
    "random_elastic",
    "random_flip",
    "random_graph",
    "rebuild_tokenizer",
    "rings",
    "rotate_points",
    "sample_neighbours",
    "scattered_digits",
    "separate_stains",
    "sinusoid",
    "solids",
    "spirals",
    "split_sentences",
    "split_words",
    "stain_jitter",
    "stream",
    "stroke_points",
    "unpad_sequences",
    "waves",
    "xor",
]

# what needs NumPy or PyTorch, which the command line should not wait for
_LATER = {
    name: module
    for module, names in {
        "augmentation": "random_affine",
        "colours": "colour_jitter",
        "edges": "make_undirected",
        "graph": "Graph",
        "graph_batches": "GraphBatch GraphSet batch_graphs",
        "graph_stream": "GraphStream",
        "neighbour_sampling": "Sample sample_neighbours",
        "node_splits": "node_split",
        "random_graphs": "block_model random_graph",
        "ringed": "rings",
        "elastic": "random_elastic",
        "flip_and_crop": "cutout flip_pairs quarter_turns random_crop random_flip",
        "machines": "machine_signal",
        "masked_tokens": "MaskedTokens mask_tokens",
        "memory_tasks": "adding_task copy_task",
        "mixing": "mixup",
        "moved_points": "drop_points jitter_points rotate_points",
        "noise": "add_noise mask_entries",
        "padding": "pad_sequences unpad_sequences",
        "randaugment": "rand_augment",
        "scattering": "scattered_digits",
        "sentence_pairs": "SentencePairs next_sentence_pairs split_sentences",
        "skip_grams": "SkipGrams",
        "solid_surfaces": "Clouds solids",
        "stains": "combine_stains separate_stains stain_jitter",
        "streaming.row_stream": "stream",
        "strokes": "stroke_points",
        "synthetic": "blobs circles moons sinusoid spirals xor",
        "token_windows": "TokenWindows",
        "tokenizers": "BytePairTokenizer ByteTokenizer CharacterTokenizer EncodedPair Tokenizer "
        "WordPieceTokenizer rebuild_tokenizer",
        "vocabulary": "Vocabulary split_words",
        "waving": "waves",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(import_module(f"gradatim.data.{_LATER[name]}"), name)
    raise AttributeError(f"module 'gradatim.data' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
