# make try    set up .venv, compile a shipped example into build/try, and say what to do next
# make test   set up .venv and run the quick tests, which reach every message, target and command (JOBS=processes)
# make test-bare  the quick tests where nothing of this machine is but what a test may use (tests/bare.sh); root runs them as a
#             user who has no name and owns nothing, or, with make test-bare-root, as root
# make test-slow  run the tests that cost more than their share of a quick run
# make test-all  make test and make test-slow
# make test-long  run the tests that are too long for every change; they have to pass before a release
# make check  make static and make test-all
# make static everything that is checked without running the tests: formatter, linters, type checkers, generated files
#             (make -j2 static does it on two processors)
# make vsix   package the extension for VS Code (needs Node 20)
# make test-editors  try the grammars, the extension and docs/editors.md in real editors and completion in real shells, which
#             are kept in .editors (needs Node 20 and Debian's apt; WORK=folder)
# make site   build the site of the documentation and the playground into build/site (needs Node 20)
# make test-site  build the site and try it in a real browser, which is kept in .editors (WORK=folder);
#             make test-site-built tries the one that was built
# make generate  write everything that is generated: the tables of the parser, the words in the editors' grammars, the
#             tables and screens of the documentation, the outputs of the examples; review the diff
# make lock   update the versions in requirements/
# make budgets  fail if a command of the installed package costs more than it may (CLEAN=environment with the wheel in it)
# make same BASE=REVISION  try everything with that revision and with this tree, and show what differs (KINDS=examples,spec,…)
# make bench  measure the same of the working tree, and many jobs in one process
# make bench-lsp  measure the language server
# make fuzz   try random inputs of all kinds for SECONDS (600) in PROCESSES (1); failures are kept in fuzz-findings
# make conformance-kubernetes  try the output of tfjob, volcano, kubernetes and jobset with the real programs (WORK=folder)
# make conformance-yarn        the same for yarn and slider (WORK=folder)
# make conformance-slurm       the same for slurm (WORK=folder)
# make conformance-local       train the examples with tfdsl run, the oldest TensorFlow and the newest (WORK=folder)
# make conformance-long        what of these is too long for every hand-in (WORK=folder with a folder for each)

PYTHON ?= python3
VENV ?= .venv
SECONDS ?= 600
PROCESSES ?= 1
JOBS ?= auto
BIN = $(VENV)/bin
EDITORS = $(abspath $(or $(WORK),.editors))
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Exactly the versions of requirements/, which include what builds the package.
LOCKED = $(PIP) --require-hashes --requirement
EDITABLE = $(PIP) --no-deps --no-build-isolation --editable .

COMPILE = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

.PHONY: lock try test test-bare test-bare-root test-slow test-all test-long static check generate golden bench bench-lsp fuzz fuzz-guided vsix get-editors test-editors test-terminal test-vscode site test-site test-site-built parser conformance-kubernetes conformance-yarn conformance-slurm conformance-local conformance-long clean

try: $(BIN)/tfdsl
	$(BIN)/tfdsl compile examples/mnist/main.tfjob -t volcano -o build/try
	@printf '\n'
	@head -n 9 build/try/mnist.yaml
	@printf '%s\n' ... '' 'build/try/mnist.yaml, made from examples/mnist/main.tfjob, begins so. Next:'
	@printf '  %-26s %s\n' '. $(BIN)/activate' 'put tfdsl on the path of this shell' \
	  'tfdsl new digits' 'write a job of your own, digits.tfjob' \
	  'docs/guide/start.md' 'from there to a job that runs, in ten minutes'

# Each process collects all tests, so more than four of them cost more than they save. All tests that need the plugin for
# clients of the language server are slow.
QUICK = -p no:pytest-lsp -n $(JOBS) --maxprocesses 4 --dist worksteal

test: $(VENV)/dev
	$(BIN)/python -m pytest --quick $(QUICK)

