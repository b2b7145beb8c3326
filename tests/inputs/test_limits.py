"""Limits: one table, each with a setting of its own and words that say what to do."""

import pytest

from psa_core.errors import CorpusError, OptionError
from psa_core.inputs import limits
from psa_core.inputs.limits import FILE, LIMITS, ROWS


def test_each_limit_has_a_setting_of_its_own_and_words():
    assert len({limit.setting for limit in LIMITS}) == len(LIMITS)
    every = [value for value in vars(limits).values() if isinstance(value, limits.Limit)]
    assert set(every) == set(LIMITS)
    assert all(limit.what and limit.unit and limit.fix.endswith(".") for limit in LIMITS)


def test_at_the_limit_is_fine_and_above_it_is_one_sentence_with_the_setting(monkeypatch):
    monkeypatch.setenv("PSA_MAX_ROWS", "10")
    ROWS.check(10, field="sentences", error=CorpusError)
    with pytest.raises(CorpusError, match=r"got 11 rows in a\.csv, expected at most 10 rows\. .*PSA_MAX_ROWS"):
        ROWS.check(11, field="sentences", error=CorpusError, of="in a.csv")


def test_bytes_are_told_in_megabytes(monkeypatch):
    monkeypatch.setenv("PSA_MAX_FILE_MB", "2")
    assert FILE.value == 2 * 2**20 and FILE.words == "2 MB"
    with pytest.raises(CorpusError, match=r"got 2\.5 MB, expected at most 2 MB"):
        FILE.check(5 * 2**19, field="sentences", error=CorpusError)


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "9" * 40, "²"])
def test_a_setting_that_is_no_number_is_told(monkeypatch, value):
    monkeypatch.setenv("PSA_MAX_ROWS", value)
    with pytest.raises(OptionError, match="PSA_MAX_ROWS"):
        assert ROWS.value
