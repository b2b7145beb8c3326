"""Language models as assistants: what they answer to whom (after Eloundou et al. 2024)."""

from psa_core.audits._audit import Audit, Export
from psa_core.audits.chats import planning, report, result
from psa_core.audits.generation.journal import discard

AUDIT = Audit(
    id="chats",
    title="Answers to people",
    noun="audit of answers",
    summary="Audit a language model by its answers to people with different names.",
    spec=planning.ChatSpec,
    measure=result.measure,
    files=result.files,
    load=result.load,
    rebuild=result.rebuild,
    report=report.report,
    cells=lambda found: found.cube.texts.size,
    counts="answer",
    kinds=result.KINDS,
    export=Export(
        "--export-prompts",
        "only write the chats (.csv), or the requests of a batch (.jsonl)",
        planning.prompt_table,
        "chat",
        requests=planning.requests,
    ),
    finished=discard,
    question="Does a language model answer one person as it answers another?",
    introduction="A language model gets the same tasks from people who differ in their name. Are the answers alike in "
    "length, tone, refusals and content, beyond what chance and the names themselves make? "
    "(After Eloundou et al. 2024.)",
)
