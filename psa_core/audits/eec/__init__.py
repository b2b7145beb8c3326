"""The Equity Evaluation Corpus (Kiritchenko & Mohammad 2018): sentences, pairs, tests, tables, result folder."""

from psa_core.audits._audit import Audit, Export
from psa_core.audits.eec import result, run

AUDIT = Audit(
    id="eec",
    title="Equity",
    noun="equity audit",
    summary="Audit models with the Equity Evaluation Corpus.",
    spec=run.EquitySpec,
    measure=run.measure,
    files=result.files,
    load=result.load,
    rebuild=result.rebuild,
    report=result.report,
    cells=lambda found: found.cells,
    size=lambda found: found.cells,
    counts="sentence",
    export=Export(
        "--sentences-only",
        "write the sentences to the csv file --out, to score elsewhere",
        run.sentences,
        "sentence",
        into_out=True,
        exact=True,
    ),
    page="equity",
    icon="balance",
)
