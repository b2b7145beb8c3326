"""Which tests a run takes: of all packages, or of those that its mutants are in."""

from __future__ import annotations

from tests.mutation.__main__ import ROOT, TESTS, _rooms, _tests
from tests.mutation.operators import Mutant


def mutant(file: str) -> Mutant:
    return Mutant(file, "f", 1, "sign", "-x", "x", 0)


def test_a_run_of_some_files_takes_the_tests_of_their_packages_only() -> None:
    chosen = [mutant("psa_core/stats/means.py"), mutant("psa_core/stats/groups.py"), mutant("psa_core/metrics.py")]
    assert _rooms(chosen, ["stats", "metrics"]) == ["metrics", "stats"]
    *files, first = _tests(["metrics", "stats"])[:3]
    assert files == [str(ROOT / "tests/test_metrics.py"), str(ROOT / "tests/stats")]
    assert first.endswith("tests/test_doctests.py::test_examples_are_true[psa_core.metrics]")
    assert _rooms(chosen, [""]) == TESTS
