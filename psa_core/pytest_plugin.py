"""A pytest plug-in: the fixture ``psa`` fails a test when names move a model's score by more than they may.

Installed with the package (entry point ``pytest11``)::

    def test_names(psa):
        psa.assert_stable(my_score, ["He left early.", ...], names="public-figures", max_effect=0.02)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from psa_core.api import Study
    from psa_core.cube import ScoreCube

SHOWN_SENTENCES = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare ``--psa-update``."""
    group = parser.getgroup("psa", "perturbation sensitivity")
    group.addoption("--psa-update", action="store_true", help="rewrite the baseline files of psa.assert_stable")


@pytest.fixture
def psa(request: pytest.FixtureRequest) -> NameSensitivity:
    """Assertions about what names do to a model's score; see `NameSensitivity.assert_stable`."""
    return NameSensitivity(request.path.parent, bool(request.config.getoption("--psa-update")), request.node)


@dataclass(frozen=True)
class NameSensitivity:
    """The fixture's value.

    Attributes
    ----------
    folder : Path
        The test file's; relative paths of baselines start there.
    updates : bool
        Whether baselines are written rather than compared with.
    test : pytest.Item, optional
        Receives the largest effect of each target as a property, which JUnit XML shows.
    """

    folder: Path
    updates: bool = False
    test: Any = None

    def assert_stable(
        self,
        model: str | Callable[..., Any],
        sentences: Any,
        *,
        names: Any,
        max_effect: float,
        baseline: str | Path | None = None,
        **options: Any,
    ) -> Study:
        """Fail if a name moves the mean score significantly by more than `max_effect`.

        Parameters
        ----------
        model, sentences, names
            As `psa_core.run` takes them.
        max_effect : float
            On the scale of the score. A name fails the test where its effect is significantly further from 0 than
            this, corrected over names and targets; effects are measured against the original sentence, or in sentences
            with ``{name}`` against the typical name. Too few sentences to tell are a warning.
        baseline : path, optional
            A file with the scores of an earlier run. Only what grew by more than `max_effect` since then fails. If
            there is none it is written, and ``pytest --psa-update`` rewrites it.
        **options
            Those of `psa_core.run`: ``families``, ``anchors``, ``targets``, ``sample`` …

        Returns
        -------
        Study
            For assertions of your own.

        Raises
        ------
        PsaError
            When an input cannot be used.
        """
        __tracebackhide__ = True
        from psa_core import api
        from psa_core.claims.formatting import too_few_in
        from psa_core.errors import OptionError
        from psa_core.folders import cube_file

        if isinstance(max_effect, bool) or not isinstance(max_effect, int | float) or not 0 <= max_effect < 1e300:
            raise OptionError("max_effect", got=repr(max_effect)[:60], expected="a number, 0 or more")
        study = api.run(sentences, names, model, progress=False, **options)
        if few := too_few_in(study.cube):
            warnings.warn(pytest.PytestWarning(f"{few} This test cannot fail."), stacklevel=2)
            return study
        earlier = None if baseline is None else self.folder / baseline
        if earlier is not None and (self.updates or not earlier.exists()):
            earlier.parent.mkdir(parents=True, exist_ok=True)
            cube_file.save(study.cube, earlier)
            return study
        before = None if earlier is None else cube_file.load(earlier)
        if problems := _problems(study, before, max_effect, self._record):
            pytest.fail("\n\n".join(problems), pytrace=False)
        return study

    def _record(self, target: str, effect: float) -> None:
        if self.test is not None:
            self.test.user_properties.append((f"largest effect of a name on {target}", round(effect, 6)))


def _problems(study: Study, before: ScoreCube | None, limit: float, record: Callable[[str, float], None]) -> list[str]:
    """What to say of each target of which some name's effect is shown to be above the limit, or grew by more."""
    from psa_core import tables
    from psa_core.claims import comparison, findings

    pair = None if before is None else tables.paired(study.cube, before)
    cube, problems = pair.first if pair else study.cube, []
    baseline, column = tables.default_baseline(cube), "now" if pair else "score_sens"
    for target in (one.name for one in cube.targets):
        if pair:
            table = tables.change_table(pair, target, limit=limit, baseline=baseline, tests=len(cube.targets))
        else:
            table = tables.limit_table(cube, target, limit=limit, baseline=baseline)
        record(target, float(table[column].abs().max()))
        if not table["above"].any():
            continue
        if pair:
            finding = comparison.change_finding(table, limit)
        else:
            effects = tables.name_table(cube, target, baseline=baseline)
            finding = findings.name_finding(effects, target, baseline=baseline)
        problems.append(_problem(study, target, str(finding), table, column, limit))
    return problems


def _problem(study: Study, target: str, finding: str, table: Any, effect: str, limit: float) -> str:
    """The page's headline, the names above the limit, and the sentences in which the furthest of them does most."""
    above = table[table["above"]].sort_values(effect, key=abs, ascending=False)
    listed = ", ".join(f"{row['name']} {row[effect]:+.3f}" for row in above.head(5).to_dict("records"))
    more = f" and {len(above) - 5} more" if len(above) > 5 else ""
    worst = above.iloc[0]
    cells = study.to_frame(target)
    cells = cells[cells["name"] == worst["name"]].reset_index(drop=True)
    sign = 1 if worst[effect] > 0 else -1
    furthest = (sign * cells["difference"]).sort_values(ascending=False, kind="stable").head(SHOWN_SENTENCES)
    texts, name = study.texts, int(study.names.index[study.names["name"] == worst["name"]][0])
    lines = [
        f"  {cells['original'][row]:.3f} → {cells['perturbed'][row]:.3f}  {texts.text(int(row), name)}"
        for row in furthest.index
    ]
    return "\n".join([finding, f"Further than {limit:g}, by {target}: {listed}{more}.", *lines])
