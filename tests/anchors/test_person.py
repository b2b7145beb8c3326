"""The person in a document: measured on documents that were written for it, and each rule by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from psa_core import anchors
from psa_core.anchors._base import UNCLEAR, Found
from psa_core.anchors._person.grammar import plural_verb, singular_verb
from psa_core.anchors._person.subject import choose, find_people
from psa_core.inputs.people import PRONOUNS, Person, slots_in
from psa_core.study.perturbation import Perturbation

DOCUMENTS = Path(__file__).with_name("person-documents.txt").read_text(encoding="utf-8").split("=====\n")[1:]
#: A person's name, then the text: ``[words|form]`` is a mention, ``[she]`` a pronoun, and ``[words|-]`` a mention that
#: must stay and be listed. Nobody in them is real. The rules were mended with the first and the third; the others came
#: later: of "unseen" 184 of 187, of "long" 226 of 229 and of the last 20 of "fresh" 165 of 166 changed spans were right
#: at first sight.
HARD, HELD_OUT, LETTERS, UNSEEN, LONG, FRESH = (
    Path(__file__).with_name(f"person-{kind}.txt").read_text(encoding="utf-8").split("=====\n")
    for kind in ("hard", "held-out", "letters", "unseen", "long", "fresh")
)
_MARKED = re.compile(r"\[([^\[\]|\n]+?)(?:\|([^\[\]|\n]+))?\](?!\()")
_PRONOUNS = {word: form for form, words in PRONOUNS.items() if form not in ("him", "his") for word in words}
_PRONOUNS |= {"him": "him", "them": "him", "his": "his", "their": "his"}
EMILY, GREG = Person.of("Emily Walsh", "female"), Person.of("Greg Baker", "male")
KIM = Person.of("Kim Lee")


def search(text: str, spec: str = "person") -> Found:
    """What is found of the one whom a text is most likely about: a few sentences seldom make that clear."""
    found = anchors.search(anchors.finder(spec), [text])[0]
    return search(text, f"person:{found.people[0]}") if found.reason == UNCLEAR else found


def changed(text: str, person: Person = EMILY, spec: str = "person") -> str:
    """The text with another person; as it is where it has no subject."""
    found = search(text, spec)
    return Perturbation((text,), (found.anchors,), (person.name,), (person,)).text(0, 0) if found.anchors else text


def searched(texts: list[str], names: list[str]) -> list[Found]:
    """What is found in documents; where it is not clear whom one is about, a reader chooses."""
    results, unclear = anchors.search(anchors.finder("person"), texts), 0
    for at, name in enumerate(names):
        if results[at].reason == UNCLEAR:
            unclear += 1
            results[at] = anchors.search(anchors.finder(f"person:{name}"), [texts[at]])[0]
    assert 5 * unclear <= len(texts)
    return results


def left(text: str, spec: str = "person") -> list[tuple[str, str]]:
    found = search(text, spec)
    return [(text[one.start : one.end], one.reason) for one in found.undecided]


def filled(template: str, person: Person) -> tuple[str, list[tuple[int, int, str]]]:
    """A document as written about somebody, and where the slots were: start, end, form."""
    text, places, end = "", [], 0
    for slot in slots_in(template):
        text += template[end : slot.start]
        places.append((len(text), len(text) + len(person.form(slot.form)), slot.form))
        text += person.form(slot.form)
        end = slot.end
    return text + template[end:], places


def expected(text: str, places: list[tuple[int, int, str]], start: int, end: int, person: Person) -> str | None:
    """What a span should become; None where it cuts a mention in two or holds none."""
    inside = [place for place in places if start <= place[0] and place[1] <= end]
    if not inside or any(a < start < b or a < end < b for a, b, _ in places):
        return None
    words = ""
    for a, b, form in inside:
        words, start = words + text[start:a] + person.form(form), b
    return words + text[start:end]


def unmarked(marked: str) -> tuple[str, list[tuple[int, int, str]]]:
    """A document without its marks, and where they were: start, end, form."""
    text, places, end = "", [], 0
    for mark in _MARKED.finditer(marked):
        form = mark[2] or _PRONOUNS.get(mark[1].casefold())
        if form:
            if form in PRONOUNS and mark[1][0].isupper():
                form = form.capitalize()
            text += marked[end : mark.start()]
            places.append((len(text), len(text) + len(mark[1]), form))
            text, end = text + mark[1], mark.end()
    return text + marked[end:], places


@pytest.mark.slow
@pytest.mark.parametrize(
    ("documents", "least_right", "most_silent"),
    [
        (HARD, 0.99, 0),
        (HELD_OUT, 0.96, 3),
        (LETTERS[1:], 0.99, 0),
        (UNSEEN[1:], 0.99, 0),
        (LONG[1:], 0.99, 0),
        (FRESH[1:], 0.99, 0),
    ],
    ids=["hard", "held out", "letters", "unseen", "long", "fresh"],
)
def test_documents_with_relatives_initials_nicknames_and_addresses(
    documents: list[str], least_right: float, most_silent: int
) -> None:
    written = [unmarked(document.split("\n", 1)[1]) for document in documents]
    genders = [document.split("\n", 1)[0].split("|")[3].strip() for document in documents]
    spans = right = silent = 0
    results = searched([text for text, _ in written], [document.split("|")[0].strip() for document in documents])
    for (text, places), gender, found in zip(written, genders, results, strict=True):
        other = EMILY if gender == "male" else GREG
        stays = [place for place in places if place[2] == "-"]
        for one in found.anchors:
            if "/" not in one.form:
                spans += 1
                kept = any(one.start < end and start < one.end for start, end, _ in stays)
                right += not kept and other.form(one.form) == expected(text, places, one.start, one.end, other)
        seen = [(one.start, one.end) for one in (*found.anchors, *found.undecided)]
        silent += sum(not any(a < end and start < b for a, b in seen) for start, end, _ in places)
    assert spans > 100 and right / spans >= least_right
    assert silent <= most_silent


def test_at_least_98_of_100_changed_spans_are_right_and_what_stays_is_listed() -> None:
    written = []
    for document in DOCUMENTS:
        head, template = document.split("\n", 1)
        subject = Person(*(part.strip() for part in head.split("|")))
        written.append((*filled(template, subject), GREG if subject.gender == "female" else EMILY))
    results = searched([text for text, _, _ in written], [document.split("|")[0].strip() for document in DOCUMENTS])
    spans = right = mentions = silent = 0
    for (text, places, other), found in zip(written, results, strict=True):
        assert not found.reason
        names = [one for one in found.anchors if "/" not in one.form]  # a verb is equal for she and he
        spans += len(names)
        right += sum(other.form(one.form) == expected(text, places, one.start, one.end, other) for one in names)
        mentions += len(places)
        kept = [(one.start, one.end) for one in (*found.anchors, *found.undecided)]
        silent += sum(not any(a < end and start < b for a, b in kept) for start, end, _ in places)
    assert len(DOCUMENTS) == 58 and spans >= 450
    assert right / spans >= 0.98
    assert silent == 0


def test_all_forms_of_a_name_change_together() -> None:
    text = (
        "JOHN MICHAEL DOE\njohn.doe@example.com | linkedin.com/in/john-doe | JDoe_CV.pdf\n\n"
        "John Doe is a nurse. Mr. Doe's colleagues like him; J. Doe and Doe, John are one man. John left.\nDoe stayed."
    )
    assert changed(text) == (
        "EMILY WALSH\nemily.walsh@example.com | linkedin.com/in/emily-walsh | EWalsh_CV.pdf\n\n"
        "Emily Walsh is a nurse. Ms. Walsh's colleagues like her; E. Walsh and Walsh, Emily are one man. Emily left."
        "\nWalsh stayed."
    )


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Jane Doe came. Her sister Mary Doe left.", "Mary Doe"),
        ("Jane Doe came. Doe & Sons built the hall.", "Doe & Sons"),
        ("Jane Doe came. Mr. Doe left.", "Mr. Doe"),
        ("Jane Doe came with Mr. and Mrs. Doe.", "Mr. and Mrs. Doe"),
        ("Jane Doe came. The Doe family left.", "Doe family"),
        ("Jane Doe came. Ms. Doe & Sons built the hall.", "Ms. Doe &"),
        ("Jane Doe came. Ms. Doe-Hall left.", "Ms. Doe-Hall"),
        ("Jane Doe met Sarah King. She smiled.", "She"),
        ("Jane Doe came. Write to info@doebakery.com.", "doebakery"),
    ],
)
def test_what_belongs_to_others_or_cannot_be_decided_stays_and_is_listed(text: str, stays: str) -> None:
    assert stays in changed(text, GREG) and "Jane" not in changed(text, GREG)
    assert any(words in stays or stays in words for words, _ in left(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Who was named in an earlier paragraph is not meant, who was named in this one may be.
        ("Jane Doe met Sarah King.\nShe smiled.", "Greg Baker met Sarah King.\nHe smiled."),
        ("Jane Doe came. Jane left.\nSarah wept. She smiled.", "Greg Baker came. Greg left.\nSarah wept. She smiled."),
        # Who may be a man counts in this sentence and the next.
        (
            "Jane Doe met Dr. Zyx. It rained. It was late. She left.",
            "Greg Baker met Dr. Zyx. It rained. It was late. He left.",
        ),
        ("Jane Doe met Dr. Zyx. It rained. She left.", "Greg Baker met Dr. Zyx. It rained. He left."),
        ("Jane Doe met Dr. Zyx. She left.", "Greg Baker met Dr. Zyx. She left."),
        # A role names somebody, unless it tells what the person is.
        ("Jane Doe called. The engineer came and she left.", "Greg Baker called. The engineer came and she left."),
        ("Jane Doe is an engineer and she left.", "Greg Baker is an engineer and he left."),
        ("Jane Doe works as an engineer. She left.", "Greg Baker works as an engineer. He left."),
        ("Jane Doe was ill. The patient slept. She left.", "Greg Baker was ill. The patient slept. He left."),
        ("Jane Doe called. A patient slept. She left.", "Greg Baker called. A patient slept. She left."),
        # Nobody is the object of what she does, except as herself.
        ("Jane Doe came in the morning and thanked her.", "Greg Baker came in the morning and thanked her."),
        ("Jane Doe came. She thanked her warmly.", "Greg Baker came. He thanked her warmly."),
        ("Jane Doe came. She hurt herself badly.", "Greg Baker came. He hurt himself badly."),
        (
            "Jane Doe came. The officer, who satisfied herself, signed.",
            "Greg Baker came. The officer, who satisfied herself, signed.",
        ),
        ("Jane Doe came. Everybody who knew her signed.", "Greg Baker came. Everybody who knew him signed."),
    ],
)
def test_whose_a_pronoun_is(text: str, expected: str) -> None:
    assert changed(text, GREG) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Three pronouns tell more than a title, which is his mother's then; and they may be they.
        (
            "Pupil: Xyl Doe\nXyl can do it. He tries. Xyl sings. He is loud. Xyl left and took his hat. Mrs Doe wrote.",
            "Pupil: Emily Walsh\nEmily can do it. She tries. Emily sings. She is loud. Emily left and took her hat. "
            "Mrs Doe wrote.",
        ),
        (
            "Jane Doe came. They sat. Jane sang, they were loud, and Jane left with their hat. Her mother wept.",
            "Emily Walsh came. They sat. Emily sang, they were loud, and Emily left with their hat. Her mother wept.",
        ),
        (
            "Candidate 14: Xyl Doe\nReaders: Ann Lee\nAnn spoke.",
            "Candidate 14: Emily Walsh\nReaders: Ann Lee\nAnn spoke.",
        ),
        (
            "Name ........ Doe, Xyl P.\nMarried to Ann Doe. Ann works.",
            "Name ........ Walsh, Emily\nMarried to Ann Doe. Ann works.",
        ),
        ("Re: Mr. J. Doe\nDr. Lee saw him.", "Re: Ms. Walsh\nDr. Lee saw her."),
        ("Jane Doe MBA\nJane Doe is a nurse.", "Emily Walsh MBA\nEmily Walsh is a nurse."),
        ("Jane Doe pays PHP 5. Approve PHP 4.", "Emily Walsh pays PHP 5. Approve PHP 4."),
        (
            'Jane Doe spoke of Sarah. "She sang," Jane said. "She was loud."',
            'Emily Walsh spoke of Sarah. "She sang," Emily said. "She was loud."',
        ),
        (
            "Jane Doe works with Mia Lee, who is also her wife. Mia and Mia left.",
            "Emily Walsh works with Mia Lee, who is also her wife. Mia and Mia left.",
        ),
    ],
)
def test_what_decides_who_a_text_is_about_and_with_which_pronouns(text: str, expected: str) -> None:
    assert changed(text, EMILY) == expected


def test_they_may_be_several_who_were_just_named() -> None:
    text = (
        "Alex Doe (they/them) is kind. They left. Two customers came and they wept. It rained. It was late. They slept."
    )
    assert changed(text, GREG) == (
        "Greg Baker (he/him) is kind. He left. Two customers came and they wept. It rained. It was late. He slept."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna Lane came. She left.", "Greg Baker came. He left."),
        ("Ms. Lane will be missed.", "Mr. Baker will be missed."),
        ("Maria Park is a nurse. Park joined in 2019.", "Greg Baker is a nurse. Baker joined in 2019."),
        ("Ji-woo Park is a designer. Ms. Park joined in May.", "Greg Baker is a designer. Mr. Baker joined in May."),
        ("Dr. West saw the patient.", "Dr. Baker saw the patient."),
        ("Anna Marie Lane joined us. Anna is a baker.", "Greg Baker joined us. Greg is a baker."),
        ("Patient: Anna House\nShe sleeps well.", "Patient: Greg Baker\nHe sleeps well."),
        (
            "Anna Lane lives at 5 Anna Lane. She came from Park Lane.",
            "Greg Baker lives at 5 Anna Lane. He came from Park Lane.",
        ),
        ("Anna West moved West. She is kind.", "Greg Baker moved West. He is kind."),
        ("Jennifer Best applied. Best regards,\nTom", "Greg Baker applied. Best regards,\nTom"),
        ("Ms. Park lives at 3 Park Lane, near the Park.", "Mr. Baker lives at 3 Park Lane, near the Park."),
        ("Jane Doe lives in Anna Street. Jane Doe left.", "Greg Baker lives in Anna Street. Greg Baker left."),
    ],
)
def test_a_last_name_that_is_also_a_word_for_a_place(text: str, expected: str) -> None:
    assert changed(text, GREG) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We met in Hyde Park on Monday.",
        "The shop on Anna Street is closed.",
        "Write to 4 Peter Lane, Leeds.",
        "Elizabeth Park is green.",
        "Charlotte Street was busy today.",
        "The Martin House is open.",
        "John Street Clinic called.",
        "Queen Victoria Street is closed. Victoria Ward is full.",
        "Alice House, 12 Mill Road, wants a new door.",
        "In March Anna Lane was closed.",
    ],
)
def test_streets_parks_and_wards_with_a_first_name_are_nobody(text: str) -> None:
    assert changed(text) == text


def test_the_order_of_a_chinese_name_is_told_by_what_its_words_are_known_as() -> None:
    text = "Chen Jing is a nurse. She works nights. Jing sings; Ms. Chen is kind."
    assert changed(text, GREG) == "Greg Baker is a nurse. He works nights. Greg sings; Mr. Baker is kind."
    assert changed("Li Wei came. She left.", GREG) == "Greg Baker came. He left."
    assert changed("Mei Lin is a nurse. Ms. Lin left.", GREG) == "Greg Baker is a nurse. Mr. Baker left."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jane Doe came. I've been through it with her line by line and she left.", "with him line by line and he"),
        ("Jane Doe came. She never did, and people listened to her more. I asked.", "listened to him more."),
        ("Jane Doe came.\nKat: I'm not saying it's her\nTom: you kind of are", "it's him\nTom"),
        ("Jane Doe came. I told\nher\nmanager.", "his\nmanager"),  # a line that was wrapped
    ],
)
def test_her_without_a_noun_is_him(text: str, expected: str) -> None:
    assert expected in changed(text, GREG)


def test_his_before_dots_is_a_possessive() -> None:
    assert changed("John Doe left. After his... (shorten! Ann says so)").startswith("Emily Walsh left. After her...")


def test_a_pronoun_is_left_where_the_one_before_the_name_is_anothers() -> None:
    text = "Jane Doe paid. A Mrs. Lindgren called. We told her that we would let to Jane Doe again. She wanted to know."
    assert changed(text, GREG).endswith("We told her that we would let to Greg Baker again. She wanted to know.")
    assert ("She", "a pronoun nearer to another person") in left(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jane Doe joined us from Kerr & Doe Haulage. Known to all as Jay. Jay sings.", "Greg. Greg sings."),
        ("Sonja Ek, whom everybody here calls Nilla, came. Nilla sings.", "calls Greg, came. Greg sings."),
        ('Priyanka "Priya" Rao came. Academically Priya Rao is strong.', "Academically Greg Baker is strong."),
        ("Lin Al-Amin applied (lin.alamin@mail.example). Lin left.", "applied (greg.baker@mail.example). Greg left."),
        ("Ana de la Cruz Gil applied. Kind regards,\nAna de la Cruz\nana.delacruz@x.example", "greg.baker@x.example"),
        ("Nguyen Thi Minh Chau came. Minh Chau sings. Ms. Nguyen left.", "came. Greg sings. Mr. Baker left."),
        ("Jane Doe wrote it. Ek, E. & Doe, J. (2019). Slow starts.", "Ek, E. & Baker, G. (2019). Slow starts."),
    ],
)
def test_other_names_of_one_person(text: str, expected: str) -> None:
    assert changed(text, GREG).endswith(expected) and not re.search("Doe,|Ana|Lin|Minh", changed(text, GREG))


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Jane Doe paid. Mrs. Barry is 84. Jane carried her coal up.", "her"),
        ("John Doe rang. Mr. Devlin called out. John rang the bell for him.", "him"),
        ("Alex Doe (they/them) leads. Alex is liked by students, and the reason they give is good.", "they"),
        ("John Doe fell. His son, John Doe Jr., lives in Cork. John is well.", "John Doe"),
    ],
)
def test_what_may_be_somebody_elses_stays(text: str, stays: str) -> None:
    assert f" {stays}" in changed(text, EMILY) and stays in [words for words, _ in left(text)]


def test_who_is_called_junior_from_the_start_changes_everywhere_and_with_the_junior() -> None:
    text = "John Doe III applied. We hired John Doe, III. His uncle, John Doe Sr., and his son, John Junior, called."
    assert changed(text) == (
        "Emily Walsh applied. We hired Emily Walsh. Her uncle, John Doe Sr., and his son, John Junior, called."
    )
    assert [words for words, _ in left(text)] == ["John Doe", "his", "John Junior"]


def test_who_shares_a_part_of_the_name_is_another_for_pronouns_too() -> None:
    text = "Ngozi Adeyemi-Clarke is a nurse. Her student, Holly Clarke, won; in her speech she thanked Ngozi."
    assert changed(text, GREG) == (
        "Greg Baker is a nurse. His student, Holly Clarke, won; in her speech she thanked Greg."
    )


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        (
            "John Doe applied. The entry belongs to another John Doe, of Hull. John owes nothing.",
            "another John Doe, of",
        ),
        ("John Doe sleeps well. His cousin, also John, called: his number is here.", "also John, called: his number"),
    ],
)
def test_a_namesake_stays_with_his_pronouns(text: str, stays: str) -> None:
    assert stays in changed(text)


@pytest.mark.parametrize(
    ("text", "with_another"),
    [
        ("My name is Tan Mei Ling.\n\nYours\nMei Ling Tan\nmeiling.tan@a.example", "{name}|{name}|emily.walsh@"),
        ("Kang Ji-woo led it. Ji-woo spoke. Kang left.", "{name} led|{first} spoke|{last} left"),
        ("NGUYEN, Tuan Minh\n\nTuan writes. Nguyen led.", "WALSH, Emily|{first} writes|{last} led"),
        ("Luis Ortega y Vidal rents. Mr. Ortega pays.", "{name} rents|Ms. {last} pays"),
        ("1 Stone Plaza\n\nEverett Stone rents it. Mr. Stone left.", "1 Stone Plaza|{name} rents|Ms. {last}"),
        (
            "Subject: Escalation N. Rao\n\nMr. Rao called. Nikhil Rao paid.",
            "Escalation E. Walsh|Ms. {last}|{name} paid",
        ),
        (
            "Renske de Wit rents flat 6 at Harbour View. Renske earns well.\n\nDr. Hendrik de Wit",
            "{name} rents|{first} e",
        ),
        ("Subject: Re: FW: Agnes\n\nAgnes Doe wants less. Doe is the best.", "FW: {first}|{name} wants|{last} is"),
        ("Jane Doe moved to Hong Kong. Jane likes Hong Kong. Doe trades in Hong Kong.", "{name} moved to Hong Kong"),
        ("We made Jane Doe redundant. Jane left.", "made {name} redundant|{first} left"),
    ],
)
def test_which_part_of_a_name_is_the_last(text: str, with_another: str) -> None:
    other = changed(text)
    for words in with_another.format(name=EMILY.name, first=EMILY.first, last=EMILY.last).split("|"):
        assert words in other, other


def test_who_is_perhaps_the_same_person_is_perhaps_another_for_pronouns() -> None:
    text = "Ravi slept. Mr. Menon says that Ravi has work, and that he may go with him. Ravi left."
    assert changed(text) == "Emily slept. Mr. Menon says that Emily has work, and that he may go with him. Emily left."


def test_a_name_that_no_list_knows_is_another_where_it_acts_more_than_once() -> None:
    text = "Jane Doe joins us. Priti began the model; Priti will explain what she did. Jane starts on Monday."
    assert "Priti will explain what she did" in changed(text, GREG)


def test_a_short_name_in_quotes_behind_the_full_one_is_the_persons() -> None:
    text = 'Applicant: Philippa Moore ("Pip")\nPip is cheerful.'
    assert changed(text, GREG) == 'Applicant: Greg Baker ("Greg")\nGreg is cheerful.'


def test_where_nobody_calls_the_person_he_or_she_every_they_is_listed() -> None:
    text = "Wei Zhang had a good year. They led two people. Olga follows them. Wei rests."
    assert [words for words, reason in left(text) if "they" in reason] == ["They", "them"]
    assert not left("Jane Doe had a good year. She told her team. They follow her.")
    assert not left("My name is Jane Doe. I run a shop. My sons help me; they are strong.\n\nRegards\nJane Doe")


@pytest.mark.parametrize(
    ("text", "relative"),
    [
        ("Kay Stone applied. She has a daughter, Mia Stone. Kay left.", "Mia Stone"),
        ("Patient: Kay Stone. Next of kin: Mia Stone (daughter). Kay sleeps well.", "Mia Stone"),
        ("Mia Stone, daughter, called. Kay Stone sleeps well. Kay is fine.", "Mia Stone"),
        ("Mia Stone called with her brother Kay Stone. Mia is fine.", "Kay Stone"),
    ],
)
def test_a_text_is_not_about_a_relative_of_the_same_name(text: str, relative: str) -> None:
    assert (
        relative in changed(text, GREG)
        and "Greg Baker" in changed(text, GREG)
        and changed(text, GREG).count("Greg") == 2
    )


def test_verbs_in_capitals_stay_in_capitals() -> None:
    text = "JANE DOE\n\nJane Doe is a nurse. SHE IS EARLY. Is she kind?"
    assert changed(text, KIM).endswith("THEY ARE EARLY. Are they kind?")
    assert changed(text, GREG).endswith("HE IS EARLY. Is he kind?")


def test_pronouns_and_verbs_agree() -> None:
    text = "Jane Doe runs a shop. She's been there since May and she likes it. Does she sing? Her songs are hers."
    assert changed(text, GREG) == (
        "Greg Baker runs a shop. He's been there since May and he likes it. Does he sing? His songs are his."
    )
    assert changed(text, KIM) == (
        "Kim Lee runs a shop. They've been there since May and they like it. Do they sing? Their songs are theirs."
    )


def test_a_person_whose_pronouns_are_they() -> None:
    text = "Alex Morgan (they/them) joined us. They are a baker and they work at night. Ask them."
    assert changed(text, GREG) == ("Greg Baker (he/him) joined us. He is a baker and he works at night. Ask him.")


def test_pronouns_in_a_text_by_the_person_are_somebody_elses() -> None:
    text = "Dear Ms. Patel,\n\nI work for a florist. My boss is kind; she taught me.\n\nKind regards,\nJane Doe"
    assert changed(text, GREG).endswith("she taught me.\n\nKind regards,\nGreg Baker")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A label says whom a form is about, wherever it stands in a line and in either order of the name.
        (
            "Note. Client: Jane Doe. Matter: rent.\n\nTom Hall spoke. Tom Hall left.",
            "Note. Client: Greg Baker. Matter: rent.",
        ),
        (
            "Young person: Jane Doe (14)     Worker: Ann Lee\n\nAnn Lee rang. Ann Lee left.",
            "Young person: Greg Baker (14)",
        ),
        (
            "Inmate: DOE, Jane R.          ID: 44\n\nTom Hall spoke. Tom Hall left. Ms. Doe read.",
            "Inmate: BAKER, Greg ",
        ),
        ("Insured Jane Bright Doe\nTom Hall rang. Tom Hall left. Mrs. Doe called.", "Insured Greg Baker"),
        ("Resident: Tom Hall, MD\nVeteran: DOE, JANE\n\nTom Hall came.", "Veteran: BAKER, GREG"),
        ("Subject: Nomination, Apprentice of the Year\n\nJane Doe sang. On Mondays Jane rests.", "Greg Baker sang."),
        # Who writes, who is written to, and a relative are seldom the person.
        (
            "From: Tom Hall\n\nJane Doe was late. She was told.\n\nRegards,\nTom Hall\nTom Hall",
            "Greg Baker was late. He was told.",
        ),
        (
            "Present: Jane Doe, mother (Ruth).\n\nRuth rang. Ruth left. Jane came.",
            "Present: Greg Baker, mother (Ruth).",
        ),
        ("Jane Doe came. Tom, the son, rang. Tom left. Tom sat.", "Greg Baker came. Tom, the son, rang."),
        (
            "On Thu, 11 Apr at 06:58 Tom Hall wrote:\nJane Doe left.\n\nOn Thu, 11 Apr Tom Hall wrote:\nYes.",
            "Greg Baker left.",
        ),
        # One person's first and last name, where the text never has them side by side.
        ("See doe_j_lease.pdf. Doe let us in. Jane sat. Ms. Doe smiled. Tom Hall left.", "Baker let us in. Greg sat."),
        ("Rosa sang. Rosa left. Bay 4 is full. Bay 4 is old. Mrs. Doe rests.", "Greg sang. Greg left. Bay 4"),
        ("Paddy rang. Patrick left. Paddy sings. Ann sat.", "Greg rang. Greg left. Greg sings."),
        # Who speaks in a chat, and what is no name.
        ("[09:05] Tom: Ann Lee came\n[09:06] Tom: Ann sang\n[09:07] Tom: Ann left", "Tom: Greg Baker came"),
        ("Tom: Ann Lee came. She sang.\nTom: Ann left.\nTom: bye", "Tom: Greg Baker came. He sang."),
        ("Data Analyst\nJane Doe sings. Data Analyst jobs. Woke Ann. Jane left.", "Data Analyst\nGreg Baker sings."),
        ("We are in Miami. See Miami, dear Miami. Tom Hall left. Tom sings.", "Greg Baker left. Greg sings."),
        # A label that is not known, in a form's head; a name that no list knows, at the top; letters behind a name.
        ("Requester: Doe, Jane (Finance)\nTom Hall rang. Tom left.", "Requester: Baker, Greg (Finance)"),
        ("XYLA VORN-QUILL\nSells boats.\n\nTom Hall rang. Xyla Vorn-Quill sails.", "GREG BAKER\nSells boats."),
        (
            "Name   Miss Kay Ann Stone MBBS FRCS\nTom Hall rang. Tom left. Miss Stone sat.",
            "Name   Mr. Greg Baker MBBS FRCS",
        ),
        ("CDL Driver. Tanker Driver here. OTR Driver there. Jane Doe drives.", "Driver there. Greg Baker drives."),
        ("Title Ms   Surname Vorn   Forenames Xyla\nTom Hall rang. Tom left.", "Surname Baker   Forenames Greg"),
        ("Philippa Vorn left. Pip, as everybody calls her, is kind.", "Greg, as everybody calls him, is kind."),
        ("I'm Jane's tutor. Jane Doe sings. Write to jane@doe.example, i.jane@x.example.", "I'm Greg's tutor."),
        ("Jane Doe came. Mark on the file: J.D. Driving licence, no car.", "file: G.B. Driving licence"),
        ("Bridie (14)\nCame back late. Bridie ate.", "Greg (14)\nCame back late. Greg ate."),
        # A first name that is a word too, and one that no list knows.
        ("River came late. We asked River. Tom Hall sat.", "Greg came late. We asked Greg."),
        ("Zyxan came. Zyxan sat. Zyxan left us. Tom Hall rang.", "Greg came. Greg sat. Greg left us."),
        ("Vorn, Xylia, 19 yrs, room 4\nXylia eats. Tom Hall rang. Tom left. Tom sang.", "Baker, Greg, 19 yrs"),
        ("LOG re: VORN, Xylia, age 88\nMrs. Vorn ate. Tom Hall rang.", "re: BAKER, Greg, age 88\nMr. Baker"),
        ("Complainant: Xylia Vorn, Senior Analyst\nTom Hall rang.", "Complainant: Greg Baker, Senior Analyst"),
        ("Customer Resolution, Turku branch\nMs Xyla Vorn\nXyla rang. Tom Hall left.", "Mr. Greg Baker\nGreg rang."),
        ("PT SAMUDRA BIRU TEKNIK\nRe: Jane Doe\nJane left. Jane sang.", "TEKNIK\nRe: Greg Baker"),
        (
            "Employee: Oluchi Adeyinka-Wright, Branch Librarian\nTom Hall left.",
            "Employee: Greg Baker, Branch Librarian",
        ),
        ("Candidate: Wren Vorn\nYour name: Tom Hall-Lee\nTom left. Vorn took it well.", "Candidate: Greg Baker\nYour"),
        ("Reporting person: Ruth Hall\nZoe Stone left. Zoe sang.", "Ruth Hall\nGreg Baker left. Greg sang."),
        ("Edith Vorn (“Edie”, never Edith)\nEdie sang. Edie ate. Tom rang.", "never Greg)\nGreg sang. Greg ate."),
        (
            "On 12 January Oskar Tennant rang us. On 19 January Oskar left. Early in January he sat.",
            "On 12 January Greg Baker rang us. On 19 January Greg left.",
        ),
        ("Gwilym ap Rhys came. Mr ap Rhys ate.\nAP RHYS: Yes.", "Greg Baker came. Mr. Baker ate.\nBAKER: Yes."),
        (
            "Name of person complained of: Coach Jane (boys)\nYour name: Tom Hall\nTom left. Tom sat. Jane ran.",
            "Coach Greg (boys)\nYour name: Tom Hall",
        ),
        ("Jane Doe left. A man whom she would only call Biscuit rang. Biscuit sat.", "only call Biscuit rang."),
        ("Mrs A Doe, 81\nAnn let me in. Her nephew Tom Doe rang. Mrs Doe ate.", "Mr. G Baker, 81\nGreg let me in."),
        ("Client: Jane Doe\nKnown as: Zyxa\nZyxa sings.", "Known as: Greg\nGreg sings."),
        # A first name that no list knows, and words that begin a name only by their capital.
        ("Dear Ann and Tom,\n\nOisíndra tells me nothing. Oisíndra laughed.", "Greg tells me nothing. Greg laughed."),
        (
            "Jane Doe came. On 11 May Jane left.",
            "Greg Baker came. On 11 May Greg left.",
        ),
    ],
)
def test_who_a_text_is_about(text: str, expected: str) -> None:
    assert expected in changed(text, GREG)


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Jane Doe came.\nMadam Lee\nHer shop is here.", "Her shop"),  # a line that is a name heads what follows
        ("Jane Doe saw Zyxa Quill. She left.", "She left"),
        ("Jane Doe came. The team at J.D. Puram left.", "J.D. Puram"),
        ('"They asked me," says Jane Doe. "So I told her to go."', "told her"),
        ('Jane Doe came. "She was late," he said.', "She was late"),
        ("Jane Doe came. Zyx rang and she left.", "she left"),  # a name that no list knows
        ("Jane Doe (they/them) came. Jane sat. Ms. Doe left.", "Ms. Doe"),
        ("Jane Doe came. Her brother Doe left.", "Doe left"),
        ("Dear Ms. Doe,\n\nJane Doe sings. She reads. She eats. She runs. She sleeps.", "Dear Ms. Doe"),  # her mother
        ("Jane Doe came. Ann Lee rang. She sat. She left.", "She sat. She left."),  # whoever she is, it is the same
        ("Jane Doe came. Jordan rang. She sat.", "She sat"),  # women are called Jordan too
        ("QA: Is Jane Doe here?\nJane Doe: I told her.\nJane Doe: She left.\nTom: Jane sat.", "I told her."),
        ("Jane Doe met Ann Lee. Jane told her. Ask until somebody spoke to her.", "somebody spoke to her"),
        ("Ruth Moore sat.\nJane Doe came. Jane ate.\n\nRM: Was she late?", "RM: Was she late?"),
        ("Jane Doe came. Ann Lee wept. It rained. Then Jane took her bag.", "her bag"),  # of her who acted before
        ("Jane Doe came. I spoke to the driver. She is new.", "She is new."),
        ("QA: Is it Jane Doe?\nJane Doe: Yes.\nJane Doe: I told her.\nQA: Did she go?", "Did she go?"),
    ],
)
def test_who_else_may_be_meant(text: str, stays: str) -> None:
    assert stays in changed(text, GREG)


@pytest.mark.parametrize("filling", [" ", "\t", "client: ", ". ", "a wrote "])
def test_a_long_line_of_one_thing_is_read_in_time(filling: str) -> None:
    """A pattern that tries every length at every place would take hours."""
    text = f"Jane Doe came. {filling * 20_000}\n{filling * 20_000}"
    found = find_people(text, [])
    assert [one.named.words for one in found] == ["Jane Doe"] and choose(text, found, "")[0] is found[0]


@pytest.mark.parametrize("line", ["Case RE:", "Subject FW: "])
def test_a_label_without_a_name_behind_it_is_nobody(line: str) -> None:
    assert changed(f"Jane Doe left.\n{line}\nJane sang.", GREG) == f"Greg Baker left.\n{line}\nGreg sang."


@pytest.mark.parametrize("signs", ["*", "_", "=-"])
def test_a_long_line_of_signs_is_read_in_time(signs: str) -> None:
    text = f"Jane Doe came. {signs * 30_000}\nJane left."
    assert changed(text, GREG) == text.replace("Jane Doe", "Greg Baker").replace("Jane", "Greg")


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Ann Lee met Tom Hall. Tom Hall thanked Ann Lee.", ("Ann Lee", "Tom Hall")),
        ("Ann Lee rang. Ann sings. Tom Hall left. Tom is old.", ("Ann Lee", "Tom Hall")),
        ("Tenant: Ann Lee\nAnn rang. Tom Hall left. Tom is old. Tom reads. Tom sings.", ()),
        ("Ann Lee rang. Ann sings. Ann reads. Tom Hall left.", ()),
        ("Ms. Lee will be missed.", ()),
        (
            "It rained all day long. " * 20 + "Ann Lee rang. Ann sings. Ann reads. Tom Hall left.",
            ("Ann Lee", "Tom Hall"),
        ),
    ],
)
def test_whether_it_is_clear_whom_a_text_is_about(text: str, people: tuple[str, ...]) -> None:
    found = anchors.search(anchors.finder("person"), [text])[0]
    assert (found.reason, found.people if found.reason else ()) == (UNCLEAR if people else "", people)


def test_the_reader_may_choose_the_subject() -> None:
    text = "Jane Doe met Peter Hall. Jane Doe likes Peter. Jane Doe left."
    assert changed(text, GREG) == "Greg Baker met Peter Hall. Greg Baker likes Peter. Greg Baker left."
    assert changed(text, GREG, "person:Peter Hall") == "Jane Doe met Greg Baker. Jane Doe likes Greg. Jane Doe left."
    assert changed("Tom rang. ok Sunday Eze", GREG, "person:Sunday Eze") == "Tom rang. ok Greg Baker"


@pytest.mark.parametrize(
    ("text", "spec", "reason"),
    [
        ("The shop is closed.", "person", "without a person"),
        ("جاء الرجل إلى البيت", "person", "without a person"),
        ("Jane Doe left.", "person:Ann Lee", "without the person named"),
        ("Jane Doe left. Do.It is shut.", "person:Do", "without the person named"),
        ("Jane Doe and Peter Doe left.", "person:Doe", "with two people of one name"),
        ("John Smith, Sr. met John Smith, Jr. at noon.", "person", "with two people of one name"),
    ],
)
def test_a_text_without_one_subject_has_a_reason(text: str, spec: str, reason: str) -> None:
    found = anchors.search(anchors.finder(spec), [text])[0]
    assert (found.anchors, found.reason) == ((), reason)


def test_two_titles_before_a_name_are_both_left_out_of_it() -> None:
    text = "Patient: Mr. Dr. Jonas Keller\nMr. Keller sleeps well."
    assert changed(text) == "Patient: Mr. Dr. Emily Walsh\nMs. Walsh sleeps well."


@pytest.mark.parametrize(
    ("title", "person", "expected"),
    [("Mevrouw", GREG, "Mr. Baker"), ("Frau", EMILY, "Ms. Walsh"), ("Sister", GREG, "Mr. Baker")],
)
def test_titles_of_other_languages_change_with_the_person(title: str, person: Person, expected: str) -> None:
    text = f"Jane Mulder works in Room 5. {title} Mulder came in 1999."
    assert changed(text, person) == f"{person.name} works in Room 5. {expected} came in 1999."


def test_a_form_is_about_the_person_of_its_field_and_not_about_a_relative_in_another() -> None:
    text = "Mother's name: Ann Hill\nPerson concerned: MCRAE, Jane, 22 Mill Row\nPeter Dunn saw McRae. Peter Dunn left."
    assert changed(text).endswith("concerned: WALSH, Emily, 22 Mill Row\nPeter Dunn saw Walsh. Peter Dunn left.")


def test_a_first_name_with_a_hyphen_that_no_list_knows_belongs_to_the_full_name() -> None:
    text = "We met Anne-Fleur van der Hoek. Anne-Fleur sings."
    assert changed(text) == "We met Emily Walsh. Emily sings."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Tan Wei Jun met Amanda Tan. Mr Tan is calm. Wei Jun writes tests. Wei Jun sings.",
            "Greg Baker met Amanda Tan. Mr. Baker is calm. Greg writes tests. Greg sings.",
        ),
        (
            "Le Thi Hoai moved in with her cousin, Le Thi Xuan. Ms. Le pays. Hoai sings. Write to xuan.le@x.example.",
            "Greg Baker moved in with his cousin, Le Thi Xuan. Ms. Le pays. Greg sings. Write to xuan.le@x.example.",
        ),
        (
            "Maria Corazon Dela Rosa cooks. Corazon sings. Corazon reads, and Ms. Dela Rosa pays.",
            "Greg Baker cooks. Greg sings. Greg reads, and Mr. Baker pays.",
        ),
        ("Rui Nogueira da Costa moved in. Nogueira pays.", "Greg Baker moved in. Baker pays."),
        (
            "Omar bin Salim al-Hinai drives. Salim bin Said al-Hinai is old. Omar al-Hinai sings.",
            "Greg Baker drives. Salim bin Said al-Hinai is old. Greg Baker sings.",
        ),
        (
            "Lucía Ramos Vega left. Ms. Ramos was kind to Luis Vega Soto. We met Ms. Vega. Lucía sings.",
            "Greg Baker left. Mr. Baker was kind to Luis Vega Soto. We met Ms. Vega. Greg sings.",
        ),
        ("Re: Lee, Ji-woo\n\nLee Ji-woo sings. Ji-woo reads.", "Re: Baker, Greg\n\nGreg Baker sings. Greg reads."),
        ("Kim Min-ji sings. Kim Minji reads. Dr. Kim left.", "Greg Baker sings. Greg Baker reads. Dr. Baker left."),
        (
            "Mr. Nguyen Van Bao welds. Mr. Bao is on time. Nguyen sings.",
            "Mr. Greg Baker welds. Mr. Greg is on time. Baker sings.",
        ),
        ("Ana Mori called. Mori-san was kind.", "Greg Baker called. Baker-san was kind."),
        (
            "Surname: DOE\nForename: Jane\nHer son, Peter Doe, found Jane.",
            "Surname: BAKER\nForename: Greg\nHis son, Peter Doe, found Greg.",
        ),
    ],
)
def test_names_of_three_words_and_what_stands_for_them(text: str, expected: str) -> None:
    assert changed(text, GREG) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Pupil: Rui Alves Filho\nParents: Rui Alves and Eva Alves\nRui sings. Mr. Alves pays. Alves Filho reads.",
            "Pupil: Greg Baker\nParents: Rui Alves and Eva Alves\nGreg sings. Mr. Alves pays. Baker reads.",
        ),
        (
            "Aroha Walker rents Flat 2. Mr Walker pays. Mrs Walker, his mother, called; Mrs Walker is kind.",
            "Greg Baker rents Flat 2. Mr. Baker pays. Mrs Walker, his mother, called; Mrs Walker is kind.",
        ),
        (
            "Ms. Jane Doe rents Flat 2. Ms. Doe pays. Ask her mother, Ms. Doe.",
            "Mr. Greg Baker rents Flat 2. Mr. Baker pays. Ask his mother, Ms. Doe.",
        ),
        (
            "Jan-Willem de Boer rents Flat 2. Mevrouw De Boer, his wife, called. Jan-Willem said he pays.",
            "Greg Baker rents Flat 2. Mevrouw De Boer, his wife, called. Greg said he pays.",
        ),
        (
            "Jane Doe won. Prof. Doe (no relation) clapped. Jane sings. Doe, her father, left.",
            "Greg Baker won. Prof. Doe (no relation) clapped. Greg sings. Doe, her father, left.",
        ),
        (
            "REVIEW: DOE, JANE (JAN)\nJane sings. She lives in Doe Street.",
            "REVIEW: BAKER, GREG\nGreg sings. He lives in Doe Street.",
        ),
        ("Grace Young nurses. Young patients like Grace.", "Greg Baker nurses. Young patients like Greg."),
    ],
)
def test_parents_of_the_same_last_name_stay(text: str, expected: str) -> None:
    assert changed(text, GREG) == expected


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Jane Doe left. J. said no, and Ms. D. agreed.", ["J", "D"]),
        ("Jane Smith (née Doe) left. Ms. Smith sings.", ["Doe"]),
        ("Jane Doe writes as jdoe84. Jane sings.", ["jdoe"]),
        ("Jane Doe left. The children call her Biscuit. Biscuit sings.", ["Biscuit", "Biscuit"]),
        ("Jane Doe left. We called her GP, and would call her Mrs Hall. A GP sat.", []),
        ("Jane Doe rang. shes late, and hes not. See HES.", ["shes"]),
    ],
)
def test_letters_logins_and_other_names_are_listed(text: str, stays: list[str]) -> None:
    assert [words for words, _ in left(text)] == stays


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("seun.ade@x.example", "emily.walsh@x.example"),
        ("e.ade@x.example", "e.ade@x.example"),
        ("kofi.ade@x.example", "kofi.ade@x.example"),
        ("ade_cv.pdf", "walsh_cv.pdf"),
        ("kofi_ade_cv.pdf", "kofi_ade_cv.pdf"),
        ("ade_oluwaseun.pdf", "walsh_emily.pdf"),
        ("oa_cv.pdf", "oa_cv.pdf"),
    ],
)
def test_half_a_name_in_an_address_beside_another_word_stays_and_is_listed(address: str, expected: str) -> None:
    text = f"Oluwaseun Ade left. Oluwaseun sings. See {address}"
    assert changed(text) == f"Emily Walsh left. Emily sings. See {expected}"
    assert (address != expected) != bool(left(text))


def test_initials_before_a_last_name_in_an_address_are_the_persons_and_not_a_relatives() -> None:
    text = "Jean-Luc Roy left. Jean-Luc sings. Write to jl.roy@x.example."
    assert changed(text) == "Emily Walsh left. Emily sings. Write to e.walsh@x.example."
    text = "Jane Doe left. Jane sings. Jill Doe stays. Write to j.doe@x.example."
    assert changed(text) == "Emily Walsh left. Emily sings. Jill Doe stays. Write to j.doe@x.example."


def test_a_word_of_a_hundred_thousand_letters_is_no_address_and_costs_no_hours() -> None:
    text = f"Jane Doe left. See {'a.' * 50_000} or jane.doe@x.example."
    assert changed(text).startswith("Emily Walsh left.") and changed(text).endswith("emily.walsh@x.example.")


def test_long_texts_without_slots_are_documents() -> None:
    long = "Jane Doe runs a shop. " * 11
    assert anchors.suited_to([long, long]) == "person"
    assert anchors.suited_to([long, "He left."]) == anchors.default()
    assert anchors.suited_to(["He left."], are_documents=True) == "person"
    assert anchors.suited_to(["{name} left."], are_documents=True) == "slot"


def test_verbs_go_there_and_back() -> None:
    for verb in ("is", "was", "has", "manages", "teaches", "carries", "goes", "says"):
        assert singular_verb(plural_verb(verb)) == verb
