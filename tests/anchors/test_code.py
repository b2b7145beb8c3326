"""What is program code and what is prose, in backticks and without them."""

from __future__ import annotations

import re

import pytest

from psa_core import anchors
from psa_core.anchors._code import code_spans

PRONOUN = re.compile(r"(?<![^\W_])(?:he|him|his|she|her|hers)(?![^\W_])", re.IGNORECASE)
CODE = """
print(he)
print(he, she)
Then call print(he) and see.
he = 5
he = "x"
his += 1
def he(self):
    return him
for he in range(10):
if he == 1:
if he is None:
if (her != null) { return her; }
var his = 3;
let her = get_name();
console.log(her);
he.append(x)
self.he = 3
this.his
obj.her(3)
$her = 'x';
const she = new Person();
int he = 0;
len(his) > 3
x = he + 1
SELECT his FROM her WHERE she = 1
import he
from her import his
while (he < 10) {
him->name
std::cout << he << std::endl;
return he;
foo(bar, he=his)
he[i] = 3
he['name']
lambda he: he + 1
function (her) { return her }
<?php echo $he; ?>
>>> he
`he`
`x = her`
`return him`
``he``
print(he)
`if he is None:`
`the_value = he if x else her`
`SELECT he, she FROM people WHERE his = 1 AND her IN (1,2)`
`{'he': 1, 'she': 2}`
try foo.bar(his) or foo(her).
printf("%s", he);
System.out.println(his);
her := 5
assert he == she
raise he
elif his > 3:
"""
PROSE = """
`He left him,' she said.
``He left him,'' she said, ``and she knew.''
`he left him` and `she knew it`
He said `` she is wrong '' and she said `` he is ''.
`` He ''
`She is right`.
`his friend(s) came to see her at the party`
`RT @Some_One: she told him twice &#128514;`
`I lent him $100 and he paid me back the next day`
`he never learned to write his names in snake_case`
(he left) and told (her)
she = goals
he != perfect
Then she told him: leave.
He said: if he goes, she goes:
the guy (his name is Bob) left
return him to the owner.
I asked her; she left;
for her in particular: nothing
he (25) and she (30)
I think he is cool;)
him = everything to me
Let her go; she said so
print him a copy
She paid $5 for his
She told him[1] and he said[2]
he.Then nothing
he left.she came
the class: he was in it
class he took
his $20 bill
Who is he? (I know her) ok.
`I saw him', said Bob. `She too'.
He wrote "her" = nonsense
If he comes: tell her.
she -> him -> me
import her favorite things
he > she
He came w/ her :) {see}
Return him
"""


def in_code(text: str) -> list[bool]:
    """Whether each pronoun of a text is in code."""
    spans = code_spans(text)
    return [any(start < m.end() and m.start() < end for start, end in spans) for m in PRONOUN.finditer(text)]


@pytest.mark.parametrize("line", CODE.strip().splitlines())
def test_pronouns_in_code(line: str) -> None:
    assert in_code(line)
    assert all(in_code(line))


@pytest.mark.parametrize("line", PROSE.strip().splitlines())
def test_pronouns_in_prose(line: str) -> None:
    assert not any(in_code(line))


def test_a_fenced_block_is_code() -> None:
    assert all(in_code("Look:\n```python\nhe = 1\nprint(he)\n```\n"))
    assert all(in_code("```\nfor person in people:\n    if person.she:\n        he = his\n```"))
    assert all(in_code("```js\n// he is the user we want to greet\nconst he = users[0];\nalert(he.name);\n```"))


@pytest.mark.parametrize("marks", [("``", "''"), ("`", "'"), ("`", "`"), ("``", "``"), ("`` ", " ''"), ("```", "```")])
def test_prose_between_backticks_loses_no_pronoun(marks: tuple[str, str]) -> None:
    first, last = marks
    said = ["He left the room", "I told her so", "she has been blocked before", "his edits are fine with me"]
    text = " He wrote ".join(f"{first}{words}{last}, and she agreed." for words in said)
    (found,) = anchors.finder("pronouns").find([text])
    assert len(found) == len(PRONOUN.findall(text))


@pytest.mark.parametrize(
    "text",
    ["Hoy he comido mucho", "No he podido dormir", "te lo he dicho", "Komm mal her", "Das ist lange her",
     "Her şey çok güzel", "det er fint her", "Wo kommst du her?", "he estat a casa", "lo he visto todo"],
)  # fmt: skip
def test_other_languages_have_no_english_pronouns(text: str) -> None:
    assert anchors.finder("pronouns").find([text]) == [()]


@pytest.mark.parametrize(
    "text",
    ["He met Oscar de la Renta", "He went to Los Angeles y Las Vegas", "She said que no", "he avoids tornados",
     "I love her", "he is mi amigo", "He ate tacos con queso", "his vida is hard", "And he said: komm"],
)  # fmt: skip
def test_english_with_foreign_words_keeps_its_pronouns(text: str) -> None:
    assert anchors.finder("pronouns").find([text])[0]


@pytest.mark.parametrize(
    "text",
    ["John met her.", "Nadia met her husband.", "Hi, her dog barked.", "Ella hugged her.", "Her uncle Dan waved.",
     "Mia smiled, he waited.", "Ali thanked her.", "Casa Blanca bored him", "Nella hugged him yesterday."],
)  # fmt: skip
def test_short_english_sentences_keep_their_pronouns(text: str) -> None:
    assert anchors.finder("pronouns").find([text])[0]


def test_long_hostile_lines_take_no_time() -> None:
    for text in ("`" * 3000 + " he", "(" * 3000 + "he", "he = " * 3000, "a." * 5000 + "he(", "<he " * 3000):
        code_spans(text)
