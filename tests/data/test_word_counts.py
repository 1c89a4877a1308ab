from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from gradatim.data.vocabulary import split_words
from gradatim.data.word_counts import STRANGER, count_terms, read_corpus
from gradatim.fitting.texts.linear import choose_terms, weigh

TEXTS = ["a good film, a good cast", "not a good film", "", "bad; very bad!", "a bad film"]


def vectorizer(kind, **settings):
    return kind(tokenizer=split_words, token_pattern=None, lowercase=False, ngram_range=(1, 2), **settings)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("ab '<>é1 .", max_size=30), min_size=1, max_size=5))
def test_counts_are_those_of_scikit_learn(texts):
    terms, counts = count_terms(read_corpus(texts))
    if not terms:
        return
    other = vectorizer(CountVectorizer)
    expected = other.fit_transform(texts).toarray()
    order = [terms.index(term) for term in other.get_feature_names_out()]
    assert len(order) == len(terms)
    assert (counts.toarray()[:, order] == expected).all()


def test_features_are_those_of_scikit_learn():
    terms, counts = count_terms(read_corpus(TEXTS))
    columns, rarity = choose_terms(counts)
    other = vectorizer(TfidfVectorizer, sublinear_tf=True, min_df=2)
    expected = other.fit_transform(TEXTS).toarray()
    chosen = [terms[k] for k in columns]
    order = [chosen.index(term) for term in other.get_feature_names_out()]
    found = weigh(counts[:, columns], rarity).toarray()[:, order]
    assert abs(found - expected).max() < 1e-12


def test_known_words_only():
    corpus = read_corpus(["a strange film"], ["film", "a"])
    assert corpus.ids.tolist() == [1, STRANGER, 0]
    counted = count_terms(corpus, ["a", "film", "a film"])
    assert counted.counts.toarray().tolist() == [[1, 1, 0]]  # no pair across a stranger


def test_chosen_terms_count_as_all_terms_do():
    corpus = read_corpus(TEXTS)
    terms, counts = count_terms(corpus)
    wanted = ["good film", "bad", "a"]
    again = count_terms(read_corpus(TEXTS, ["film", "good", "bad", "a"]), wanted)
    assert (again.counts != counts[:, [terms.index(term) for term in wanted]]).nnz == 0
