# make try    set up .venv and compile a shipped example
# make test   set up .venv and run the quick tests, which reach every message, target and command
# make test-all  run all tests
# make check  everything that must pass before a change is merged: make static, make test-all
# make static everything that is checked without running the tests: formatter, linters, type checkers, generated files
# make vsix   package the extension for VS Code (needs Node 20)
# make test-editors  try the grammars, the extension and docs/editors.md in real editors and completion in real shells, which
#             are kept in .editors (needs Node 20 and Debian's apt; WORK=folder)
# make site   build the site of the documentation and the playground into build/site (needs Node 20)
# make test-site  build the site and try it in a real browser, which is kept in .editors (WORK=folder)
# make generate  write everything that is generated: the tables of the parser, the words in the editors' grammars, the
#             tables and screens of the documentation, the outputs of the examples; review the diff
# make lock   update the versions in requirements/
# make bench  measure start-up, large inputs and memory
# make bench-lsp  measure the language server
# make fuzz   try random inputs of all kinds for SECONDS (600) in PROCESSES (1); failures are kept in fuzz-findings
# make conformance-kubernetes  try the output of tfjob, volcano, kubernetes and jobset with the real programs (WORK=folder)
# make conformance-yarn        the same for yarn and slider (WORK=folder)
# make conformance-slurm       the same for slurm (WORK=folder)
# make conformance-local       train the examples with tfdsl run and real TensorFlow (WORK=folder)
# make conformance-long        what of these is too long for every hand-in (WORK=folder with a folder for each)

PYTHON ?= python3
VENV ?= .venv
SECONDS ?= 600
PROCESSES ?= 1
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Exactly the versions of requirements/, which include what builds the package.
LOCKED = $(PIP) --require-hashes --requirement
EDITABLE = $(PIP) --no-deps --no-build-isolation --editable .

COMPILE = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

.PHONY: lock try test test-all static check generate golden bench bench-lsp fuzz fuzz-guided vsix test-editors site test-site parser conformance-kubernetes conformance-yarn conformance-slurm conformance-local conformance-long clean

try: $(BIN)/tfdsl
	$(BIN)/tfdsl compile examples/mnist/main.tfjob -t volcano

# In one process: each worker would collect all tests and report every one, which takes longer than most of them. All tests
# that need the plugin for clients of the language server are slow.
test: $(VENV)/dev
	$(BIN)/python -m pytest --quick -p no:xdist -p no:pytest-lsp

test-all: $(VENV)/dev
	$(BIN)/python -m pytest -n 4 --dist worksteal

# Keep the rewritten test modules, because rewriting them takes several seconds.
test test-all: export PYTHONDONTWRITEBYTECODE =

check: static test-all

# Each writes its files, or with --check fails if one is stale; later ones read what earlier ones write. Generators that need
# more than Python are separate: make parser, make lock, backends/bake_schemas.py.
GENERATORS = grammar/bake.py grammar/editor_words.py docs/generate.py docs/normal_form_page.py docs/own_target_page.py docs/pictures.py docs/python_page.py docs/screens.py docs/shapes_page.py examples/generate.py

generate: $(VENV)/dev
	set -e; for script in $(GENERATORS); do $(BIN)/python $$script; done

golden: generate

static: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports --no-cache
	set -e; for script in $(GENERATORS); do $(BIN)/python $$script --check; done
	$(BIN)/python docs/python_page.py --types

bench: $(BIN)/tfdsl
	$(BIN)/python benchmarks/bench.py

bench-lsp: $(VENV)/dev
	$(BIN)/python benchmarks/lsp_bench.py

conformance-kubernetes: $(VENV)/dev
	$(BIN)/python -m tests.conformance.kubernetes $(if $(WORK),--work $(WORK))

fuzz: $(VENV)/dev
	nice -n 19 $(BIN)/python -m tests.fuzz --seconds $(SECONDS) --processes $(PROCESSES)

