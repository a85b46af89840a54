"""``tfdsl info``: the params, profiles, jobs, flows and includes of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import FILE, TEXT_OR_JSON, Arguments, Command
from tfdsl.cli.report import OK, document, lines_for_people, report
from tfdsl.cli.streams import out
from tfdsl.compiling.front_end import hidden_with
from tfdsl.compiling.jobs import FileInfo, FlowInfo, JobInfo, ParamInfo, Plain, file_info
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.simulating import table
from tfdsl.text import Span

COMMAND = Command(
    "info",
    (FILE,),
    (chosen.JOB, chosen.FLOW, chosen.PROFILE, chosen.PARAMS, chosen.SET, chosen.ALLOW_READ, TEXT_OR_JSON),
    ("tfdsl info mnist.tfjob", "tfdsl info mnist.tfjob --profile large --format json"),
    "A param without a value, or a mistake inside a job, is not an error here; what depends on it is shown as ?.\n"
    "The roles of a job are those without its target blocks. A job whose condition is false is left out.",
)

_UNKNOWN = "?"
_MOST_NUMBERS = 3
"""How many numbers of replicas a row names one by one."""
_MOST_RUNS = 6
"""How many jobs of a flow a row names."""


def run(arguments: Arguments) -> int:
    """Print what the file takes and makes."""
    picked = chosen.selection(arguments)
    given = chosen.opened(arguments, picked).given
    info, errors = file_info(given, picked.request)
    hidden = hidden_with(given, picked.hidden)
    if info is None:
        return report(errors, (), hidden=hidden)
    if arguments.text(TEXT_OR_JSON.name) == "json":
        out(_json(info, hidden))
    else:
        changed = bool(picked.request.profile or picked.request.params or picked.request.values)
        out(_text(info, hidden, changed=changed))
    return OK


# --- for people ------------------------------------------------------------------------------------------------


def _text(info: FileInfo, hidden: Hidden, *, changed: bool) -> str:
    """One table for each kind of thing; ``changed``: params may have other values than their defaults."""
    tables: list[list[tuple[str, ...]]] = [
        [
            ("param", "type", "default", *(["value"] if changed else []), "allowed", "description"),
            *(_param(param, changed=changed) for param in info.params),
        ],
        [("profile", "sets"), *((profile.name, _settings(profile.values)) for profile in info.profiles)],
        [("job", "roles", "target blocks"), *_jobs(info.jobs)],
        [("flow", "schedule", "jobs"), *((flow.name, flow.schedule or "", _runs(flow)) for flow in info.flows)],
        [("include",), *((path,) for path in info.includes)],
    ]
    texts = ["\n".join(table(_without_empty(rows))) for rows in tables if len(rows) > 1]
    lines = "\n\n".join(texts).split("\n") if texts else ["no params, profiles, jobs or flows"]
    return lines_for_people(lines, hidden)


def _without_empty(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """``rows`` without the columns that have nothing below their head."""
    kept = [at for at in range(len(rows[0])) if any(row[at] for row in rows[1:])]
    return [[" ".join(row[at].split()) for at in kept] for row in rows]


def _param(param: ParamInfo, *, changed: bool) -> tuple[str, ...]:
    default = "(required)" if param.required else _shown(param.default)
    value = [_shown(param.value)] if changed else []
    return (param.name, param.type, default, *value, "; ".join(_allowed(param)), param.description)


def _allowed(param: ParamInfo) -> Iterator[str]:
    if param.low is not None and param.high is not None:
        yield f"{_shown(param.low)} to {_shown(param.high)}"
    elif param.low is not None:
        yield f"at least {_shown(param.low)}"
    elif param.high is not None:
        yield f"at most {_shown(param.high)}"
    if param.one_of is not None:
        yield f"one of {', '.join(map(_shown, param.one_of))}"
    if param.pattern is not None:
        yield f"matches {param.pattern}"


def _settings(values: dict[str, Plain]) -> str:
    return ", ".join(f"{name} = {_shown(value)}" for name, value in values.items())


def _shown(value: Plain) -> str:
    """A value as a person would write it for ``--set``."""
    if value is None:
        return _UNKNOWN
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_inner, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_inner(key)} = {_inner(item)}' for key, item in value.items())} }}"
    return (value or '""') if isinstance(value, str) else str(value)


def _inner(value: Plain) -> str:
    return f'"{value}"' if isinstance(value, str) else _shown(value)


def _jobs(jobs: Iterable[JobInfo]) -> Iterator[tuple[str, str, str]]:
    """A row for each block."""
    for _, group in groupby(jobs, key=lambda job: job.place.start):
        those = list(group)
        names = dict.fromkeys(job.name or job.block for job in (those[0], those[-1]))
        more = [f"({len(those)} jobs)"] if len(those) > 1 else []
        yield " ".join([" … ".join(names), *more]), ", ".join(_roles(those)), ", ".join(those[0].targets)


def _runs(flow: FlowInfo) -> str:
    """Its jobs as they are run; of many only how many."""
    ends = {"succeeded": ""}
    runs = [
        f"{run.job} after {enumeration(run.after)} {ends.get(run.ending, run.ending)}".rstrip()
        if run.after
        else run.job
        for run in flow.runs
    ]
    return ", ".join(runs) if len(runs) <= _MOST_RUNS else f"{len(runs)} jobs"


def _roles(jobs: Sequence[JobInfo]) -> Iterator[str]:
    """Each role with its replicas, which may differ between the jobs of a matrix."""
    indexes: dict[str, list[int | None]] = {}
    for job in jobs:
        for name, number in job.roles.items():
            indexes.setdefault(name, []).append(number)
    for name, replicas in indexes.items():
        known = {number for number in replicas if number is not None}
        known |= {0} if len(replicas) < len(jobs) else set()
        if None in replicas:
            yield f"{name} {_UNKNOWN}"
        elif len(known) <= _MOST_NUMBERS:
            yield f"{name} {' or '.join(map(str, sorted(known)))}"
        else:
            yield f"{name} {min(known)} to {max(known)}"


# --- for programs ----------------------------------------------------------------------------------------------


def _json(info: FileInfo, hidden: Hidden) -> str:
    data: dict[str, object] = {
        "path": info.path,
        "includes": list(info.includes),
        "params": [_param_data(param, hidden) for param in info.params],
        "profiles": [
            {"name": profile.name, "values": _masked(profile.values, hidden), **_place(profile.place)}
            for profile in info.profiles
        ],
        "jobs": [_job_data(job) for job in info.jobs],
        "flows": [_flow_data(flow) for flow in info.flows],
    }
    return document(1, data)


def _param_data(param: ParamInfo, hidden: Hidden) -> object:
    return {
        "name": param.name,
        "type": param.type,
        "required": param.required,
        "default": _masked(param.default, hidden),
        "value": _masked(param.value, hidden),
        "description": param.description,
        "min": _masked(param.low, hidden),
        "max": _masked(param.high, hidden),
        "one_of": _masked(param.one_of, hidden),
        "pattern": param.pattern,
        **_place(param.place),
    }


def _flow_data(flow: FlowInfo) -> object:
    runs = [{"job": run.job, "after": list(run.after), "ending": run.ending} for run in flow.runs]
    return {"name": flow.name, "schedule": flow.schedule, "runs": runs, **_place(flow.place)}


def _job_data(job: JobInfo) -> object:
    return {
        "name": job.name,
        "block": job.block,
        "index": job.index,
        "roles": [{"name": name, "replicas": number} for name, number in job.roles.items()],
        "targets": list(job.targets),
        **_place(job.place),
    }


def _place(span: Span) -> dict[str, object]:
    return {"path": span.source.path, "line": span.source.position(span.start)[0]}


def _masked(value: Plain, hidden: Hidden) -> object:
    """``value`` without the secrets in its texts."""
    if isinstance(value, str):
        return hide(value, hidden)
    if isinstance(value, list):
        return [_masked(item, hidden) for item in value]
    if isinstance(value, dict):
        return {key: _masked(item, hidden) for key, item in value.items()}
    return value
