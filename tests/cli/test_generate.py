"""``gradatim generate``: what it writes, and one sentence for everything it cannot use."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from gradatim.data.tokenizers import ByteTokenizer, CharacterTokenizer
from gradatim.estimators import NeuralRegressor
from gradatim.fitting.language.model import LanguageModel
from gradatim.models import GPT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    tokenizer = CharacterTokenizer("\n abcde")
    network = GPT(tokenizer.vocab_size, 8, 8, 1, 2)
    with torch.no_grad():
        network.embedding.weight.mul_(1.5)  # odds far from uniform, so that choices matter
    LanguageModel(network.eval(), tokenizer, about={}).save(tmp_path / "m")
    return tmp_path / "m"


def write(call, *words):
    code, out, err = call("generate", "m", "--num-tokens", "12", *words)
    assert (code, err) == (0, "")
    assert out.endswith("\n")
    return out[:-1]


@pytest.mark.usefixtures("folder")
def test_a_seed_fixes_the_text(call):
    first = write(call, "--prompt", "abc", "--seed", "1")
    assert first.startswith("abc")
    assert len(first) == 15
    assert write(call, "--prompt", "abc", "--seed", "1") == first
    assert write(call, "--prompt", "abc", "--seed", "2") != first


@pytest.mark.usefixtures("folder")
def test_temperature_zero_is_greedy(call):
    greedy = write(call, "--prompt", "abc", "--temperature", "0")
    assert write(call, "--prompt", "abc", "--temperature", "0", "--seed", "5") == greedy
    assert write(call, "--prompt", "abc", "--top-k", "1", "--seed", "3") == greedy
    assert write(call, "--prompt", "abc", "--top-p", "1e-6") == greedy


@pytest.mark.usefixtures("folder")
def test_a_beam_draws_nothing(call):
    found = write(call, "--prompt", "abc", "--beam", "3")
    assert write(call, "--prompt", "abc", "--beam", "3", "--seed", "4") == found


@pytest.mark.usefixtures("folder")
def test_a_long_prompt_slides_and_says_so(call):
    code, out, err = call("generate", "m", "--prompt", "abcdeabcdea", "--num-tokens", "5", "--temperature", "0")  # fmt: skip
    assert code == 0
    assert err == "generate: the prompt has 11 tokens; the model sees the last 8 of them.\n"
    assert out.startswith("abcdeabcdea")
    _, short, _ = call("generate", "m", "--prompt", "deabcdea", "--num-tokens", "5", "--temperature", "0")  # fmt: skip
    assert out[11:] == short[8:]


@pytest.mark.usefixtures("folder")
def test_a_text_ends_behind_the_first_stop(call):
    whole = write(call, "--prompt", "abc", "--seed", "1")
    for text in (whole[6:8], whole[-3:], whole[9]):
        end = whole.index(text, 3) + len(text)
        assert write(call, "--prompt", "abc", "--seed", "1", "--stop", text) == whole[:end]
    first, second = whole[7:9], whole[10]
    end = min(whole.index(text, 3) + len(text) for text in (first, second))
    assert write(call, "--prompt", "abc", "--seed", "1", "--stop", first, "--stop", second) == whole[:end]  # fmt: skip
    unwritten = next(a + b for a in "abcde" for b in "abcde" if a + b not in whole)
    assert write(call, "--prompt", "abc", "--seed", "1", "--stop", unwritten) == whole


@pytest.mark.usefixtures("folder")
def test_what_a_beam_finds_is_cut_behind_a_stop(call):
    whole = write(call, "--prompt", "abc", "--beam", "3")
    end = whole.index(whole[8], 3) + 1
    assert write(call, "--prompt", "abc", "--beam", "3", "--stop", whole[8]) == whole[:end]


BAD = {
    "empty prompt": (["--prompt", ""], "generate: prompt must hold at least one character, got none."),
    "unknown characters": (["--prompt", "abz!"], "CharacterTokenizer: text must consist of its 7 characters, got '!', 'z'."),
    "negative temperature": (["--temperature", "-1"], "temperature must be at least 0, got -1.0. Try 0.8, or 0 for the likeliest token."),
    "temperature nan": (["--temperature", "nan"], "temperature must be at least 0, got nan."),
    "top-p zero": (["--top-p", "0"], "top_p must be in (0, 1], got 0.0. Try 0.9."),
    "top-p above one": (["--top-p", "1.5"], "top_p must be in (0, 1], got 1.5."),
    "top-k zero": (["--top-k", "0"], "top_k must be a whole number from 1, got 0. Try 40."),
    "beam zero": (["--beam", "0"], "num_beams must be a whole number from 1 to 1,000, got 0. Try 4."),
    "beam and temperature": (["--beam", "2", "--temperature", "0.5"], "num_beams must be 1 with temperature, top_k or top_p"),
    "negative length": (["--num-tokens", "-1"], "num_tokens must be at least 1, got -1. Try 200."),
    "nothing to write": (["--num-tokens", "0"], "num_tokens must be at least 1, got 0."),
    "huge beam": (["--beam", "10000000"], "num_beams must be a whole number from 1 to 1,000, got 10000000."),
    "negative seed": (["--seed", "-1"], "generate: seed must be a whole number from 0 to 4,294,967,295, got -1."),
    "empty stop": (["--stop", ""], "generate: stop must hold at least one character, got none."),
    "stop that is never written": (["--stop", "z"], "CharacterTokenizer: text must consist of its 7 characters, got 'z'."),
    "huge seed": (["--seed", str(2**70)], "generate: seed must be a whole number from 0 to 4,294,967,295, got 11805"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
@pytest.mark.usefixtures("folder")
def test_bad_options_end_with_one_sentence(call, case):
    words, sentence = BAD[case]
    prompt = [] if "--prompt" in words else ["--prompt", "abc"]
    code, out, err = call("generate", "m", *prompt, *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_truncated_weights(call, folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    code, out, err = call("generate", "m", "--prompt", "a")
    assert (code, out) == (2, "")
    assert err.startswith("load_model: 'm' is damaged (")
    assert err.count("\n") == 1


def test_foreign_weights_are_listed_by_name(call, folder):
    weights = load_file(folder / "model.safetensors")
    weights["embedding.weight"] = torch.zeros(9, 8)
    weights["strange"] = torch.zeros(2)
    save_file(weights, folder / "model.safetensors")
    document = json.loads((folder / "model.json").read_text("utf-8"))
    (folder / "model.json").write_text(json.dumps(document | {"format": 1}))  # no fingerprints
    code, out, err = call("generate", "m", "--prompt", "a")
    assert (code, out) == (2, "")
    assert "embedding.weight (9, 8) instead of (7, 8)" in err
    assert "strange (2,) instead of nothing" in err
    assert err.count("\n") == 1


def test_other_models_and_missing_folders(call, tmp_path, folder):
    NeuralRegressor(epochs=1, hidden=(2,)).fit([[0.0], [1.0]] * 10, [0.0, 1.0] * 10).save(tmp_path / "t")  # fmt: skip
    code, _, err = call("generate", "t", "--prompt", "a")
    assert code == 2
    assert err == (
        "generate: model must be a language model, got a NeuralRegressor. "
        "Train one with 'gradatim fit TEXT --language-model'.\n"
    )
    code, _, err = call("generate", "nowhere", "--prompt", "a")
    assert (code, err) == (
        1,
        "load_model: 'nowhere' is not a model folder: it has no model.json.\n",
    )
    (folder / "model.json").write_text(json.dumps({"format": 1, "kind": "language"}))
    code, _, err = call("generate", "m", "--prompt", "a")
    assert code == 2
    assert "is damaged" in err


@pytest.mark.usefixtures("folder")
def test_a_prompt_is_needed(call):
    code, _, err = call("generate", "m")
    assert code == 2
    assert "missing option '--prompt'" in err


def test_characters_are_never_shown_in_halves(tmp_path):
    class Told(LanguageModel):
        def tell(self, tokens):
            return list(self._whole_characters(iter(tokens)))

    model = Told(GPT(256, 8, 4, 1, 1), ByteTokenizer(), about={})
    assert model.tell("né🙂".encode()) == ["n", "é", "🙂"]
    assert model.tell(b"\xf0\x9f") == ["�"]  # nothing follows that could complete it
    assert "".join(model.tell(b"\xff" * 7)) == "�" * 7


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "t.txt: must hold a text to learn from, but it is empty."),
        (b"\xff\xfe\x00bad", "t.txt: must be a text in UTF-8, and is not"),
        (b"to be or not to be", "t: must hold at least 2,561 tokens, so that each of its parts is longer than the context of 64, got 18."),
    ],
)  # fmt: skip
def test_texts_that_cannot_be_learned(call, tmp_path, monkeypatch, content, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.txt").write_bytes(content)
    code, out, err = call("fit", "t.txt", "--language-model", "-o", "m")
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["t.txt"]
