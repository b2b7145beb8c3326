"""Find program code in a text, in backticks or without.

Many corpora write quotes with backticks (```…''``, `` `…' ``, `` `…` ``), so backticks alone prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Quantifiers are bounded so that a hostile line costs linear time.
_TICKS = re.compile(r"`+")
_REACH = 5000
_CLOSING_QUOTE = re.compile(r"(?<=\S)(?:''|['’”\"](?!\w))")
_WORDS_OF_CODE = 4
#: Prose has a sign of code now and then (*his friend(s)*, *snake_case*); code has one in so many words at least.
_WORDS_A_SIGN = 8
#: What people write in comments that only resembles such signs: handles, tags, addresses, entities, sums of money.
_OF_COMMENTS = re.compile(r"[@#]\w+|&\#?\w{1,20};|\bhttps?://\S+|\$\d[\d.,]*")

_OPERATOR = r"(?:[=!<>+*/%|&^:-]=|=>|->|&&|\|\||\+\+|::|<<|>>)"
#: Signs that do not stand in prose.
_CODE = re.compile(
    rf"""
      {_OPERATOR} | \s=\s | [;{{}}]\s*$
    | \w\([^()\n]{{0,80}}\)                                  # call
    | \w\[[\w'":]{{1,20}}\]                                  # subscript
    | ^[ \t]*(?:if|elif|while|for|with)\s.{{1,80}}:[ \t]*$     # head of a block
    | \bSELECT\s[^;]{{1,200}}?\sFROM\b
    | \w_\w | (?<!\w)\$\w | \b[a-z]{{2,20}}[A-Z]\w{{0,30}} | \w\.\w{{1,30}}\.\w | </?\w{{1,30}}>
    """,
    re.VERBOSE | re.MULTILINE,
)
_STATEMENT = re.compile(
    r"\s*(?:return|def|class|import|from|del|let|var|const|print|raise|assert|echo|select|git|pip|npm|sudo)\b"
    r"|\s*(?:if|elif|while|for|with|try|else)\b.{0,80}:\s*$"
)

_ARGUMENT = r"(?:\w{1,30}\s?=\s?)?(?:[\"'][^\"'\n]{0,80}[\"']|[\w.\[\]*&$+-]{1,60}(?:\([\w., ]{0,40}\))?)"
_VALUE = r"(?:[\[{(\"']|\d|None\b|True\b|False\b|null\b|true\b|false\b|new\s|\w{1,40}(?:\.\w{1,40}){0,4}\()"
#: Pieces of a line that are code whatever stands around them.
_PIECE = re.compile(
    rf"""
      (?<![\w@\#.])(?!(?:s?he|him|hers?|his)\()[A-Za-z_][\w.]{{0,60}}\(\s*{_ARGUMENT}(?:\s*,\s*{_ARGUMENT}){{0,8}}\s*\)(?:[.;][\w.()]{{0,60}})?
    | \([^()\n]{{0,80}}\s(?:==|!=|<=|>=|&&|\|\|)\s[^()\n]{{0,80}}\)
    | \b(?:self|this)\.\w{{1,40}}
    | \b[a-z_]\w{{0,40}}\.(?:s?he|him|hers?|his)\.[a-z_]\w{{0,40}}
    | \b\w{{1,40}}\.\w{{1,40}}(?:\(|\s?[=+*/-]?=\s)
    | \b\w{{1,40}}(?:\[["'][^"'\n]{{1,40}}["']\]|->\w|::\w|\+\+)
    | (?<!\w)[$]\w{{1,40}}
    | \breturn\s[\w.]{{1,40}};
    """,
    re.VERBOSE,
)
#: What may follow the head of a block on its line.
_BODY = r"(?:\s?(?:return|print|raise|pass|break|continue|yield|del)\b.{0,80}|\s?[\w.]{1,60}\s?(?:[-+*/]?=|\().{0,80})?"
#: Whole lines that are statements.
_LINE = re.compile(
    rf"""^[ \t]*(?:
      (?:async\s)?(?:def|fn|func|function|sub)\s+\w{{0,40}}\s?\(.{{0,200}}
    | class\s+\w{{1,40}}\s?(?:\([\w., ]{{0,80}}\))?\s?[:{{].{{0,80}}
    | (?:else\s)?(?:if|elif|while|for|switch|foreach)\s?\(.{{1,200}}\)\s?[{{;]?\s?.{{0,80}}
    | (?:if|elif|while)\s.{{0,100}}(?:{_OPERATOR}|[<>]|\w\(|\bin\b|\bis\sNone|\bnot\s\w+\s?:).{{0,100}}:{_BODY}
    | for\s[\w, ]{{1,40}}\sin\s[\w.()\[\], ]{{1,80}}:{_BODY}
    | (?:let|var|const|int|float|double|char|bool|boolean|string|String|auto|val|final)\s+[*&]?
        \w{{1,40}}\s?(?:=[^=\n].{{0,160}}|;)
    | [\w.$\[\]'"]{{1,60}}\s?(?:[-+*/|:]=|<-)\s?\S.{{0,160}}
    | [\w.$\[\]'"]{{1,60}}\s?=\s?(?:\d+(?:\.\d+)?\s?;?|(["']).{{0,100}}\1\s?;?|{_VALUE}.{{0,160}}[\])}};])
    | [\w.$\[\]'"]{{1,60}}(?:\s?,\s?[\w.$]{{1,40}}){{0,5}}\s?=\s?[\w.]{{1,40}}(?:\s?[-+*/%]\s?[\w.]{{1,40}}){{1,5}}\s?;?
    | [\w.$\[\]'"]{{1,60}}\s=\s[\w.$]{{1,60}};
    | (?:import\s[\w.]{{1,80}}(?:,\s?[\w.]{{1,40}}){{0,8}}
        (?:\sfrom\s.{{1,80}}|\sas\s\w{{1,40}})?|from\s[\w.]{{1,80}}\simport\s.{{1,80}}|\#include.{{1,80}});?
    | (?:return|del|raise|yield|await|print|echo|puts)\s[\w.$]{{1,60}}(?:\([^()\n]{{0,100}}\))?\s?;?
    | (?:public|private|protected|static)\s(?:\w{{1,40}}\s){{1,4}}\w{{1,40}}\s?[({{=;].{{0,160}}
    | (?:SELECT\s.{{1,200}}\sFROM|INSERT\sINTO|UPDATE\s\S{{1,60}}\sSET|DELETE\sFROM)\s.{{1,200}}
    | (?:assert|while|return)\s.{{0,80}}(?:==|!=|<=|>=).{{1,80}}
    | .{{0,100}}\s(?:<<|>>)\s.{{0,100}};
    | .{{0,100}}\blambda\s[\w, ]{{0,40}}:.{{1,100}}
    | >>>\s.{{1,200}}
    | (?!.*&\#?\w{{2,20}};\s*$).{{0,200}}(?:=|\(\w{{0,40}}\)|\breturn\b.{{0,60}}).{{0,100}}[;{{]
    )[ \t\r]*$""",
    re.VERBOSE | re.MULTILINE,
)
#: Without one of these no code is found.
_SIGNS = re.compile(
    r"[`={;$]|\w\(\S|\w\.\w|\w[\[:]|->|\+\+|>>|^\s*(?:return|del|print|raise|yield|await|echo|puts|import|from)\s",
    re.MULTILINE,
)


def code_spans(text: str) -> list[tuple[int, int]]:
    """Spans of a text that are program code.

    >>> code_spans("Set `he` here. ``He left,'' she said."), code_spans("Then print(he) fails.")
    ([(4, 8)], [(5, 14)])
    """
    if not _SIGNS.search(text):
        return []
    pieces = [match.span() for pattern in (_PIECE, _LINE) for match in pattern.finditer(text)]
    return pieces + list(_between_backticks(text)) if "`" in text else pieces


def looks_like_code(words: str) -> bool:
    """Whether words between backticks are code: a single one, or some with the signs of a programming language."""
    if len(words.split()) <= 1:
        return not _CLOSING_QUOTE.search(words)
    plain = _OF_COMMENTS.sub(" ", words)
    count, signs = len(plain.split()), sum(1 for _ in _CODE.finditer(plain))
    return signs * _WORDS_A_SIGN >= max(count, 1) or (count <= _WORDS_OF_CODE and bool(_STATEMENT.match(plain)))


def _between_backticks(text: str) -> Iterator[tuple[int, int]]:
    """Spans from one run of backticks to the next of the same length, where they hold code."""
    runs = [match.span() for match in _TICKS.finditer(text)]
    at = 0
    while at < len(runs):
        start, inner = runs[at]
        size = inner - start
        closing = next((n for n in range(at + 1, len(runs)) if runs[n][1] - runs[n][0] == size), None)
        at += 1
        if closing is None or runs[closing][1] - start > _REACH:
            continue
        words = text[inner : runs[closing][0]]
        if looks_like_code(words):
            yield start, runs[closing][1]
        elif _CLOSING_QUOTE.search(words) or words != words.strip():
            continue  # the quote was closed by an apostrophe, so that the next backtick opens another one
        at = closing + 1
