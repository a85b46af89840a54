"""The plugins of a Volcano job: how its tasks learn of each other, and what is an option of the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.draft import Attribute, Block, Draft, Step, Value
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl_backends.volcano.options import PLUGIN_NAMES
from tfdsl_backends.volcano.plugins import ADDRESSABLE, REACHABLE
from tfdsl_backends.volcano.tfconfig import PLUGIN_ROLES, shell_text

if TYPE_CHECKING:
    from tfdsl.manifest.view import View
    from tfdsl.text import Span
    from tfdsl_backends.podspec.reading.facts import PodsRead
    from tfdsl_backends.volcano.reading_roles import RoleOf

NEEDS_SVC: Final = ("tensorflow", "mpi", "pytorch", "ray")
"""The plugins beside which the mutating webhook adds svc; beside mpi it adds ssh too."""

_LIST: Final = regex(r"hosts /etc/volcano/([-_a-z0-9]+)\.host ([0-9]{1,5}); (chief|master|ps|worker)=\$list")
_BOARD: Final = "tensorboard"


class Plugins(Record):
    """The plugins of a job, each with its arguments, those that the webhook adds among them. ``span``: of all."""

    arguments: Mapping[str, tuple[str, ...]]
    span: Span

    def has(self, name: str) -> bool:
        """Whether the job has the plugin ``name``."""
        return name in self.arguments


def read(spec: View) -> Plugins:
    """The plugins of a job."""
    found: dict[str, tuple[str, ...]] = {}
    for name, arguments in spec["plugins"].entries():
        if name in PLUGIN_NAMES:
            found[name] = tuple(one.words or "" for one in arguments.items())
    for name in added(found):
        found[name] = ()
    return Plugins(found, spec.key("plugins"))


def added(plugins: Mapping[str, object]) -> list[str]:
    """The plugins that the mutating webhook adds."""
    names: list[str] = []
    if any(name in plugins for name in NEEDS_SVC) and "svc" not in plugins:
        names.append("svc")
    if "mpi" in plugins and "ssh" not in plugins:
        names.append("ssh")
    return names


def variables(plugins: Plugins, tasks: Sequence[str]) -> frozenset[str]:
    """The variables that the plugins set in every container."""
    names = ["VC_TASK_INDEX", "VK_TASK_INDEX"] if plugins.has("env") else []
    if plugins.has("svc"):
        names += [f"VC_{task.replace('-', '_').upper()}_{what}" for task in tasks for what in ("HOSTS", "NUM")]
    return frozenset(names)


def program_around(role: str, text: str) -> int | None:
    """The number of parameters of the compiler's own program that builds TF_CONFIG, if ``text`` is that."""
    lists = {role_: (file, int(port)) for file, port, role_ in _LIST.findall(text)}
    return 0 if lists and shell_text(lists, role) == text else None


def read_delivery(draft: Draft, plugins: Plugins, roles: Sequence[RoleOf], pods: PodsRead) -> None:
    """The options by which the compiler gives the tasks what the manifest gives them."""
    usual = "static" if _obstacle(roles, pods) else "plugin"
    discovery = draft.cluster.get("discovery", "tf_config")
    delivers = discovery in ("tf_config", "both")
    chosen = "shell" if pods.around else "static" if pods.config or not plugins.has("tensorflow") else "plugin"
    if delivers and chosen != usual:
        draft.options.set("tf_config", chosen)
    expected: dict[str, tuple[str, ...]] = {"env": (), "svc": _svc(draft, pods)}
    own = _tensorflow(roles, pods) if delivers and chosen == "plugin" else None
    if own is not None:
        expected["tensorflow"] = own
    if dict(plugins.arguments) == expected:
        return
    value: dict[str, Value] = {
        name: [*arguments] for name, arguments in plugins.arguments.items() if name != "tensorflow" or arguments != own
    }
    draft.options.set("plugins", value, plugins.span)


def _obstacle(roles: Sequence[RoleOf], pods: PodsRead) -> bool:
    """Whether the compiler would not use the plugin by itself."""
    names = {one.role for one in roles}
    ports = {port for role, port in pods.ports.items() if role != _BOARD}
    alone = len(roles) == 1 and roles[0].replicas == 1
    return alone or "evaluator" in names or "master" in names or len(ports) > 1


def _svc(draft: Draft, pods: PodsRead) -> tuple[str, ...]:
    """The arguments of svc as the compiler writes them."""
    blocks = [draft.job, *draft.roles.values()]
    reached = _BOARD in draft.roles or any(_has_ports(block) for block in blocks)
    return (ADDRESSABLE, REACHABLE) if reached else (ADDRESSABLE,)


def _has_ports(block: Block) -> bool:
    statements = [one for one in block.statements if isinstance(one, Attribute)]
    statements += [part for one in block.statements if isinstance(one, Step) for part in one.statements]
    return any(one.name == "ports" for one in statements)


def _tensorflow(roles: Sequence[RoleOf], pods: PodsRead) -> tuple[str, ...]:
    """The arguments of the tensorflow plugin as the compiler writes them."""
    named = {one.role: one.written_name for one in roles}
    if "master" in named:
        named["chief"] = named["master"]
    first = next((role for role in ("chief", "master", "ps", "worker", "evaluator") if role in named), "worker")
    port = pods.ports.get(first, 2222)
    return (*(f"--{role}={named[role]}" for role in PLUGIN_ROLES if role in named), f"--port={port}")
