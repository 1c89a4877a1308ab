"""Texts for a language model, and pairs for a translator, that are wrong or odd."""

import codecs

import pytest

from .inputs import file, folder, nothing, pairs, prose
from .trial import trial

MODEL = "fit t.txt --language-model -o m"
TOKENIZERS = ("character", "byte", "byte-pair")
SHORT = "must hold at least"
TEXTS = {
    "one letter": "a" * 6000,
    "two letters": "ab" * 3000,
    "one letter and line breaks": "a\n" * 3000,
    "one long word": "abcdefghij" * 600,
    "long lines": ("word " * 2000 + "\n") * 2,
    "line breaks alone at the end": prose() + "\n" * 3000,
    "foreign scripts": "身長と体重。" * 1000,
    "emoji": "🙂🙁" * 3000,
    "control characters": "a\x1b[31mb\x7f\a" * 1000,
    "NUL characters": "a\0b" * 2000,
    "combining marks": "e\u0301" * 3000,
    "every letter once": "".join(map(chr, range(0x4E00, 0x4E00 + 6000))),
    "Windows line ends": prose().replace("\n", "\r\n"),
    "a mark": "\ufeff" + prose(),
    "mathematics": "$20 to $30^ \\frac{" * 400,
}  # fmt: skip
ONE, REPEATED = (
    "must hold at least two different characters, got only 'a'",
    "must hold at least 641 tokens",
)
LANGUAGE = [
    *(
        trial(f"{what} as {tokenizer}s", file("t.txt", text), f"{MODEL} --tokenizer {tokenizer}", *(
            (2, ONE) if what == "one letter"
            else (2, REPEATED) if tokenizer == "byte-pair" and what in ("two letters", "one long word", "emoji")
            else (0, "Recommended")
        ))
        for what, text in TEXTS.items()
        for tokenizer in TOKENIZERS
    ),
    trial("an empty text", file("t.txt", ""), MODEL, 2, "must hold a text to learn from, but it is empty"),
    trial("a text of spaces", file("t.txt", " \n\t" * 3000), MODEL, 2, "must hold a text to learn from, but it is empty"),
    trial("a short text", file("t.txt", "a short text"), MODEL, 2, SHORT),
    trial("a text of one character", file("t.txt", "a"), MODEL, 2, ONE),
    trial("few characters asked for", file("t.txt", prose()), f"{MODEL} --rows 100", 2, SHORT),
    trial("a text that is not UTF-8", file("t.txt", prose().replace("cat", "cät").encode("cp1252")), MODEL, 2, "must be a text in UTF-8"),
    trial("a text of UTF-16", file("t.txt", codecs.BOM_UTF16_LE + prose().encode("utf-16-le")), MODEL, 2, "must be a text in UTF-8"),
    trial("half a letter at the end", file("t.txt", prose().encode() + b"\xc3"), MODEL, 2, "must be a text in UTF-8"),
    trial("a text that is a folder", folder("t.txt"), MODEL, 2, "must be a file, and is a folder"),
    trial("no text", nothing, MODEL, 1, "there is no such file"),
    trial("a device as a text", nothing, "fit /dev/null --language-model -o m", 2, "/dev/null"),
    trial("a table as a text", nothing, "fit iris --language-model -o m", 2, "iris"),
    trial("nearly all for the test", file("t.txt", prose()), f"{MODEL} --test 0.99", 2, SHORT),
    trial("nearly nothing for the test", file("t.txt", prose()), f"{MODEL} --test 0.001", 2, SHORT),
]  # fmt: skip

