"""GPT-2's and BERT's tokenizers again, by their published definitions, without any library."""

import unicodedata
from itertools import pairwise

# Unicode's property White_Space, which GPT-2's pattern calls \s
WHITE = set("\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(code) for code in range(0x2000, 0x200B)
}
ENDINGS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")


def byte_characters():
    """GPT-2's printable character for every byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {b: chr(b) for b in plain} | {b: chr(256 + n) for n, b in enumerate(rest)}


def kind(character):
    if character in WHITE:
        return "white"
    category = unicodedata.category(character)[0]
    return {"L": "letter", "N": "number"}.get(category, "other")


def gpt2_words(text):
    r"""Cut by 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+."""
    words, i = [], 0
    while i < len(text):
        ending = next((e for e in ENDINGS if text.startswith(e, i)), None)
        if ending:
            words.append(ending)
            i += len(ending)
            continue
        start = i + (text[i] == " " and i + 1 < len(text) and kind(text[i + 1]) != "white")
        j = start
        while j < len(text) and kind(text[j]) == kind(text[start]):
            j += 1
        if kind(text[start]) == "white" and j < len(text) and j - start > 1:
            j -= 1  # the last white character may lead the next word
        words.append(text[i:j])
        i = j
    return words


def gpt2_pieces(text, merges):
    """Merge the best-ranked pair of neighbours until none is left, word by word."""
    ranks, letters = {tuple(pair): rank for rank, pair in enumerate(merges)}, byte_characters()
    pieces = []
    for word in gpt2_words(text):
        parts = [letters[byte] for byte in word.encode()]
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            best = min(pairs, key=lambda pair: ranks.get(pair, float("inf")))
            if best not in ranks:
                break
            joined, i = [], 0
            while i < len(parts):
                if tuple(parts[i : i + 2]) == best:
                    joined.append("".join(best))
                    i += 2
                else:
                    joined.append(parts[i])
                    i += 1
            parts = joined
        pieces += parts
    return pieces


def is_cjk(character):
    ranges = [
        (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
        (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
    ]  # fmt: skip
    return any(low <= ord(character) <= high for low, high in ranges)


def is_punctuation(character):
    code = ord(character)
    ascii_marks = 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return ascii_marks or unicodedata.category(character).startswith("P")


def bert_words(text):
    """BERT's basic tokenizer, lower case: clean, space out CJK, lower, strip accents, cut at marks."""
    cleaned = ""
    for character in text:
        if character in "\t\n\r" or unicodedata.category(character) == "Zs":
            cleaned += " "
        elif is_cjk(character):
            cleaned += f" {character} "
        elif character not in "\0\ufffd" and unicodedata.category(character) not in ("Cc", "Cf"):
            cleaned += character
    words = []
    for word in cleaned.split():
        plain = [
            c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn"
        ]
        current = ""
        for character in plain:
            if is_punctuation(character):
                words += [current, character]
                current = ""
            else:
                current += character
        words.append(current)
    return [word for part in words for word in part.split()]


def bert_pieces(text, tokens):
    """Longest match first, word by word."""
    known, pieces = set(tokens), []
    for word in bert_words(text):
        cut, start = [], 0
        while start < len(word):
            end = len(word)
            while end > start and ("##" * (start > 0) + word[start:end]) not in known:
                end -= 1
            if end == start:
                break
            cut.append("##" * (start > 0) + word[start:end])
            start = end
        pieces += cut if start == len(word) and len(word) <= 100 else ["[UNK]"]
    return pieces


HARD = [
    "",
    " ",
    "Hello world",
    "  two  spaces   and a tail  ",
    "tabs\tand\n\nlines\r\n \n x",
    "don't we'll I'D they've 'tis rock'n'roll",
    "3.14159 and 1,000,000 or ½ and ² and Ⅻ ٣",
    "naïve café Ångström ÀÉÎ ñ ẞ ß İstanbul ΟΔΟΣ ǅ",
    "日本語のテキスト 漢字 중국어 한국어 中文，标点。",
    "emoji 🙂👩‍👩‍👧‍👦🏳️‍🌈 flags 🇩🇪 skin 👍🏽",
    "control \x00\x01\x07\x1b[0m\x7f\x1c\x1f end",
    "zero\u200bwidth \u200d joiner \ufeff bom \u2060 soft\xadhyphen",
    "white \xa0\u2003\u3000\u2028\u2029\x85\x0b\x0c\u1680\u205f all",
    "combining e\u0301 a\u0308\u0323 \u0301alone",
    "العربية עברית हिन्दी ไทย русский ελληνικά",
    "\ufffd\ufffe𝒳𝔘 𐍈 \U0001f9ff \U00020000 \U0002f800",
    "<|endoftext|> [MASK] [CLS] ##ing __init__(self): x->y; a+=b // ©®™ €£¥",
    "a" * 150 + " " + "ab" * 60,
]
