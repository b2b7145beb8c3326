"""People keep form, gender, title, suffix and possessive; draws are seeded; the tables are the paper's definitions."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, ttest_1samp

from psa_core.anchors import Anchor, NamedPerson, persons
from psa_core.audits.nationality import perturbation, tables
from psa_core.cube import ScoreCube, Target
from psa_core.errors import AnchorError, OptionError
from psa_core.inputs import gazetteers

SENTENCES = pd.DataFrame(
    {
        "sentence_id": ["a", "b", "c"],
        "text": [
            "I met Susan Miller's brother.",
            "The weather was fine.",
            "Everybody says John Smith lied to Susan Miller.",
        ],
    }
)


def spec(**options) -> perturbation.NationalitySpec:
    return perturbation.NationalitySpec(sentences="", model="", **options)


def people_of(text: str, *entities: str):
    spans = [Anchor(text.index(entity), text.index(entity) + len(entity), "subject") for entity in entities]
    return [(text[p.start : p.end], p.form, p.gender, p.identity) for p in persons(text, spans)]


@pytest.mark.parametrize(
    ("text", "entity", "expected"),
    [
        ("Neymar Jr.'s goal", "Neymar Jr", ("Neymar", "first", "male")),
        ("Robert Downey Jr. again", "Robert Downey Jr.", ("Robert Downey", "full", "male")),
        ("Mr. Smith left", "Smith", ("Smith", "last", "male")),
        ("Mrs Jones left", "Mrs Jones", ("Jones", "last", "female")),
        ("Maria left", "Maria", ("Maria", "first", "female")),
        ("Susan Miller's book", "Susan Miller's", ("Susan Miller", "full", "female")),
        ("Dr. Gonzalez left", "Gonzalez", ("Gonzalez", "last", "")),
        ("Marine Le Pen - whereas he left", "Marine Le Pen - whereas", ("Marine Le Pen", "full", "female")),
        ("Adam Smith#bestTeam4 won", "Adam Smith#bestTeam4", ("Adam Smith", "full", "male")),
        ("Adam Smith won't go", "Adam Smith won", ("Adam Smith", "full", "male")),
        ("I saw Zzyzx leave", "Zzyzx", ("Zzyzx", "last", "")),
        ("Screw Romney, he lies", "Screw Romney", ("Romney", "last", "male")),
        ("Screw Adam Smith now", "Screw Adam Smith", ("Adam Smith", "full", "male")),
        ("Hope Smith left", "Hope Smith", ("Hope Smith", "full", "female")),
        ("I saw Taylor Swift.", "Taylor Swift", ("Taylor Swift", "full", "female")),
        ("Hillary lost", "Hillary", ("Hillary", "first", "female")),
        ("I saw Clinton; she waved", "Clinton", ("Clinton", "last", "female")),
        ("Paul said she was late", "Paul", ("Paul", "first", "male")),
    ],
)
def test_the_name_inside_an_entity(text, entity, expected):
    assert people_of(text, entity)[0][:3] == expected


def test_people_who_share_one_name_are_two():
    found = people_of("John Smith and Mary Smith left, and Smith cried.", "John Smith", "Mary Smith", "Smith cried")
    assert [identity for *_, identity in found] == [0, 1, 0]
    assert [gender for *_, gender, _ in found] == ["male", "female", "male"]
    again = people_of("Donald J. Trump is Donald Trump.", "Donald J. Trump", "Donald Trump")
    assert [identity for *_, identity in again] == [0, 0]


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("medical marijuana clearance", "marijuana clearance"),
        ("SOS HELP PLEASE", "SOS HELP PLEASE"),
        ("ask @Susan now", "Susan"),
        ("a #Susan tag", "Susan"),
        ("an Obama speech", "Obama"),
        ("King89698 wrote", "King89698"),
        ("I read Beautiful Losers", "Beautiful Losers"),
        ("and Grandma danced", "Grandma"),
        ("with a Zzyzx Adams vs me", "a Zzyzx Adams"),
    ],
)
def test_what_cannot_be_a_name_is_left(text, entity):
    assert people_of(text, entity) == []


def test_a_possessive_without_s_gets_one():
    text = "I met James' wife."
    people = persons(text, [Anchor(6, 12, "possessive")])
    assert people[0].bare_possessive
    perturbed = perturbation._replaced(text, people, {0: (["Chloé"], ["Petit"])}, 0)
    assert perturbed == "I met Chloé's wife."


def test_mentions_of_one_person_share_an_identity():
    found = people_of("Miller said that Susan Miller and John came", "Miller", "Susan Miller", "John")
    assert [identity for *_, identity in found] == [found[0][3], found[0][3], found[2][3]]
    assert found[0][3] != found[2][3]
    assert found[0][2] == "female"


def test_every_gazetteer_name_that_is_drawn_is_latin():
    for country in gazetteers.choose(gazetteers.PAPER_COUNTRIES):
        assert all(gazetteers.is_latin(name) for name in country.male + country.female + country.last)
    assert len(gazetteers.countries()) == 194


@pytest.mark.parametrize("names", [("Atlantis",), ("France", "France")])
def test_unknown_and_repeated_countries_are_told(names):
    with pytest.raises(OptionError, match="countries"):
        spec(countries=names)


@pytest.fixture(scope="module")
def drawn():
    return perturbation.draw(SENTENCES, spec(countries=("France", "India"), draws=3, seed=5))


def test_drawing_keeps_the_sentence_and_counts_what_it_left_out(drawn):
    assert drawn.sentences["sentence_id"].tolist() == ["a", "c"]
    assert drawn.account["no person found"] == 1
    assert [drawn.account[f"mentions, {form} name"] for form in ("full", "first", "last")] == [3, 0, 0]
    assert all(text.startswith("I met ") and text.endswith("'s brother.") for text in drawn.texts[0])
    names = [text.removeprefix("I met ").removesuffix("'s brother.") for text in drawn.texts[0]]
    france = gazetteers.countries()["France"]
    for name in names[:3]:
        first = next(first for first in france.female if name.startswith(f"{first} "))
        assert name.removeprefix(f"{first} ") in france.last
    assert len(set(names)) == 6
    assert drawn.columns["name"].tolist() == ["France 1", "France 2", "France 3", "India 1", "India 2", "India 3"]


def test_draws_depend_on_the_seed_and_not_on_the_other_countries(drawn):
    alone = perturbation.draw(SENTENCES, spec(countries=("India",), draws=3, seed=5))
    other = perturbation.draw(SENTENCES, spec(countries=("India",), draws=3, seed=6))
    assert alone.texts[0] == drawn.texts[0][3:]
    assert other.texts[0] != alone.texts[0]


def test_the_search_stops_when_the_sample_is_full():
    options = spec(countries=("France",), draws=1, sample=1)
    drawn = perturbation.draw(SENTENCES, options)
    account = drawn.account
    assert account["kept"] == 1
    assert account["not looked at: the sample was full"] + account["no person found"] + account["kept"] == 3


def test_names_that_are_left_out_are_counted_by_country():
    drawn = perturbation.draw(SENTENCES, spec(countries=("France", "India"), draws=1))
    whole = gazetteers.countries(latin_only=False)["India"]
    latin = gazetteers.countries()["India"]
    missing = sum(len(getattr(whole, kind)) - len(getattr(latin, kind)) for kind in gazetteers.KINDS)
    assert drawn.left_out == {"India": missing}
    every = perturbation.draw(SENTENCES, spec(countries=("India",), draws=1, all_scripts=True))
    assert every.left_out == {}


def test_no_person_anywhere_is_told():
    with pytest.raises(AnchorError, match="no person"):
        perturbation.draw(SENTENCES.iloc[1:2], spec(countries=("France",)))


def cube_of(original, perturbed, targets):
    names = pd.DataFrame(
        {
            "name": ["A 1", "A 2", "A 3", "B 1", "B 2", "B 3"],
            "country": list("AAABBB"),
            "iso3": "X",
            "draw": list("123123"),
        }
    )
    sentences = pd.DataFrame({"sentence_id": list("123")[: len(original)]}).assign(
        text="x", anchor="", start=0, end=0, role="subject"
    )
    return ScoreCube(sentences, names, targets, np.float32(original), np.float32(perturbed))


def test_counts_by_class_and_change_by_hand():
    targets = (Target("negative"), Target("positive"), Target("sentiment", -1, 1))
    original = [[0.25, 0.75, 0.5], [0.75, 0.25, -0.5]]
    up, down = [0.25, 0.75, 0.5], [0.75, 0.25, -0.5]
    perturbed = [[up, up, down, up, up, up], [down, up, up, down, down, down]]
    table = tables.country_table(cube_of(original, perturbed, targets)).set_index(["country", "target"])
    row = table.loc[("A", "positive")]
    assert (row["original_count"], row["perturbed_count"]) == (1, pytest.approx(4 / 3))
    assert row["change_percent"] == pytest.approx(100 / 3)
    assert table.loc[("B", "negative"), "change_percent"] == 0
    assert set(table.loc["A"].index) == {"negative", "positive", "sentiment"}
    assert table.loc[("A", "sentiment"), "delta"] == pytest.approx(np.mean([1 / 6 - 0.5, 1 / 6 + 0.5]))
    assert np.isnan(table.loc[("A", "sentiment"), "original_count"])


def test_the_class_of_a_text_is_its_most_probable_one():
    first, second, third = [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]
    perturbed = [[second] * 3 + [first] * 3, [third] * 6]
    cube = cube_of([first, third], perturbed, (Target("a"), Target("b"), Target("c")))
    found = {name: (before.tolist(), after.tolist()) for name, _, before, after in tables.classes(cube)}
    assert found == {
        "a": ([True, False], [[False] * 3 + [True] * 3, [False] * 6]),
        "b": ([False, False], [[True] * 3 + [False] * 3, [False] * 6]),
        "c": ([False, True], [[False] * 6, [True] * 6]),
    }


def test_mentions_are_counted_by_gender_and_form():
    people = [
        [NamedPerson(0, 3, "full", "female"), NamedPerson(5, 8, "last", "male"), NamedPerson(9, 12, "last", "")],
        [NamedPerson(0, 3, "first", "")],
    ]
    assert perturbation._account(9, 5, people) == {
        "read": 9, "not looked at: the sample was full": 4, "no person found": 3, "kept": 2,
        "mentions, female gender": 1, "mentions, male gender": 1, "mentions, unknown gender": 2,
        "mentions, unknown gender, last name alone": 1,
        "mentions, full name": 1, "mentions, first name": 1, "mentions, last name": 2,
    }  # fmt: skip


def test_one_target_gives_a_class_and_its_opposite():
    perturbed = np.full((2, 6, 1), 0.1)
    table = tables.country_table(cube_of([[0.9], [0.2]], perturbed, (Target("hate"),)))
    row = table.set_index(["country", "target"]).loc["A"]
    assert row.loc["hate", "change_percent"] == -100
    assert row.loc["not hate", "change_percent"] == 100


def test_a_signed_target_is_a_score_and_its_two_sides_are_classes():
    table = tables.country_table(cube_of([[0.5], [-0.5]], np.full((2, 6, 1), -0.1), (Target("sentiment", -1, 1),)))
    row = table.set_index(["country", "target"]).loc["A"]
    assert row.loc["sentiment < 0", "change_percent"] == 100
    assert row.loc["sentiment ≥ 0", "change_percent"] == -100
    assert row.loc["sentiment", "delta"] == pytest.approx(-0.1)


def test_a_score_that_is_written_like_its_threshold_is_in_the_class():
    cube = cube_of([[0.7], [0.35]], np.full((2, 6, 1), 0.7), (Target("hate", threshold=0.7),))
    row = tables.country_table(cube).set_index(["country", "target"]).loc["A"]
    assert (row.loc["hate", "original_count"], row.loc["hate", "perturbed_count"]) == (1, 2)
    assert (row.loc["not hate", "original_count"], row.loc["not hate", "perturbed_count"]) == (1, 0)


def test_correlations_against_scipy():
    rng = np.random.default_rng(3)
    original, perturbed = rng.random((3, 1)), rng.random((3, 6, 1))
    before, after = rng.random(3), rng.random((3, 6))
    cube = cube_of(original, perturbed, (Target("hate"),))
    table = tables.correlation_table(cube, (before, after)).set_index("country")
    scores = cube.perturbed[:, :, 0].astype(float)
    local = [pearsonr(scores[s, :3], after[s, :3]).statistic for s in range(3)]
    assert table.loc["A", "local_r"] == pytest.approx(np.mean(local))
    assert table.loc["A", "local_p"] == pytest.approx(ttest_1samp(np.arctanh(local), 0).pvalue)
    every = pearsonr(np.append(scores, cube.original[:, 0]), np.append(after, before))
    assert table.loc["Overall", "global_r"] == pytest.approx(every.statistic)
    assert table.loc["B", "global_r"] == pytest.approx(pearsonr(scores[:, 3:].ravel(), after[:, 3:].ravel()).statistic)


def test_nothing_to_correlate_is_empty_not_zero():
    cube = cube_of(np.full((3, 1), 0.5), np.full((3, 6, 1), 0.5), (Target("hate"),))
    table = tables.correlation_table(cube, (np.zeros(3), np.random.default_rng(0).random((3, 6))))
    assert table["global_r"].isna().all() and table["local_r"].isna().all()
    assert (table["sentences"] == 0).all()


def test_more_texts_than_memory_holds_are_refused_before_they_are_drawn(monkeypatch):
    monkeypatch.setattr(perturbation, "MAX_CELLS", 5)
    with pytest.raises(OptionError, match="Take fewer sentences"):
        perturbation.draw(SENTENCES, spec(countries=("France",), draws=3))


def test_a_mention_that_neither_lists_nor_context_support_is_dropped():
    assert not people_of("Tryna sleep", "Tryna")
    assert people_of("I met Zzyzx there", "Zzyzx")


def test_classes_have_one_name_each_where_a_target_is_the_opposite_of_another():
    targets = (Target("hate"), Target("not hate"))
    table = tables.country_table(cube_of(np.full((2, 2), 0.2), np.full((2, 6, 2), 0.7), targets))
    assert not table.duplicated(["country", "target"]).any()
    assert {"hate ≥ 0.5", "hate < 0.5", "not hate", "not not hate"} <= set(table["target"])


def test_families_are_a_column_of_the_file_or_near_copies() -> None:
    options = spec(countries=("France",), draws=1, families="author")
    same = perturbation.draw(SENTENCES.assign(author="me"), options)
    assert same.sentences["family"].nunique() == 1
    with pytest.raises(OptionError, match="families"):
        perturbation.draw(SENTENCES, options)
