from __future__ import annotations

from pathlib import Path

from research.training.language import LanguageRecipe
from research.training.language.writer import writer
from tests.tiny_models import tiny_causal_lm


def test_a_language_model_like_gpt2_takes_updates(tmp_path: Path) -> None:
    pupil = writer(f"lm:{tiny_causal_lm(tmp_path / 'gpt2')}", LanguageRecipe(rank=2, layers=1))
    trained = [name for name, value in pupil.model.named_parameters() if value.requires_grad]
    assert trained and all(".h.1." in name for name in trained)
    pupil.save(tmp_path / "adapter")
    assert (tmp_path / "adapter" / "adapter_model.safetensors").is_file()
