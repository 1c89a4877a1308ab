"""Text as numbers: characters, bytes, byte pairs, word pieces."""

from gradatim.data.tokenizers.byte_pair import BytePairTokenizer
from gradatim.data.tokenizers.bytes import ByteTokenizer
from gradatim.data.tokenizers.character import CharacterTokenizer
from gradatim.data.tokenizers.kinds import Tokenizer, rebuild_tokenizer
from gradatim.data.tokenizers.word_piece import EncodedPair, WordPieceTokenizer

__all__ = [
    "BytePairTokenizer",
    "ByteTokenizer",
    "CharacterTokenizer",
    "EncodedPair",
    "Tokenizer",
    "WordPieceTokenizer",
    "rebuild_tokenizer",
]
