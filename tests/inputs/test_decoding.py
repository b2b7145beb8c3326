"""Short lists of names from all over Europe, saved by Windows, keep their letters."""

from __future__ import annotations

import pytest

from psa_core.errors import CorpusError
from psa_core.inputs.decoding import Text

WESTERN = {
    "German": "Vor- und Nachname;Geschlecht\nJürgen Weiß;männlich\nZoë Größer;weiblich\nAndré Schäfer;männlich\n",
    "French": "Prénom et nom;Sexe\nHélène Lefèvre;F\nFrançois Béranger;H\nAnaïs Châtelet;F\nCœur d’Été;F\n",
    "Spanish": "Nombre;País\nJosé García;España\nIñaki Muñoz;España\nMaría Núñez;México\nÁngel Peña;Perú\n",
    "Nordic": "Navn;køn\nSøren Jørgensen;mand\nÅse Ødegård;kvinde\nBjørn Næss;mand\n",
    "Portuguese": "Nome;Sexo\nJoão Magalhães;m\nConceição Simões;f\nInês Gonçalves;f\n",
    "mixed": "name\nJosé García\nSøren Kierkegård\nHélène Nuñez\nJürgen Groß\nJoão Simões\nClaire D’Arcy\n",
}
CENTRAL = {
    "Czech": "Jméno;Pohlaví\nTomáš Dvořák;muž\nJiří Novotný;muž\nVěra Čermáková;žena\nLuděk Růžička;muž\n",
    "Polish": "Imię i nazwisko;Płeć\nŁukasz Wójcik;mężczyzna\nMałgorzata Dąbrowska;kobieta\n",
    "Hungarian": "Név;Nem\nErzsébet Szabó;nő\nGyörgy Kővári;férfi\nZsófia Szűcs;nő\nLászló Tóth;férfi\n",
    "Croatian": "Ime;Spol\nŽeljko Šarić;muški\nDžemila Hadžić;ženski\nMarija Đurić;ženski\n",
    "Romanian": "Nume;Sex\nŞtefan Popescu;bărbat\nMădălina Ţurcanu;femeie\nIoniţă Braşoveanu;bărbat\n",
}
OTHERS = {
    "cp1254": "Ad Soyad;Cinsiyet\nAyşe Yılmaz;kadın\nFatma Öztürk;kadın\nMehmet Şahin;erkek\nOğuz Gündoğdu;erkek\n",
    "cp1251": "Имя;Пол\nИван Петров;муж\nМария Кузнецова;жен\nСергей Иванов;муж\n",
    "cp1253": "Όνομα;Φύλο\nΓιώργος Παπαδόπουλος;άνδρας\nΜαρία Νικολάου;γυναίκα\n",
}
LISTS = [
    *(("cp1252", words) for words in WESTERN.values()),
    *(("cp1250", words) for words in CENTRAL.values()),
    *OTHERS.items(),
]


@pytest.mark.parametrize(("encoding", "words"), LISTS, ids=[*WESTERN, *CENTRAL, *OTHERS])
def test_names_of_a_windows_file_keep_their_letters(encoding: str, words: str) -> None:
    assert "".join(Text(words.encode(encoding), field="names", error=CorpusError).lines()) == words


def test_what_stands_behind_the_part_that_tells_the_encoding_is_read_alike() -> None:
    words = "Jürgen Weiß schläft früh; Käthe Bär hört zu\n" * 7_000 + "Hélène Lefèvre\nSøren Nuñez\n"
    assert "".join(Text(words.encode("cp1252"), field="names", error=CorpusError).lines()) == words
