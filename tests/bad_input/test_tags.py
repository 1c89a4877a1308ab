"""Tagged sentences that are wrong or odd."""

import pytest

from .inputs import change, csv, file, folder, good, link, model, nothing, tagged
from .trial import trial

FIT = "fit t.tsv --tag --trials 1 -o m"
PREDICT = "predict m new.txt -o out.csv"
GOOD = tagged()
SLASHED = "\n".join(" ".join(line.replace("\t", "/") for line in own.split("\n")) for own in GOOD.strip().split("\n\n"))  # fmt: skip
TEXTS = {
    "an empty file": ("", "must hold tagged words, but it is empty"),
    "blank lines alone": ("\n\n \n", "must hold tagged words, but it is empty"),
    "words without tags": ("The\ndog\n\nIt\n", "must hold a word and its tag a line"),
    "a line without a tag": (GOOD + "\nlonely\n", "line 201 must have 2 columns, a word in column 1 and its tag in column 2, got 'lonely'"),
    "a line of too many columns": (GOOD + "\na\tb\tc\n", "line 201 must have 2 columns"),
    "an empty tag": (GOOD + "\ndog\t\n", "line 201 must have 2 columns"),
    "an empty word": (GOOD + "\n\tnn\n", "line 201 must have 2 columns"),
    "one tag only": (tagged(line="{word}\tnn"), "must hold at least two different tags, got only 'nn'"),
    "one sentence": (tagged(1), "must hold at least 20 sentences, got 1"),
    "no blank line": (GOOD.replace("\n\n", "\n"), "must hold at least 20 sentences, got 1"),
    "nineteen sentences": (tagged(19), "must hold at least 20 sentences, got 19"),
    "tags in another column": ("".join(f"w{k % 7}\tnn\tremark {k}\n{chr(10) if k % 3 == 0 else ''}" for k in range(120)), "tags must repeat, got 120 different ones in column 3 for 120 words"),
    "a word without a slash": (SLASHED + "\nthe/at dog\n", "line 41 must hold words with a slash and a tag, such as dog/nn, got 'dog'"),
    "a slash without a word": (SLASHED + "\n/nn\n", "got '/nn'"),
    "a slash without a tag": (SLASHED + "\ndog/\n", "got 'dog/'"),
    "plain prose": ("It was a dark night.\n" * 30, "must hold at least two different tags, got only 'night.'"),
    "words with several slashes": (SLASHED.replace("dog/nn", "and/or/nn"), ""),
    "slashes": (SLASHED, ""),
    "spaces between columns": (tagged(line="{word}  x {tag}"), ""),
    "windows line ends": (GOOD.replace("\n", "\r\n"), ""),
    "a mark of the byte order": ("\ufeff" + GOOD, ""),
    "documents": (GOOD.replace("\n\n", "\n\n-DOCSTART- O\n\n"), ""),
    "foreign scripts": (GOOD.replace("dog", "собака").replace("cat", "猫"), ""),
    "escapes": (GOOD.replace("dog", "\x1b[31mdog"), ""),
    "formulas": (GOOD.replace("dog", "=1+1").replace("nn", "=nn"), ""),
    "spans": (GOOD.replace("\tat", "\tO").replace("\tvb", "\tO").replace("\t.", "\tO").replace("\tnn", "\tB-ANIMAL"), ""),
    "a very long sentence": (GOOD + "\n" + "the\tat\ndog\tnn\n" * 50_000, ""),
    "a very long word": (GOOD.replace("dog", "d" * 5_000), ""),
}  # fmt: skip
OTHER = {
    "plain sentences": ("the dog runs .\nthe cat barks .\n", 0, ""),
    "a word a line": ("the\ndog\n\nthe\ncat\n", 0, ""),
    "the training file": (GOOD, 0, ""),
    "one unknown word": ("zyzzyva\n", 0, ""),
    "glued marks": ("the dog runs.\n", 0, "words are told apart by spaces alone"),
    "an empty file": ("", 2, "must hold sentences, but it is empty"),
    "a long line": ("the dog " * 20_000, 0, ""),
}
OWN = f"{FIT} --test test.tsv"
TRIALS = [
    *(trial(what, file("t.tsv", text), FIT, 2 if says else 0, says or "Recommended") for what, (text, says) in TEXTS.items()),
    *(trial(f"predict, {what}", (model("tag"), file("new.txt", text)), PREDICT, code, *([says] if says else [])) for what, (text, code, says) in OTHER.items()),
    trial("no file", nothing, FIT, 1, "there is no such file"),
    trial("not UTF-8", file("t.tsv", "caf\xe9\tnn\n".encode("latin-1") * 30), FIT, 2, "must be a text in UTF-8"),
    trial("binary data", file("t.tsv", bytes(range(256)) * 30), FIT, 2, "must be a text in UTF-8"),
    trial("an empty folder", folder("t.tsv"), FIT, 2, "must hold files of tagged sentences, got an empty folder"),
    trial("a folder of files", (file("t.tsv/a", SLASHED), file("t.tsv/b", SLASHED)), FIT, 0, "Recommended"),
    trial("a link to nowhere", link("t.tsv", "nowhere"), FIT, 1, "there is no such file"),
    trial("a set without tags", nothing, "fit iris --tag -o m", 2, "iris must hold words with tags, and does not. Try 'grammar' or 'brown'"),
    trial("a column beyond the last", file("t.tsv", GOOD), f"{FIT} --tag-column 3", 2, "tag-column must be from 1 to 2, the columns of t.tsv, got 3"),
    trial("the same column twice", file("t.tsv", GOOD), f"{FIT} --word-column 2", 2, "tag-column must differ from word-column, got 2"),
    trial("column 0", file("t.tsv", GOOD), f"{FIT} --tag-column 0", 2, "tag_column must be at least 1"),
    trial("a column by name", file("t.tsv", GOOD), f"{FIT} --tag-column pos", 2, "Input should be a valid integer"),
    trial("a target", file("t.tsv", GOOD), f"{FIT} --target nn", 2, "target must not be given for tagged sentences"),
    trial("two kinds", file("t.tsv", GOOD), f"{FIT} --translate", 2, "must not be given together"),
    trial("an unknown encoder", file("t.tsv", GOOD), f"{FIT} --pretrained bert", 2, "pretrained must be one of minilm"),
    trial("a table", csv(good(), "t.tsv"), FIT, 2, "must hold"),
    trial("a test of other tags", (file("t.tsv", GOOD), file("test.tsv", tagged(line="{word}\tother"))), OWN, 2, "test must have at least 2 sentences"),
    trial("a test of its own", (file("t.tsv", GOOD), file("test.tsv", tagged(5))), OWN, 0, "Recommended"),
    trial("no test", file("t.tsv", GOOD), OWN, 1, "test.tsv: there is no such file"),
    trial("a score of values", file("t.tsv", GOOD), f"{FIT} --score rmse", 2, "score must suit classes"),
    trial("a score of classes", file("t.tsv", GOOD), f"{FIT} --score accuracy", 0, "Recommended"),
    trial("predict with a folder that was changed", (model("tag"), file("new.txt", "the\n"), change("m/model.json", lambda text: text.replace(b'"nn"', b'"xx"'))), PREDICT, 2, "m"),
]  # fmt: skip


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_tags(row, make_trial):
    make_trial(row)
