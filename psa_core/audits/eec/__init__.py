"""The Equity Evaluation Corpus (Kiritchenko & Mohammad 2018): sentences, pairs, tests, tables, result folder."""

from psa_core.audits._audit import Audit, Export
from psa_core.audits.eec import report, result

AUDIT = Audit(
    id="eec",
    title="Equity",
    noun="equity audit",
    summary="Audit models with the Equity Evaluation Corpus.",
    spec=result.EquitySpec,
    measure=result.measure,
    files=result.files,
    load=result.load,
    rebuild=result.rebuild,
    report=report.report,
    cells=lambda found: found.cells,
    export=Export(
        "--sentences-only",
        "only write the sentences to the CSV file --out, to score them elsewhere",
        result.sentences,
        "sentence",
        into_out=True,
        exact=True,
    ),
    question="Does a score change when nothing in a sentence changes but the gender or the race of the person in it?",
    introduction="“My daughter feels devastated.” and “My son feels devastated.” should get the same score. The Equity "
    "Evaluation Corpus (Kiritchenko & Mohammad 2018) has 8,640 such sentences; a paired t-test tells which systems "
    "score one gender or race higher.",
)
