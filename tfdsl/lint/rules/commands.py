"""What a role or step runs: the words of a list, or the text that a shell runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfdsl.diagnostics import Diagnostic, Edit, Rule
from tfdsl.lint.view import JobView
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.semantics import resolved
from tfdsl.semantics.secrets import secrets
from tfdsl.semantics.values import ListData, Value
from tfdsl.text import Span

# --- commands ---
#
# What a role or step runs, as lint rules see it: the words of a list, or the text that a shell runs.

_SHELL = regex(r"(?:.*/)?(?:ba|da|a)?sh")
_TAKES_TEXT = regex(r"-[a-z]*c")


class Command(Record):
    """``words``: the program and its arguments, one by one; ``shell``: the text that a shell runs, if any.

    With a shell text, ``words`` are its arguments.
    """

    words: tuple[Value, ...]
    shell: Value | None = None

    @property
    def texts(self) -> tuple[Value, ...]:
        """The text of the shell, if there is one, and the words."""
        return self.words if self.shell is None else (self.shell, *self.words)


def command_of(view: JobView, runner: resolved.Role | resolved.Step) -> Command:
    """The command and args of a role or step; empty if the compiler writes the command (TensorBoard, a server)."""
    if isinstance(runner, resolved.Role) and (runner.name == "tensorboard" or runner.data("server") is True):
        return Command(())
    args = tuple(view.texts(runner, "args"))
    command = tuple(view.texts(runner, "command"))
    if not isinstance(runner.data("command"), ListData):
        return Command(args, command[0]) if command else Command(args)
    words = (*command, *args)
    if words and _SHELL.fullmatch(view.literal(words[0])):
        for at, word in enumerate(words[1:-1], 2):
            if _TAKES_TEXT.fullmatch(view.literal(word)):
                return Command(words[at + 1 :], words[at])
    return Command(words)


def as_written(value: Value) -> str | None:
    """The text of ``value`` if the file has exactly that between quotes (an edit may split it), else ``None``."""
    text = value.span.text
    return value.data if isinstance(value.data, str) and text == f'"{value.data}"' else None


def short(text: str) -> str:
    """``text`` in quotes for a message, cut off if it is long."""
    line = text.strip().partition("\n")[0]
    return f'"{line[:39]}…"' if len(line) > 40 or line != text.strip() else f'"{line}"'


LITERAL_EXPANSION = Rule(
    "TFJ3011", "literal-expansion", "warning", "{text} is passed on as it is: nothing replaces it with the variable"
)


_EXPANSION = regex(r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)")
_VARIABLE = regex(r"(?<!\$)\$(?:([A-Z][A-Z0-9_]+)\b|\(([A-Za-z_][A-Za-z0-9_]*)\))")
"""In a word of a command also ``$NAME``: it is meant for a shell, and none runs."""

_OF_PODS = ("POD_NAME", "HOSTNAME", "POD_INDEX", "JOB_COMPLETION_INDEX", "VC_TASK_INDEX", "VK_TASK_INDEX")


def literal_expansion(view: JobView) -> Iterator[Diagnostic]:
    """`$(NAME)` or `$NAME` where nothing replaces it.

    ## Why

    Kubernetes replaces `$(NAME)` in manifests, and a shell replaces `$NAME`. In a .tfjob file, texts reach the process byte
    for byte, so the program would get the characters themselves, and a `sub_path` would be one folder of that name for all
    replicas. Write `${env.NAME}` for a variable, and `${task.index}` for the number of the replica, which is what
    `$(POD_NAME)` is usually meant for.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      args  = ["--data=$(DATA_DIR)"]
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      args  = ["--data=${env.DATA_DIR}"]
      role worker { }
    }
    ```
    """
    # Texts that no shell reads: commands, args, env, mounts and outputs.
    for runner in view.runners():
        command = command_of(view, runner)
        for value in command.words:
            yield from _unreplaced(view, value, _VARIABLE)
        if command.shell is not None and isinstance(runner.data("command"), ListData):
            yield from _unreplaced(view, command.shell, _EXPANSION)
        for value in (*view.texts(runner, "env"), *view.texts(runner, "workdir")):
            yield from _unreplaced(view, value, _EXPANSION)
    for role in view.job.roles:
        for value in _paths(role):
            yield from _unreplaced(view, value, _EXPANSION)


def _paths(role: resolved.Role) -> Iterator[Value]:
    for mount in role.mounts:
        if mount.source is not None:
            yield mount.source
        if "sub_path" in mount.options:
            yield mount.options["sub_path"].value
    for output in role.outputs:
        yield output.source
        yield output.destination


def _unreplaced(view: JobView, value: Value, pattern: re.Pattern[str]) -> Iterator[Diagnostic]:
    match = pattern.search(view.literal(value))
    if match is not None:
        name = next(filter(None, match.groups()))
        advice = f"write ${{env.{name}}} for the variable"
        each = "write ${task.index}, which differs in each replica"
        yield LITERAL_EXPANSION(value.span, text=match[0]).help(each if name in _OF_PODS else advice)


PLAIN_SECRET = Rule("TFJ3017", "plain-secret", "warning", "{name} looks like a secret in plain text")

_HELP = {
    "env file": "put it in a Secret (kubectl create secret generic NAME --from-env-file=FILE) and write "
    'env_from = [secret("NAME")]',
    "env": 'write secret("name", "key"), or read a file of the node (mount host) on a target without secrets',
    "command": 'put it in env with secret("name", "key"), and read the variable in the program',
    "metadata": "remove it: everyone who can read the job can read its labels and annotations",
    "build": "mount it for the step (RUN --mount=type=secret): what is in a step stays in the image",
    "patch": "refer to a Secret, with valueFrom.secretKeyRef",
    "option": "let the program read it from a file of the node (mount host)",
    "address": "remove the password from the address",
}


def plain_secret(view: JobView) -> Iterator[Diagnostic]:
    """A secret in plain text.

    ## Why

    Everyone who can read the job file, the manifest or the pod can read it, and it stays in the history of the
    repository. A secret in a command also shows in the list of processes; one in a step of `build` stays in the image.
    `docs/security.md` says who can read what on each target.

    A secret is recognised by its name (`API_TOKEN`, `--password`, `dbPassword`) or by its form (`ghp_…`, a private key,
    `scheme://user:password@host`). A path, as in `PASSWORD_FILE` or `KEYTAB = "/keys/user.keytab"`, is not a secret.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      env   = { API_TOKEN = "s3cr3t-value" }
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      env   = { API_TOKEN = secret("hub", "token") }
      role worker { }
    }
    ```
    """
    # Texts with the name or the form of a secret.
    of_files: dict[Span, list[str]] = {}
    for secret in secrets(view.job):
        if secret.where == "env file":
            of_files.setdefault(secret.span, []).append(secret.name)
        else:
            yield PLAIN_SECRET(secret.span, name=secret.name).marked(secret.form).help(_HELP[secret.where])
    for span, (name, *others) in of_files.items():  # all that one call reads is at the same place
        more = f" (and {len(others)} more from this file)" if others else ""
        yield PLAIN_SECRET(span, name=f"{name}{more}").help(_HELP["env file"])


RESERVED_FLAG = Rule("TFJ3020", "reserved-flag", "warning", "{flag} is also added by discovery")


_FLAGS = regex(r"(?<!\S)--(?:ps_hosts|worker_hosts|job_name|task_index)(?=[=\s]|$)")


def reserved_flag(view: JobView) -> Iterator[Diagnostic]:
    """A discovery flag that the compiler adds too.

    ## Why

    With `discovery = "flags"` the four TensorFlow flags are appended to the arguments. Whether a second value of one of
    them wins depends on the program.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      args  = ["--task_index=0"]
      role worker { }
      cluster { discovery = "flags" }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { }
      cluster { discovery = "flags" }
    }
    ```
    """
    # Discovery flags in commands and args of a job that discovers by flags.
    discovery = view.job.cluster.get("discovery")
    if discovery is None or discovery.value.data not in ("flags", "both"):
        return
    for role in view.job.roles:
        for value in command_of(view, role).texts:
            for match in _FLAGS.finditer(view.literal(value)):
                yield RESERVED_FLAG(value.span, flag=match[0]).help('remove it, or write discovery = "tf_config"')


BROKEN_CONTINUATION = Rule(
    "TFJ3027", "broken-continuation", "warning", "a backslash followed by a space does not continue the line"
)


_BROKEN = regex(r"\\[ \t]+(?:#[^\n]*)?\n")


def broken_continuation(view: JobView) -> Iterator[Diagnostic]:
    r"""A backslash that does not continue the line.

    ## Why

    With a space after it, `\` joins nothing: the shell ends the command there and runs the next line as another
    command.

    ## Bad

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      command = "python train.py \\ \n  --steps=5"
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      command = "exec python train.py --steps=5"
      role worker { }
    }
    ```
    """
    # Shell texts with spaces or a comment between the backslash and the end of the line.
    for runner in view.runners():
        for value in view.texts(runner, "command"):
            if not isinstance(runner.data("command"), ListData) and _BROKEN.search(view.literal(value)):
                yield BROKEN_CONTINUATION(value.span).help("remove the spaces after the backslash")


SHELL_WITHOUT_EXEC = Rule(
    "TFJ3101", "shell-without-exec", "info", "SIGTERM may not reach the program: the shell runs it without exec"
)

_HANDED_OVER = regex(
    r"(?:^|[;&|({\n]|\b(?:then|do|else)\b)[ \t]*(?:\w+=\S*[ \t]+)*(?:trap[ \t]|exec[ \t]+(?!\d*[<>])\S)"
)
"""``exec`` with a program (so not ``exec 2>&1``), or ``trap``, where a command begins."""

_ONE_COMMAND = regex(r"(?!(?:cd|export|set|source|if|for|while|case|until|time)\b)[\w./-]+(?: [^;&|(){}`\n]*)?")


def shell_without_exec(view: JobView) -> Iterator[Diagnostic]:
    """A shell that keeps SIGTERM from the program.

    ## Why

    `/bin/sh -c` starts the program as a child and waits for it; dash, the shell of Debian and Ubuntu, does so even for a
    single command. When the pod is stopped, only the shell gets SIGTERM: the program writes no last checkpoint, and is
    killed at the end of the grace period. `exec` replaces the shell with the program. Nothing is reported if the text sets
    a `trap`. On YARN and Slider the signal reaches all processes of a task.

    ## Bad

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      command = "cd /app; python train.py"
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      command = "cd /app; exec python train.py"
      role worker { }
    }
    ```
    """
    # Shell texts in which no program replaces the shell.
    if not view.job.pods:
        return
    for role in view.job.roles:
        shell = command_of(view, role).shell
        if shell is not None and not _HANDED_OVER.search(view.literal(shell)):
            diagnostic = SHELL_WITHOUT_EXEC(shell.span).help(
                "write exec before the last command, for example: exec python train.py"
            )
            yield _with_fix(diagnostic, shell)


def _with_fix(diagnostic: Diagnostic, shell: Value) -> Diagnostic:
    text = as_written(shell)
    if text is None or not _ONE_COMMAND.fullmatch(text):
        return diagnostic
    start = shell.span.start + 1
    return diagnostic.fix("add exec", Edit(Span(shell.span.source, start, start), "exec "))


COMMAND_IN_ONE_WORD = Rule("TFJ3102", "command-in-one-word", "warning", "{word} {problem}")

_PROGRAM = regex(r"\S+\s+\S.*", re.S)
_FLAG = regex(r"--?[A-Za-z][\w-]*\s+\S.*", re.S)
_AN_OPTION = regex(r"--?[A-Za-z][\w-]*")
_PLAIN = regex(r"[\w./:=,@%+ -]+")


def command_in_one_word(view: JobView) -> Iterator[Diagnostic]:
    """Several words in one element of a command list.

    ## Why

    The elements of a list reach the program as they are; nothing splits them at spaces. `["python train.py"]` asks for a
    program with a space in its name, and `args = ["--steps 5"]` passes one argument that the program does not know.

    ## Bad

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      command = ["python train.py --steps 5"]
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      command = ["python", "train.py", "--steps", "5"]
      role worker { }
    }
    ```
    """
    # Programs with a space in their name, and flags with a space after them.
    for runner in view.runners():
        command = command_of(view, runner)
        if command.shell is not None:
            continue
        if isinstance(runner.data("command"), ListData):
            yield from _program(view, command.words)
        for before, word in zip((None, *command.words), command.words, strict=False):
            is_value = before is not None and _AN_OPTION.fullmatch(view.literal(before))
            if _FLAG.fullmatch(view.literal(word)) and not is_value:
                yield _split(
                    word,
                    COMMAND_IN_ONE_WORD(word.span, word=short(view.shown(word)), problem="is passed as one argument"),
                )
    entrypoint = view.job.build.settings.get("entrypoint") if view.job.build is not None else None
    if entrypoint is not None and isinstance(entrypoint.value.data, ListData):
        yield from _program(view, entrypoint.value.data.items)


def _program(view: JobView, words: tuple[Value, ...]) -> Iterator[Diagnostic]:
    if words and _PROGRAM.fullmatch(view.literal(words[0])):
        diagnostic = COMMAND_IN_ONE_WORD(
            words[0].span, word=short(view.shown(words[0])), problem="is used as the name of the program"
        )
        yield _split(words[0], diagnostic)


def _split(word: Value, diagnostic: Diagnostic) -> Diagnostic:
    text = as_written(word)
    if text is None or not _PLAIN.fullmatch(text):
        return diagnostic.help('write one word per element, or the command as one text: command = "python train.py"')
    words = ", ".join(f'"{one}"' for one in text.split())
    return diagnostic.help("write one word per element").replacing(f"write {words}", words)


SHELL_OPERATOR_IN_LIST = Rule(
    "TFJ3103", "shell-operator-in-list", "warning", "{word} is passed to the program: no shell reads a list"
)

_OPERATOR = regex(r"&&?|\|[|&]?|;|<|\d?>>?(?:&\d|[/.]\S*)?|&>>?\S*")
_OPTION = regex(r"--?[A-Za-z][\w-]*")


def shell_operator_in_list(view: JobView) -> Iterator[Diagnostic]:
    """A shell operator in a list.

    ## Why

    No shell reads a list: `>`, `|` and `&&` are passed to the program as arguments, and so is everything after them.

    ## Bad

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      command = ["python", "train.py", ">", "/tmp/log"]
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      command = "exec python train.py > /tmp/log"
      role worker { }
    }
    ```
    """
    # The first operator in each list that is not the value of an option (``["--sep", "|"]``, ``find -exec … ;``).
    for runner in view.runners():
        words = command_of(view, runner).words
        texts = [view.literal(word) for word in words]
        for at, word in enumerate(words):
            if _OPERATOR.fullmatch(texts[at]) and not _is_argument(texts, at):
                diagnostic = SHELL_OPERATOR_IN_LIST(word.span, word=f'"{texts[at]}"')
                yield diagnostic.help('write the command as one text: command = "exec python train.py > log"')
                break


def _is_argument(texts: list[str], at: int) -> bool:
    if texts[at] == ";" and any(text.startswith("-exec") for text in texts[:at]):
        return True
    ends = at + 1 == len(texts) or texts[at + 1].startswith("-")
    return ends and at > 0 and _OPTION.fullmatch(texts[at - 1]) is not None


FIXED_TASK = Rule("TFJ3104", "fixed-task", "warning", "{who} gets {flag}")

_INDEX = regex(r"(?<!\S)(--task[_-]index)(?:=|\s+)(\d+)(?!\S)")
_NAME = regex(r"(?<!\S)(--job[_-]name)(?:=|\s+)(chief|master|worker|ps|evaluator)(?!\S)")
_ALSO = {"chief": ("worker", "master"), "master": ("worker", "chief")}
"""With flags the chief is the first worker."""


def fixed_task(view: JobView) -> Iterator[Diagnostic]:
    """The same task number for every replica.

    ## Why

    A fixed `--task_index` tells every replica of a role that it is the same task, and a fixed `--job_name` in the job tells
    every role the same. Two tasks then claim one place in the cluster, and the others wait for a task that does not exist.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      args  = ["--task_index=0"]
      role worker { replicas = 2 }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      args  = ["--task_index=${task.index}"]
      role worker { replicas = 2 }
    }
    ```
    """
    # Flags written by hand; beside flags of the compiler they are a case for reserved-flag.
    discovery = view.job.cluster.get("discovery")
    if discovery is not None and discovery.value.data in ("flags", "both"):
        return
    for role in view.job.roles:
        for value, text in _texts(view, command_of(view, role).texts):
            yield from _flags(role, value, text)


def _texts(view: JobView, values: tuple[Value, ...]) -> Iterator[tuple[Value, str]]:
    """Each value with its text; a flag and the value after it count as one text."""
    texts = [view.shown(value) for value in values]
    for at, value in enumerate(values):
        is_flag = texts[at].startswith("--") and at + 1 < len(texts)
        yield value, f"{texts[at]} {texts[at + 1]}" if is_flag and "=" not in texts[at] else texts[at]


def _flags(role: resolved.Role, value: Value, text: str) -> Iterator[Diagnostic]:
    for match in _INDEX.finditer(text):
        if role.replicas > 1:
            diagnostic = FIXED_TASK(
                value.span, who=f"each of the {role.replicas} replicas of {role.name}", flag=match[0]
            )
            yield diagnostic.help(f"write {match[1]}=${{task.index}}")
    for match in _NAME.finditer(text):
        if match[2] != role.name and match[2] not in _ALSO.get(role.name, ()):
            diagnostic = FIXED_TASK(value.span, who=f"role {role.name}", flag=match[0])
            yield diagnostic.help(f"write {match[1]}=${{role.name}}")
