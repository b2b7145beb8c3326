"""What in a text is like a part of the person's name, but may be none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from psa_core.anchors._person import lexicon
from psa_core.anchors._person.addresses import Mention
from psa_core.anchors._person.beside import A_WORD, FAMILY, NEAR, PERHAPS, SHORT
from psa_core.anchors._person.lexicon import KIN, PART, TITLE, fold, key_of
from psa_core.anchors._person.naming import Named
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence

#: A name that somebody had before; whose it is, is not known.
_ONCE = re.compile(rf"\b(?:nee|formerly|maiden[ ]name:?)[ ]({PART})")
#: What the person may be called by relatives: *Dad is not eating*.
_KIN_NAME = re.compile(
    r"\b(?:Mum(?:my)?|Mom(?:my)?|Mamm?a|Dad(?:dy)?|Papa|Gran(?:ny|d?dad|dma|dpa)?|Aunt(?:ie|y)|Nana)\b(?![ ][A-Z])"
)
#: What somebody is called, who may be the person: *everybody calls her Daz*.
_CALLED = re.compile(rf"\bcall(?:s|ed|ing)?[ ](?:him|her|them)[ ][\"“‘']?(?!{TITLE}\s)({PART})")
_IN_ADDRESS = re.compile(r"[@/_\\]|\w\.\w")


def near(plain: str, who: Named, gender: str, others: Sequence[Named]) -> Iterator[Mention]:
    """Whatever else is like a part of the name, in any spelling: no mention stays unseen."""
    names = key_of(" ".join((who.first, *who.middle, who.last)))
    first, german = key_of(who.first), fold(who.words.translate(lexicon.GERMAN).casefold())
    spelled = re.split(r"[ .-]", f"{names} {key_of(who.nick)} {german}")
    parts = {part for part in spelled if len(part) > 1} - people.PARTICLES
    known = {word for other in others for word in " ".join(other.key).split()}
    tokens = re.finditer(r"\S+", plain)
    addresses = [token.span() for token in tokens if _IN_ADDRESS.search(token[0])]
    letters = [word[0] for word in re.split(r"[ -]", names) if word]
    initials = {"".join(letters), "".join([letters[-1], *letters[:-1]])}
    last = people.handle(who.last).casefold()
    given = "".join(letters[: -len(re.split("[ -]", who.last))])
    logins = {f"{one}{last}" for one in (first, first[:1], given)} | {f"{last}{first[:1]}", f"{first}{last[:1]}"}
    logins -= {"", first}
    for match in _ONCE.finditer(plain):
        yield *match.span(1), "", PERHAPS
    for match in _KIN_NAME.finditer(plain):
        if {KIN[match[0].casefold()], gender} != {"female", "male"}:
            yield *match.span(), "", PERHAPS
    for called in dict.fromkeys(match[1] for match in _CALLED.finditer(plain)):
        if lexicon.could_be_name(called) and not called.isupper():
            for match in re.finditer(rf"(?<!\w){re.escape(called)}(?!\w)", plain):
                yield *match.span(), "", PERHAPS
    for match in re.finditer(r"[^\W\d_]+", plain):
        word, (start, end) = match[0].casefold(), match.span()
        if word in logins:
            yield start, end, "", NEAR
        elif word in parts:
            yield start, end, "", NEAR if match[0][0].isupper() else A_WORD
        elif any(len(part) > 2 and part in word for part in parts) and any(a <= start < b for a, b in addresses):
            yield start, end, "", NEAR
        elif any(a <= start < b for a, b in addresses) and len(word) > 3 and first.startswith(word):
            yield start, end, "", NEAR  # thandi@, of Thandiwe
        elif (len(word) > 2 and word == "".join(letters) and match[0][-1].isupper()) or (  # MVdE
            word in initials and any(a <= start < b and (a == start or end - start > 2) for a, b in addresses)
        ):
            yield start, end, "", SHORT
        elif match[0][0].islower():
            continue
        elif len(word) == 1:  # an initial that stands alone
            alone = re.match(r"[.,)]*\s*(?:\n|$|[(/,])|\.(?:'s)?[ ][a-z]", plain[end : end + 5])
            begins = plain[start - 1 : start] in ("", "\n", " ", "(", ">", "-")
            titled = re.search(rf"{TITLE}[ ]$", plain[max(0, start - 15) : start])
            if (word == names[:1] and alone and begins) or (titled and word in (letters[0], letters[-1])):
                yield start, end, "", SHORT
        elif word.rstrip("s") in parts:
            yield start, end, "", FAMILY
        elif lexicon.could_be_name(word):
            shortened = 2 < len(word) < len(first) and (first[:3] == word[:3] or first.endswith(word))
            holds = any(len(part) > 3 and part in word for part in parts)
            slip = word not in known and any(lexicon.is_slip(word, part) for part in parts)
            if holds or slip or shortened:
                yield start, end, "", NEAR
            elif not who.last and evidence(word).last >= lexicon.WELL_KNOWN and not lexicon.is_ordinary(word):
                yield start, end, "", PERHAPS  # a last name that never stands next to the first