TRANSLATE = "fit t.tsv --translate -o m"
LINE = "must hold a sentence, a tab and its translation"
LONG = "word " * 400
PAIRS = {
    "one source": pairs(source="the same"),
    "one target": pairs(target="lo mismo"),
    "equal pairs": pairs(source="the same", target="lo mismo"),
    "two sources": "".join(f"s{k % 2}\tt{k}\n" for k in range(240)),
    "three sources": "".join(f"s{k % 3}\tt{k}\n" for k in range(240)),
    "source equals target": pairs(target="number {k} is here"),
    "very long sentences": pairs(source="{k} " + LONG, target="{k} " + LONG),
    "very long sources": pairs(source="{k} " + LONG),
    "very long targets": pairs(target="{k} " + LONG),
    "mostly long sentences": pairs(230, source="{k} " + LONG) + pairs(10),
    "single letters": pairs(source="a{k}", target="b{k}"),
    "foreign scripts": pairs(source="{k} 身長", target="{k} цена 🙂"),
    "punctuation": pairs(source="... {k}", target="!?"),
    "marks alone": pairs(source="!" + "?" * 3, target="."),
    "control characters": pairs(source="\x1b[31m{k}", target="\a{k}"),
    "three columns": pairs(target="la {k}\tCC-BY"),
    "Windows line ends": pairs().replace("\n", "\r\n"),
    "a mark": "\ufeff" + pairs(),
    "blank lines": pairs().replace("\n", "\n\n"),
    "mathematics": pairs(source="$a^ {k}", target="\\frac{k}".replace("{k}", "{{") + "{k}"),
}
PART = "at least 5 different sentences to learn from, to choose by and to judge by, got "
TOKENS = "must have sentences of at most 64 tokens"
FEW = {
    "equal pairs": f"{PART}1, 0 and 0",
    "one source": f"{PART}1, 0 and 0",
    "two sources": f"{PART}2, 0 and 0",
    "three sources": f"{PART}3, 0 and 0",
    "marks alone": PART,
    "very long sentences": TOKENS,
    "very long sources": TOKENS,
    "very long targets": TOKENS,
}
TRANSLATION = [
    *(trial(f"pairs, {what}", file("t.tsv", text), TRANSLATE, 2 if what in FEW else 0, FEW.get(what, "Recommended")) for what, text in PAIRS.items()),
    trial("no pairs", file("t.tsv", ""), TRANSLATE, 2, "at least 200 pairs of sentences, got 0"),
    trial("one pair", file("t.tsv", "a\tb\n"), TRANSLATE, 2, "at least 200 pairs of sentences, got 1"),
    trial("few pairs", file("t.tsv", pairs(199)), TRANSLATE, 2, "at least 200 pairs of sentences, got 199"),
    trial("few pairs asked for", file("t.tsv", pairs()), f"{TRANSLATE} --rows 5", 2, f"{PART}5, 0 and 0"),
    trial("one pair asked for", file("t.tsv", pairs()), f"{TRANSLATE} --rows 1", 2, f"{PART}1, 0 and 0"),
    trial("no tab", file("t.tsv", pairs().replace("\t", " ")), TRANSLATE, 2, "line 1", LINE),
    trial("one line without a tab", file("t.tsv", pairs() + "alone\n"), TRANSLATE, 2, "line 241", LINE),
    trial("no source", file("t.tsv", pairs() + "\tsolo\n"), TRANSLATE, 2, LINE),
    trial("no target", file("t.tsv", pairs() + "alone\t\n"), TRANSLATE, 2, LINE),
    trial("commas for tabs", file("t.tsv", pairs().replace("\t", ",")), TRANSLATE, 2, LINE),
    trial("pairs that are not UTF-8", file("t.tsv", pairs().encode("cp1252")), TRANSLATE, 2, "must be a text in UTF-8"),
    trial("binary data for pairs", file("t.tsv", b"\0\xff\t" * 300), TRANSLATE, 2, "must be a text in UTF-8"),
    trial("pairs that are a folder", folder("t.tsv"), TRANSLATE, 2, "must be a file, and is a folder"),
    trial("no file of pairs", nothing, TRANSLATE, 1, "there is no such file"),
    trial("a table for pairs", nothing, "fit iris --translate -o m", 2, "must hold pairs of sentences"),
    trial("pairs, nearly all for the test", file("t.tsv", pairs()), f"{TRANSLATE} --test 0.99", 2, f"{PART}4, 118 and 118"),
    trial("pairs, nearly nothing for the test", file("t.tsv", pairs()), f"{TRANSLATE} --test 0.001", 2, f"{PART}240, 0 and 0"),
]  # fmt: skip

TRIALS = [*LANGUAGE, *TRANSLATION]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_writers(row, make_trial):
    make_trial(row)
