"""The person whom a document is about, and every word that stands for that person: the steps, each a file.

1. `told`: everybody whom the text names, by runs of capitals, by titles, and alone; `fields` finds names where forms,
   e-mails and letters have them, and `naming` says which words of a name are first and last.
2. `subject`: which of these names are one person's, and which person the text is about, if that is clear; `about`
   weighs what speaks for each.
3. `mentions`: where that person's names stand, in any form; `addresses` finds those in e-mails, links and files,
   `near` what is only like the name, and `beside` says by the words around a name whether it is somebody else's.
4. `pronouns`: which pronouns are that person's, and the verbs that agree with them.

All of them ask `lexicon` what a word is: a word that is also a name counts as a name only where something shows a
person. What cannot be decided stays as it is, and is listed for the reader.
"""