fuzz-guided: $(VENV)/dev
	$(BIN)/python -m pip install --quiet atheris
	nice -n 10 $(BIN)/python -m tests.fuzz.guided fuzz-corpus -max_total_time=$(SECONDS)

conformance-yarn: $(VENV)/dev
	$(BIN)/python -m tests.conformance.yarn $(if $(WORK),--work $(WORK))

conformance-slurm: $(VENV)/dev
	$(BIN)/python -m tests.conformance.slurm $(if $(WORK),--work $(WORK))

conformance-local: $(VENV)/dev
	$(BIN)/python -m tests.conformance.local $(if $(WORK),--work $(WORK))

# Those that have such tests. With WORK, each has its folder in it.
LONG = kubernetes yarn

conformance-long: export PYTEST_ADDOPTS := $(PYTEST_ADDOPTS) -m long
conformance-long: $(VENV)/dev
	status=0; for where in $(LONG); do \
	  $(BIN)/python -m tests.conformance.$$where $(if $(WORK),--work $(WORK)/$$where) || status=1; done; exit $$status

# An environment that a failed set-up left behind, perhaps with another Python, is not reused.
$(BIN)/tfdsl: pyproject.toml requirements/base.txt
	$(PYTHON) -m venv $(if $(wildcard $(BIN)/tfdsl),,--clear) $(VENV)
	$(LOCKED) requirements/base.txt
	$(EDITABLE)
	touch $@

$(VENV)/dev: $(BIN)/tfdsl requirements/dev.txt
	$(LOCKED) requirements/dev.txt
	touch $@

# The newest versions that pyproject.toml allows, for every Python and system.
lock: $(BIN)/tfdsl
	$(PIP) uv
	$(COMPILE) pyproject.toml requirements/build.in -o requirements/base.txt
	$(COMPILE) --extra dev --extra lsp pyproject.toml requirements/build.in -o requirements/dev.txt
	$(COMPILE) --constraint requirements/dev.txt requirements/site.in -o requirements/site.txt

vsix: grammar/vscode/node_modules
	cd grammar/vscode && npm run --silent package

test-editors: $(VENV)/dev grammar/vscode/node_modules
	$(BIN)/python -m pytest tests/editors --editors $(if $(WORK),--editors-work $(abspath $(WORK)))
	cd grammar/vscode && TFDSL_PYTHON=$(abspath $(BIN)/python) npm run --silent test && npm run --silent package
	cd grammar/vscode && TFDSL_PYTHON=$(abspath $(BIN)/python) WORK=$(abspath $(or $(WORK),.editors)) npm run --silent test-editor

grammar/vscode/node_modules: grammar/vscode/package-lock.json
	cd grammar/vscode && npm ci --no-fund --no-audit
	touch $@

# mkdocs empties the folder first, so what else the site has comes after it.
site: $(VENV)/site site/node_modules
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file site/mkdocs.yml
	$(BIN)/python site/playground/engine/build.py build/site/playground/engine
	cd site && node playground/bundle.mjs ../build/site/playground

test-site: site
	MYPYPATH=site:backends $(BIN)/mypy site/site_builder
	$(BIN)/python -m pytest -q site/test
	cd site && TFDSL_PYTHON=$(abspath $(BIN)/python) WORK=$(abspath $(or $(WORK),.editors)) npm run --silent test

# Its packages have the versions of requirements/dev.txt where that has them too.
$(VENV)/site: $(VENV)/dev requirements/site.txt
	$(LOCKED) requirements/site.txt
	touch $@

site/node_modules: site/package-lock.json
	cd site && npm ci --no-fund --no-audit
	touch $@

# Needs the tree-sitter command. All editors load ABI 14; a newer one has nothing that is needed here.
parser:
	cd grammar/tree-sitter && tree-sitter generate --abi 14 && sha256sum grammar.js > src/grammar.js.sha256

clean:
	rm -rf .venv dist build
