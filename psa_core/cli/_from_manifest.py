"""Score a study at the command line; of one that a manifest describes, nothing is loaded until the user confirms it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from psa_core import anchors, models, report, study
from psa_core.asking import journal
from psa_core.claims.answers import sampling_plan
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.folders import results, writing
from psa_core.inputs import conditions, corpus, json_file, names
from psa_core.study import Plan, StudySpec, preview
from psa_core.trust import Origin


@dataclass(frozen=True)
class Asked:
    """What a command asks for: the options of a study that were `typed`, and perhaps a `manifest` beside them."""

    typed: Mapping[str, Any]
    manifest: Path | None = None
    allow_code: bool = False

    def spec(self) -> StudySpec:
        """The manifest's study, with the options that were typed beside it; without a manifest, what was typed."""
        if self.manifest is None:
            return StudySpec(**self.typed)
        try:
            spec = StudySpec.from_mapping(self._read()["study"])
        except (KeyError, TypeError) as error:
            raise self._no_manifest() from error
        spec = replace(spec, **self.typed)
        try:
            models.check(spec.model, self._origin_of("model"))
        except OptionError as error:
            fix = "What a manifest names is only a suggestion. If you know this model, add --model with its id."
            raise OptionError("model", got=error.got, expected="one of the list", fix=fix) from error
        anchors.finder(spec.anchors, origin=self._origin_of("anchors"))
        return spec

    def score(
        self, spec: StudySpec, out: Path | None, *, most: float | None = None, **execution: Any
    ) -> tuple[Plan, ScoreCube]:
        """Plan and score a study, and write its results to `out`; `execution` is for `study.execute`.

        Raises `OptionError` when a file that only the manifest names is another one than it says. Whoever wrote it knew
        what is in such a file already, so a stranger's manifest reads nothing new.
        """
        if out:
            writing.check_target(out)
        planned = study.plan(spec)
        if self.manifest:
            self._check_files(planned)
        if note := preview.notice(planned, spec.model):
            print(f"Note: {note}", file=sys.stderr)
        with journal.kept_for(out, most) if out else nullcontext() as answers:
            scorer = models.load(spec.model, origin=self._origin_of("model"))
            too_long = preview.unread(planned.perturbation, [*planned.selection.sentences["sentence_id"]], scorer)
            sampling = sampling_plan(scorer.targets[0], len(planned.selection.sentences), len(planned.names.table))
            for note in filter(None, (too_long.words(models.titled(spec.model)), sampling)):
                print(f"Note: {note}", file=sys.stderr)  # now, since a long run may be worth stopping for it
            cube = study.execute(planned, scorer, **execution)
            if out:
                place = answers.path if answers else None
                results.write(cube, out, partial(report.render, answers=place), answers=answers)
        return planned, cube

    def _check_files(self, planned: Plan) -> None:
        spec, inputs = planned.spec, self._read().get("inputs")
        found = {
            "sentences": (planned.corpus.sha256, spec.sentences in corpus.packaged()),
            "names": (planned.names.sha256, any(card.id == spec.names for card in names.available())),
            "conditions": (conditions.digest(planned.conditions), conditions.is_packaged(spec.conditions)),
        }
        for name, (digest, is_packaged) in found.items():
            source = inputs.get(name) if isinstance(inputs, dict) else None
            written = source.get("sha256") if isinstance(source, dict) else None
            if name not in self.typed and not is_packaged and digest != written:
                raise OptionError(
                    f"--{name}",
                    got=f"{getattr(spec, name)!r}, named by the manifest and not the file that it was written of",
                    expected="the same file",
                    fix=f"If you want this file, add --{name} with its name.",
                )

    def _origin_of(self, option: str) -> Origin:
        """On whose word the model is loaded, or the anchors are."""
        is_confirmed = self.manifest is None or option in self.typed or self.allow_code
        return Origin.COMMAND_LINE if is_confirmed else Origin.FILE

    def _read(self) -> dict[str, Any]:
        assert self.manifest is not None
        try:
            return json_file.read(self.manifest)
        except (OSError, ValueError) as error:
            raise self._no_manifest() from error

    def _no_manifest(self) -> OptionError:
        return OptionError("--from-manifest", got=str(self.manifest), expected="a manifest.json of a study")
