"""On a server for several people, a visitor names no file of it and no address in its network."""

import pytest

from pages.ui.frame import visitor
from psa_core.errors import OptionError


@pytest.fixture
def own_machine(monkeypatch):
    monkeypatch.setenv("PSA_HISTORY", "1")


@pytest.mark.parametrize(
    "model_id",
    [
        "python:os:system",
        "predictions:/etc/passwd",
        "http://10.0.0.1/score",
        "hf:/srv/models/secret",
        "hf:../up",
        "onnx:m",
    ],
)
def test_a_shared_server_offers_nothing_of_its_own(model_id, monkeypatch):
    monkeypatch.delenv("PSA_HTTP_ALLOW", raising=False)
    with pytest.raises(OptionError, match="model"):
        visitor.check(model_id)


def test_what_everybody_may_use():
    for model_id in ("vader", "keyword:Ann=0.2", "hf:owner/model", "hf:owner/model?targets=joy"):
        assert visitor.check(model_id) == model_id


def test_allowed_addresses_are_offered(monkeypatch):
    monkeypatch.setenv("PSA_HTTP_ALLOW", "models.example.org")
    assert visitor.check("http://models.example.org/score").startswith("http")


def test_ones_own_machine_may_name_its_files_but_run_no_code(own_machine):
    for model_id in ("hf:/srv/models/mine", "https://models.example.org/score"):
        assert visitor.check(model_id) == model_id
    assert {"predictions", "http"} <= set(visitor.kinds())
    with pytest.raises(OptionError):
        visitor.check("python:os:system")
