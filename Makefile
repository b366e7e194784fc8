VENV := .venv
PY := $(VENV)/bin/python
PYTHON := python3 python3.14 python3.13 python3.12 python3.11
ARGS :=
BUNDLE :=
PYODIDE :=

.PHONY: help lab dashboard update check-room exact test mutants coverage bench bench-cpp compiled compiled-there docs site students handout slides exercises outputs format clean

help: ## these lines
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

# Matplotlib's list of fonts is made anew here: what another environment left in ~/.cache can name fonts that have gone.
test mutants coverage bench-cpp docs site outputs: export MPLCONFIGDIR := $(CURDIR)/.cache/matplotlib

lab: $(VENV)/lab-installed ## install (once), answer exercise 1, open JupyterLab; ARGS="--port=9000" is passed on
	@$(PY) -m tools.lab $(ARGS)

dashboard: $(VENV)/lab-installed ## what if, and cut the model, as a web page without code; ARGS="--host=0.0.0.0" lets others in
	@$(PY) -m astra_edu dashboard $(ARGS)

update: ## get the newest course; what you wrote in the folder work stays
	@$(any_python); $$python -m tools.work --pull
	@$(MAKE) --no-print-directory $(VENV)/lab-installed

check-room: ## does this machine have what the course needs? Installs nothing
	@$(any_python); $$python -m tools.check_room

test: $(VENV)/test-installed ## install (once), then every check: lint, types, tests, notebooks; ARGS=--all tries more cases
	$(PY) -m tools.test $(ARGS)

exact: $(VENV)/test-installed ## what must never change, in about a minute: run it after every change
	$(PY) -m pytest -q -n 2 tests/exact

mutants: $(VENV)/test-installed ## put faults into copies of the project: does the test named for each notice? ARGS="player" chooses
	$(PY) -m tools.mutants $(ARGS)

coverage: $(VENV)/test-installed ## what of the simulator no test runs; fails under the share in pyproject.toml
	$(PY) -m pytest -q -n 2 --dist loadscope -m "not browser" --ignore=tests/exact --cov --cov-report=term tests

bench: $(VENV)/test-installed ## measure how fast it simulates
	$(PY) -m pytest benchmarks --benchmark-only -s

bench-cpp: $(VENV)/test-installed ## measure it beside ASTRA-sim: ARGS="FOLDER_OF_ITS_PROGRAMS --only pipeline", or nothing for stored times
	$(PY) -m tools.bench_cpp $(ARGS)

compiled: ## the engine compiled by mypyc, in an environment of its own, .venv-compiled; wants a C compiler
	@$(MAKE) --no-print-directory VENV=.venv-compiled compiled-there

compiled-there:
	@$(make_venv)
	export HATCH_BUILD_HOOKS_ENABLE=1; \
	if uv --version >/dev/null 2>&1; then uv pip install --python $(PY) --refresh-package astra-edu --reinstall-package astra-edu '.[notebook]'; \
	else $(PY) -m pip install --disable-pip-version-check '.[notebook]'; fi
	$(PY) -P -m astra_edu --version

docs: $(VENV)/docs-installed ## the API reference and the notebooks as a site, in build/docs
	$(PY) -m tools.docs --strict --quiet
	@echo 'Open build/docs/index.html; to search in it: $(PY) -m http.server --directory build/docs'

site: $(VENV)/site-installed ## the course as files for any web server, in build/site; BUNDLE=1 puts NumPy and the like in it, too
	$(PY) -m tools.site $(if $(BUNDLE),--bundle) $(if $(PYODIDE),--pyodide $(PYODIDE))
	@echo 'To look at it: $(PY) -m http.server --directory build/site'

students: $(VENV)/lab-installed ## a zip for students, without solutions, in build
	@$(PY) -m tools.students

handout: $(VENV)/handout-installed ## notebooks, exercises and solutions as sheets, HTML and PDF, in build/handout
	$(PY) -m tools.handout $(ARGS)

slides: $(VENV)/handout-installed ## a deck of each notebook, with live instruments, in build/slides
	$(PY) -m tools.slides $(ARGS)

exercises: $(VENV)/test-installed ## make exercises/ from solutions/
	$(PY) -m tools.exercises

outputs: $(VENV)/test-installed ## run notebooks/ and solutions/ and store their outputs
	$(PY) -m tools.notebooks run

format: $(VENV)/test-installed ## mend the layout of the code
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

clean: ## remove .venv and every cache
	rm -rf $(VENV) .venv-compiled build .cache .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/lab-installed: EXTRAS := notebook
$(VENV)/test-installed: EXTRAS := notebook,test,site,handout
$(VENV)/docs-installed: EXTRAS := notebook,test,site,docs
$(VENV)/site-installed: EXTRAS := notebook,site,docs
$(VENV)/handout-installed: EXTRAS := notebook,handout
INSTALLED := $(foreach what,lab test docs site handout,$(VENV)/$(what)-installed)
$(INSTALLED): pyproject.toml tools/overrides.json
	@$(make_venv)
	@echo 'Installing into $(VENV), once; later starts need no network.'
	@if uv --version >/dev/null 2>&1; then uv pip install --python $(PY) -e '.[$(EXTRAS)]'; \
	else $(PY) -m pip install --disable-pip-version-check -e '.[$(EXTRAS)]'; fi
	@$(PY) -c 'from tools.lab import quiet_settings; quiet_settings()'
	@pwd -P > $(VENV)/installed-in
	@touch $(VENV)/lab-installed $@

# Installed again when this folder was moved, or when the Python it was made with has gone.
ifneq ($(shell test -x $(PY) && cat $(VENV)/installed-in 2>/dev/null),$(CURDIR))
.PHONY: $(INSTALLED)
endif

new_enough = -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1

# As good a one as there is: that of .venv, one that is new enough, or whatever python3 is.
any_python = for python in $(PY) $(PYTHON) python3; do if $$python $(new_enough); then break; fi; done

define make_venv
if ! $(PY) $(new_enough); then \
  for python in $(PYTHON) none; do if $$python $(new_enough); then break; fi; done; \
  if [ $$python = none ]; then \
    echo 'Python 3.11 or newer is needed, and there is none here (looked for: $(PYTHON)).'; \
    echo 'Debian or Ubuntu: sudo apt install python3.11 python3.11-venv'; \
    echo 'macOS: brew install python@3.13'; \
    echo 'Installed somewhere else? make lab PYTHON=/path/to/python3'; exit 1; \
  fi; \
  rm -rf $(VENV); \
  if uv --version >/dev/null 2>&1; then uv venv --quiet --seed --python "$$(command -v $$python)" $(VENV); \
  elif $$python -c 'import ensurepip' 2>/dev/null; then $$python -m venv $(VENV); \
  else \
    package=$$($$python -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
    echo "$$python has no ensurepip and can't make virtual environments."; \
    echo "Debian or Ubuntu: sudo apt install $$package, then run make again."; exit 1; \
  fi; \
fi
endef
