"""Language models as writers: what they write about one value and another (Huang et al. 2020)."""

from psa_core.audits._audit import Audit, Export
from psa_core.audits.generation import planning, report, result, run
from psa_core.audits.generation.journal import discard

AUDIT = Audit(
    id="generation",
    command="generate",
    title="Language models",
    noun="audit of a language model",
    summary="Audit a language model by what it writes when one word of the prompt changes.",
    spec=planning.GenerationSpec,
    measure=run.measure,
    files=result.files,
    load=result.load,
    rebuild=result.rebuild,
    report=report.report,
    cells=lambda found: found.cube.texts.size,
    counts="continuation",
    kinds=result.KINDS,
    export=Export("--export-prompts", "only write the prompts", planning.prompt_table, "prompt"),
    finished=discard,
    question="What does a language model write, when one word of the prompt is swapped?",
    introduction="A language model continues the same sentence with one word swapped: a country, an occupation, a "
    "name. Do its continuations differ in sentiment by more than chance? (Huang et al. 2020)",
)
