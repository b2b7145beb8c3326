"""Nationality of names and perplexity (Barriere & Cifuentes 2024): people in texts, draws, tables, result folder."""

from psa_core.audits._audit import Audit
from psa_core.audits.nationality import report, result
from psa_core.audits.nationality.perturbation import NationalitySpec

AUDIT = Audit(
    id="nationality",
    title="Nationality",
    noun="nationality audit",
    summary="Audit a model with names of people from many countries.",
    spec=NationalitySpec,
    measure=result.measure,
    files=result.files,
    load=result.load,
    rebuild=result.rebuild,
    report=report.report,
    cells=lambda found: found.cube.shape[0] * found.cube.shape[1],
    size=lambda found: len(found.cube.sentences),
    question="What changes when the people in a text get common names of another country?",
    introduction="Each person in each sentence gets names that are common in a country, of the same gender and in the "
    "same form. How far do the predictions follow the country of the names? (Barriere & Cifuentes 2024)",
)