test-bare: $(VENV)/dev
	tests/bare.sh user $(abspath $(BIN)/python) $(QUICK)

test-bare-root: $(VENV)/dev
	tests/bare.sh me $(abspath $(BIN)/python) $(QUICK)

# Most of their time is waiting.
test-slow test-long: $(VENV)/dev
	$(BIN)/python -m pytest --$(@:test-%=%) -n 3 --dist worksteal

test-all: test test-slow

# Keep the rewritten test modules, because rewriting them takes several seconds.
test test-slow test-long: export PYTHONDONTWRITEBYTECODE =

check: static test-all

# Each writes its files, or with --check fails if one is stale; later ones read what earlier ones write. Generators that need
# more than Python are separate: make parser, make lock, backends/bake_schemas.py.
GENERATORS = grammar/bake.py grammar/editor_words.py docs/generate.py docs/normal_form_page.py docs/own_target_page.py docs/pictures.py docs/python_models.py docs/python_page.py docs/screens.py docs/shapes_page.py examples/generate.py
# The longest first, for two processors.
CHECKS = $(addprefix check-,pyright mypy types-of-the-page $(GENERATORS) format ruff imports)
.PHONY: $(CHECKS)

generate: $(VENV)/dev
	set -e; for script in $(GENERATORS); do $(BIN)/python $$script; done

golden: generate

static: $(CHECKS)

$(CHECKS): $(VENV)/dev
check-pyright:
	$(BIN)/pyright --pythonpath $(BIN)/python
check-mypy:
	$(BIN)/mypy
check-types-of-the-page:
	$(BIN)/python docs/python_page.py --types
check-format:
	$(BIN)/ruff format --check .
check-ruff:
	$(BIN)/ruff check .
check-imports:
	$(BIN)/lint-imports --no-cache
$(GENERATORS:%=check-%):
	$(BIN)/python $(@:check-%=%) --check

.PHONY: same budgets
same: $(VENV)/dev
	$(BIN)/python -m tests.same $(BASE) $(if $(KINDS),--kinds $(KINDS))

# Alone: beside other work everything costs more.
budgets: $(BIN)/tfdsl
	$(BIN)/python benchmarks/budgets.py $(if $(CLEAN),--clean-venv $(CLEAN))

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
LONG = kubernetes yarn slurm local

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

test-editors: test-terminal test-vscode

test-terminal: $(VENV)/dev
	$(BIN)/python -m pytest tests/editors --editors --editors-work $(EDITORS)

test-vscode: $(VENV)/dev grammar/vscode/node_modules
	cd grammar/vscode && TFDSL_PYTHON=$(abspath $(BIN)/python) npm run --silent test && npm run --silent package
	cd grammar/vscode && TFDSL_PYTHON=$(abspath $(BIN)/python) WORK=$(EDITORS) npm run --silent test-editor

# What both fetch and build, and the browser of the site's tests.
get-editors: $(VENV)/dev grammar/vscode/node_modules
	$(BIN)/python -m tests.editors.terminal.programs $(EDITORS)
	cd grammar/vscode && WORK=$(EDITORS) npm run --silent get-editor

grammar/vscode/node_modules: grammar/vscode/package-lock.json
	cd grammar/vscode && npm ci --no-fund --no-audit
	touch $@

# mkdocs empties the folder first, so what else the site has comes after it.
site: $(VENV)/site site/node_modules
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file site/mkdocs.yml
	$(BIN)/python site/playground/engine/build.py build/site/playground/engine
	cd site && node playground/bundle.mjs ../build/site/playground

test-site: site
	$(MAKE) --no-print-directory test-site-built

test-site-built: $(VENV)/site site/node_modules
	MYPYPATH=site:backends $(BIN)/mypy site/site_builder
	$(BIN)/python -m pytest -q site/test
	cd site && TFDSL_PYTHON=$(abspath $(BIN)/python) WORK=$(EDITORS) npm run --silent test

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
