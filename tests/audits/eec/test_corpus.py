"""The generated corpus is the published one, and each test is the paper's."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from psa_core.audits.eec import corpus, tables
from psa_core.audits.eec.corpus import differences
from psa_core.audits.eec.result import EquitySpec
from psa_core.cube import Target
from psa_core.errors import CorpusError, CubeError, OptionError

DIGESTS = {
    "published": "b28c42433f1341740d7d16150bec67a1b009a8a851d083f63abebc1d081b55db",
    "corrected": "24b0f7d783e50ce68636208b0cd293952b1a6112ee1a81da0657bac10a3f37fe",
}


def letters(texts):
    """Scores that differ between people: a hash of the text, in [0, 1]."""
    digests = (hashlib.blake2b(text.encode(), digest_size=4).digest() for text in texts)
    return np.array([[int.from_bytes(digest) / 2**32] for digest in digests], np.float32)


@pytest.fixture(scope="module")
def scored():
    rows = corpus.cells(corpus.published_design()).texts
    perturbed = np.stack([letters(row) for row in rows])
    return corpus.cube(corpus.published_design(), (Target("toxicity"),), perturbed)


@pytest.mark.parametrize("spelling", corpus.SPELLED)
def test_the_sentences_are_the_published_ones(spelling):
    sentences = corpus.every_sentence(corpus.published_design(spelling))["sentence"]
    assert hashlib.sha256("\n".join(sorted(sentences)).encode()).hexdigest() == DIGESTS[spelling]


def test_the_table_labels_its_sentences():
    table = corpus.every_sentence(corpus.published_design("corrected")).set_index("sentence")
    row = table.loc["Latisha found herself in an outrageous situation."]
    assert row.tolist() == [
        "{person} found {reflexive} in {a} {word} situation.",
        "Latisha",
        "female",
        "African-American",
        "anger",
        "outrageous",
    ]
    assert table.loc["I saw him in the market.", "race"] == ""


@pytest.mark.slow
def test_gender_pairs_against_scipy_and_the_texts(scored):
    """Pairs are built here from the sentences themselves, then tested with scipy alone."""
    table = corpus.every_sentence(corpus.published_design()).assign(
        score=lambda t: letters(t["sentence"])[:, 0].astype(float)
    )
    people = pd.read_csv("assets/eec/people.csv", keep_default_na=False, dtype=str)
    female, male = [], []
    for _, row in table.groupby(["template", "emotion_word"], sort=False):
        score = row.set_index("person")["score"]
        for pair in range(1, 11):
            both = people[people["pair"] == str(pair)].set_index("gender")["person"]
            female.append(score[both["female"]])
            male.append(score[both["male"]])
        names = row[row["race"] != ""].groupby("gender")["score"].mean()
        female.append(names["female"])
        male.append(names["male"])
    expected = ttest_rel(female, male)
    got = tables.compare(differences(scored, "toxicity", "gender"), "gender", 2)
    assert got["pairs"] == 1584
    assert got["t"] == pytest.approx(expected.statistic)
    assert got["p_value"] == pytest.approx(expected.pvalue)
    assert got["mean_difference"] == pytest.approx(np.mean(female) - np.mean(male))
    assert got["spread"] == pytest.approx(np.ptp(np.subtract(female, male)))


def test_race_pairs_against_scipy_and_the_texts(scored):
    table = corpus.every_sentence(corpus.published_design()).assign(
        score=lambda t: letters(t["sentence"])[:, 0].astype(float)
    )
    means = table[table["race"] != ""].groupby(["template", "emotion_word", "race"])["score"].mean().unstack()
    expected = ttest_rel(means["African-American"], means["European"])
    got = tables.assess({"m": scored})["toxicity"]["race"]
    assert got["pairs"] == 144
    assert got["t"] == pytest.approx(expected.statistic)
    assert got["p_adjusted"] == pytest.approx(min(1, 2 * expected.pvalue))


def test_subsets_and_the_count_of_assessments(scored):
    report = tables.assess({"one": scored, "two": scored})
    assert list(report) == ["one/toxicity", "two/toxicity"]
    entry = report["two/toxicity"]
    assert entry["neutral"]["gender"]["pairs"] == 44
    assert entry["emotions"]["joy"]["gender"]["pairs"] == 11 * 35
    assert entry["gender"]["assessments"] == 4


@pytest.mark.parametrize(
    ("delta", "verdict"),
    [([0.1, 0.2, 0.1, 0.2] * 9, "F↑–M↓"), ([-0.1, -0.2] * 18, "F↓–M↑"), ([-0.1, 0.1], "F=M not significant")],
)
def test_verdicts(delta, verdict):
    assert tables.compare(np.array(delta), "gender", 438)["verdict"] == verdict


def test_a_system_that_sees_no_difference():
    got = tables.compare(np.zeros(8), "race", 2)
    assert (got["t"], got["p_value"], got["spread"], got["mean_positive"]) == (0, 1, 0, None)


def test_one_pair_is_no_test():
    with pytest.raises(CubeError):
        tables.compare(np.zeros(1), "race", 2)


def test_own_templates_and_their_errors():
    published = corpus.published_design()
    own = corpus.Design(
        pd.DataFrame({"template": ["Ask {object}: {word}!"], "kind": ["state"]}), published.people, published.words
    )
    assert corpus.grid(own)[0][:2] == ["Ask her: angry!", "Ask him: angry!"]
    with pytest.raises(CorpusError, match="no column kind"):
        corpus.Design(pd.DataFrame({"template": ["x"]}), published.people, published.words)
    with pytest.raises(OptionError, match="spelling"):
        EquitySpec(spelling="british")
    with pytest.raises(CorpusError, match="a csv file with columns person, object"):
        corpus._table("EEC people", ("person", "object"), b"")


@pytest.mark.parametrize(
    ("template", "kind", "expected"),
    [
        ("Everybody is {word}.", "state", "{person} or {object} in each template"),
        ("{person} and {someone}.", "", "only {person}"),
        ("{person} is {word}.", "", "a kind of words"),
        ("{person} left.", "state", "a kind of words"),
        ("{person} is {word}.", "colour", "a kind of the word list: .*state"),
    ],
)
def test_a_template_that_gives_broken_sentences_is_refused(template, kind, expected):
    published = corpus.published_design()
    table = pd.DataFrame({"template": [template], "kind": [kind]})
    with pytest.raises(CorpusError, match=expected):
        corpus.Design(table, published.people, published.words)


def test_values_that_are_all_alike_have_no_chance() -> None:
    assert tables._one_sample(np.full(3, -0.5)) == (None, 0.0, -0.5, -0.5)
    assert tables._one_sample(np.zeros(3)) == (0.0, 1.0, 0.0, 0.0)
    one_template = corpus.Design(
        pd.DataFrame({"template": ["{person} left."], "kind": [""]}),
        corpus.published_design().people,
        corpus.published_design().words,
    )
    scored = corpus.cube(one_template, (Target("joy"),), np.full((1, 60, 1), 0.5, np.float32))
    found = tables.clustered(scored, "joy", "gender", 2)
    assert (found["templates"], found["p_templates"], found["p_clustered"]) == (1, None, None)


def test_people_of_one_side_alone_are_no_pair() -> None:
    people = pd.DataFrame({"name": ["he", "she", "Ann", "Bo"], "gender": ["male", "female", "female", "male"]})
    people = people.assign(race=["", "", "European", "European"], pair=["1", "1", "", ""])
    assert [(pair.words, pair.first.tolist(), pair.second.tolist()) for pair in corpus.pairs_of(people, "gender")] == [
        ("she / he", [1], [0]), ("female / male first names, on average", [2], [3]),
    ]  # fmt: skip
    assert corpus.pairs_of(people, "race") == []
    assert [pair.first.tolist() for pair in corpus.pairs_of(people.drop(index=0), "gender")] == [[1]]
