"""Contracts between the parts: what each command loads, who imports whom, and that no table has a hole."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from string import Formatter
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import JOB, ROOT, environment
from tfdsl import targets
from tfdsl.cli.commands import SUMMARIES
from tfdsl.diagnostics import Rule
from tfdsl.diagnostics.registry import MODULES, rules
from tfdsl.ir.fields import all_keys
from tfdsl.ir.flow import FLOW_KEYS
from tfdsl.lint.runner import RULES, SLUGS, rules as lint_rules
from tfdsl.vocabulary.statements import ACTIONS_OF

if TYPE_CHECKING:
    from pathlib import Path

    from tfdsl.backend import Backend
    from tfdsl.backend.flow import FlowLowering

SLOW = {
    *("asyncio", "dataclasses", "email", "importlib.metadata", "inspect", "jinja2", "lark", "logging"),
    *("pydantic", "pydantic_core", "pygls", "yaml"),
}
"""Modules that cost too much at start-up for a command that does not need them."""

OF_PYDANTIC = {"dataclasses", "email", "importlib.metadata", "inspect", "pydantic", "pydantic_core"}
"""Those that pydantic loads, so that a command that lowers a job loads them."""

LOADED = """\
import sys
from tfdsl.cli.main import main
status = main(sys.argv[1:])
print(*sorted(sys.modules), sep="\\n", file=sys.stderr)
sys.exit(status)
"""


def loaded(folder: Path, *words: str) -> set[str]:
    """The modules that a command has loaded when it is done."""
    (folder / "mnist.tfjob").write_text(JOB)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines())


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("--version",),
        ("check", "--help"),
        ("check", "mnist.tfjob"),
        ("fmt", "mnist.tfjob"),
        ("explain", "gpu"),
        ("info", "mnist.tfjob"),
        ("completion", "zsh", "--", "3", "compile", "mnist.tfjob", "--set", ""),
        ("new", "other"),
    ],
    ids=" ".join,
)
def test_front_end_loads_nothing_slow(words: tuple[str, ...], tmp_path: Path) -> None:
    assert not loaded(tmp_path, *words) & SLOW


def test_overview_loads_next_to_nothing(tmp_path: Path) -> None:
    assert not loaded(tmp_path, "--help") & {"re", "typing", "enum", "argparse", "tfdsl.backend", "tfdsl.syntax"}


def test_targets_load_no_job(tmp_path: Path) -> None:
    """They read the metadata of installed packages, but make nothing."""
    modules = loaded(tmp_path, "targets", "--format", "json")
    modules |= loaded(tmp_path, "completion", "fish", "--", "3", "compile", "mnist.tfjob", "-t", "")
    assert not modules & {"pydantic", "jinja2", "yaml", "lark", "tfdsl.ir.model"}


def test_compile_to_yaml_loads_no_reader_and_no_template_engine(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "compile", "mnist.tfjob", "-t", "volcano")
    assert "tfdsl.ir.model" in modules  # the measure works
    assert not modules & (SLOW - OF_PYDANTIC | {"argparse", "pydantic.networks"})
    others = set(targets.names()) - {"volcano"}
    assert not [name for name in modules if "operating" in name or name.endswith((".cluster", "subprocess"))]
    assert not modules & {f"tfdsl_backends.{name}.lower" for name in others}


@pytest.mark.slow
def test_imports_go_down_only() -> None:
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("words", [("compile", "-t", "volcano"), ("check", "-t", "volcano"), ("schema",)], ids=" ".join)
def test_pydantic_is_loaded_where_a_job_is_lowered_or_described(words: tuple[str, ...], tmp_path: Path) -> None:
    command, *options = words
    files = [] if command == "schema" else ["mnist.tfjob"]
    assert "pydantic" in loaded(tmp_path, command, *files, *options)


def test_the_ir_is_public_without_loading_it() -> None:
    code = "import sys, tfdsl.ir; assert 'pydantic' not in sys.modules; tfdsl.ir.Job; assert 'pydantic' in sys.modules"
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True)


def test_only_the_ir_imports_pydantic() -> None:
    users = {
        str(path.relative_to(ROOT))
        for folder in ("tfdsl", "backends")
        for path in (ROOT / folder).rglob("*.py")
        if "pydantic" in path.read_text(encoding="utf-8").replace("PYDANTIC", "") and "import" in _pydantic_lines(path)
    }
    assert {user.rpartition("/")[0] for user in users} == {"tfdsl/ir"}


def _pydantic_lines(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line.startswith(("import pydantic", "from pydantic")))


# --- rules -----------------------------------------------------------------------------------------------------


def built_in() -> list[Backend]:
    """The backends of the static table."""
    found = [targets.find(name) for name in targets.names()]
    return [backend for backend in found if backend is not None]


def all_rules() -> list[Rule]:
    """Every rule of every registry; variants of one row (same code, slug and level) count once."""
    found = [*rules(), *lint_rules(), *(rule for backend in built_in() for rule in backend.all_rules())]
    return list({(rule.code, rule.slug, rule.level): rule for rule in found}.values())


@pytest.mark.parametrize("field", ["code", "slug"])
def test_codes_and_slugs_are_unique(field: str) -> None:
    seen: dict[str, Rule] = {}
    clashes: list[tuple[str, str, str, str]] = []
    for rule in all_rules():
        first = seen.setdefault(getattr(rule, field), rule)
        if (first.code, first.slug) != (rule.code, rule.slug):
            clashes.append((first.code, first.slug, rule.code, rule.slug))
    assert not clashes


def test_codes_have_the_form_of_their_registry() -> None:
    prefixes = [backend.prefix for backend in built_in()]
    assert len({"TFJ", *prefixes}) == len(prefixes) + 1
    assert all(re.fullmatch("[A-Z][A-Z0-9]{2}", prefix) for prefix in prefixes)
    for rule in (*rules(), *lint_rules()):
        assert rule.code[:3] == "TFJ", rule
        assert rule.code[3:].isdigit(), rule
        assert len(rule.code) == 7, rule
    for backend in built_in():
        for rule in backend.all_rules():
            assert rule.code[:3] == backend.prefix, rule
            assert rule.code[3:].isdigit(), rule
            assert len(rule.code) == 6, rule


def test_slugs_are_words_joined_by_dashes() -> None:
    import re

    assert [rule.slug for rule in all_rules() if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.slug)] == []


def test_registry_knows_every_module_of_rules() -> None:
    files = {path.stem for path in (ROOT / "tfdsl/diagnostics").glob("*_rules.py")}
    assert files == set(MODULES)


def test_every_page_is_of_a_rule() -> None:
    pages = {path.stem for path in (ROOT / "tfdsl/diagnostics/pages").glob("*.md")}
    assert pages <= {rule.slug for rule in all_rules()}


def test_lint_rules_are_those_of_their_folder() -> None:
    modules = {path.stem for path in (ROOT / "tfdsl/lint/rules").glob("*.py")} - {"__init__"}
    assert modules == set(RULES.values())
    made = [
        value.slug
        for module in modules
        for value in vars(importlib.import_module(f"tfdsl.lint.rules.{module}")).values()
        if isinstance(value, Rule)
    ]
    assert sorted(made) == sorted(SLUGS)
    assert [rule.slug for rule in lint_rules()] == list(SLUGS)


def _flows(name: str) -> FlowLowering | None:
    backend = targets.find(name)
    return backend.load_flows() if backend is not None else None


# --- targets ---------------------------------------------------------------------------------------------------


def test_entry_points_are_the_static_table() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["entry-points"]["tfdsl.backends"]
    assert set(declared) == set(targets.names())
    for name, reference in declared.items():
        assert reference == f"tfdsl_backends.{name}:BACKEND"
        backend = targets.find(name)
        assert backend is not None
        assert backend.name == name


@pytest.mark.parametrize("name", targets.names())
def test_support_table_has_no_hole(name: str) -> None:
    backend = targets.find(name)
    assert backend is not None
    holes = [key for key in all_keys() if not backend.support[key]]
    assert not holes
    undecided = [
        key
        for key in all_keys()
        if (last := backend.support[key][-1]).when is not None or last.since not in (None, backend.versions[0])
    ]
    assert not undecided, "the last row of a key holds for every version and value"


@pytest.mark.parametrize("name", targets.names())
def test_support_table_speaks_of_nothing_else(name: str) -> None:
    backend = targets.find(name)
    assert backend is not None
    assert {row.key for row in backend.support.rows} <= set(all_keys())


@pytest.mark.parametrize("name", [name for name in targets.names() if _flows(name) is not None])
def test_table_of_flows_has_no_hole_and_speaks_of_nothing_else(name: str) -> None:
    """What its rows report can be looked up and silenced as every message."""
    backend, flows = targets.find(name), _flows(name)
    assert backend is not None
    assert flows is not None
    assert not [key for key in FLOW_KEYS if not flows.SUPPORT[key]]
    assert not [key for key in FLOW_KEYS if flows.SUPPORT[key][-1].when is not None]
    assert {row.key for row in flows.SUPPORT.rows} <= set(FLOW_KEYS)
    assert set(flows.SUPPORT.rules()) <= set(backend.all_rules())


@pytest.mark.parametrize("name", targets.names())
def test_texts_of_support_tables_can_be_filled(name: str) -> None:
    """Braces are doubled, fields are known; ``role`` stands only where an item always has one."""
    backend = targets.find(name)
    assert backend is not None
    for row in backend.support.rows:
        text = row.instead if row.rule is None else f"{row.text} {row.instead}"
        fields = {field for _, field, _, _ in Formatter().parse(text) if field is not None}
        assert all(field.isidentifier() for field in fields), f"{row.key}: {text}"
        assert row.fill is not None or fields <= {"value", "role", "job", "key"}, f"{row.key}: {text}"
        general = row.key.startswith("job.") or row.key in {
            f"policies[{event}].{action}" for event in ("failed", "exit", "evicted") for action in ACTIONS_OF[event]
        }
        assert not (general and "role" in fields), f"{row.key}: {text}"


@pytest.mark.parametrize("name", targets.names())
def test_options_of_targets_bear_no_name_of_an_attribute(name: str) -> None:
    from tfdsl.vocabulary.attributes import BY_NAME

    backend = targets.find(name)
    assert backend is not None
    assert not {option.name for option in backend.options} & set(BY_NAME)
    assert all(option.doc for option in backend.options)


@pytest.mark.parametrize("name", targets.names())
def test_tables_of_a_target_load_without_the_ir(name: str) -> None:
    code = f"import sys; from tfdsl import targets; targets.find({name!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"pydantic", "tfdsl.ir.model", "jinja2", "yaml"}


def test_no_module_of_a_target_keeps_a_value_between_jobs() -> None:
    """What is worked out for a job belongs to its unit (``Unit.once``), not to a module."""
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "backends").rglob("*.py")}
    trees = {path: ast.parse(text) for path, text in texts.items() if "global" in text}
    assert texts
    assert not [path for path, tree in trees.items() if any(isinstance(node, ast.Global) for node in ast.walk(tree))]


# --- the tree --------------------------------------------------------------------------------------------------


def test_commands_are_the_files_that_have_one() -> None:
    cli = ROOT / "tfdsl/cli"
    files = {
        path.relative_to(cli).parts[0].removesuffix(".py")  # of a folder, the folder
        for path in cli.rglob("*.py")
        if "\nCOMMAND = " in path.read_text(encoding="utf-8")
    }
    assert files - {"import_manifest"} | {"import"} == set(SUMMARIES)  # no module can be called import


ROOMS = {"options", "support", "when", "messages", "checks", "lower", "policies", "lifecycle"}
"""Files that every target has, each with one subject: whoever knows one target finds their way in the others."""


@pytest.mark.parametrize("name", targets.names())
def test_every_target_has_the_same_rooms(name: str) -> None:
    files = {path.stem for path in (ROOT / "backends/tfdsl_backends" / name).glob("*.py")}
    backend = targets.find(name)
    rooms = ROOMS | {"cluster", "reasons"} if backend is not None and backend.cluster else ROOMS
    assert not rooms - files, f"add {', '.join(sorted(rooms - files))}.py"
