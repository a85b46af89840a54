"""Rules about what a replica runs. The wrong commands are those of public reports."""

from __future__ import annotations

import json

import pytest

from tests.unit.lint.linting import said, with_first_fix

SIGTERM = ["SIGTERM may not reach the program: the shell runs it without exec"]


def command(text: str) -> str:
    return f"command = {json.dumps(text)}\nrole worker {{ }}"


@pytest.mark.parametrize(
    "text",
    [
        "python train.py",
        "cd /app && python train.py",
        "python train.py | tee /tmp/log",
        "exec 2>&1; python train.py",
        "exec > /tmp/log\npython train.py",
        "pip install x; python train.py # exec python",
    ],
)
def test_a_shell_that_stays(text: str) -> None:
    assert said("shell-without-exec", command(text)) == SIGTERM


@pytest.mark.parametrize(
    "text",
    [
        "exec python train.py",
        "set -e\ncd /app\nexec python train.py",
        "cd /app && LR=1 exec python train.py",
        "if true; then exec python a.py; else exec python b.py; fi",
        "trap 'kill $!' TERM; python train.py & wait",
        "exec -a train python train.py",
    ],
)
def test_a_shell_that_goes_or_traps(text: str) -> None:
    assert said("shell-without-exec", command(text)) == []


@pytest.mark.parametrize("shell", ['"sh", "-c"', '"/bin/bash", "-ec"', '"bash", "-l", "-c"'])
def test_a_list_that_is_a_shell(shell: str) -> None:
    assert said("shell-without-exec", f'command = [{shell}, "python train.py"]\nrole worker {{ }}') == SIGTERM
    assert said("shell-without-exec", f'command = [{shell}, "exec python train.py"]\nrole worker {{ }}') == []
    assert said("shell-without-exec", f'command = [{shell}]\nargs = ["python x.py"]\nrole worker {{ }}') == SIGTERM


def test_on_yarn_the_signal_reaches_all_processes() -> None:
    text = command("python train.py") + "\ntarget yarn { }"
    assert said("shell-without-exec", text) == []
    assert said("shell-without-exec", text, "yarn") == []
    assert said("shell-without-exec", text, "volcano") == SIGTERM


def test_exec_is_offered_for_a_single_command() -> None:
    text = 'job j {\n image = "r/x:1"\n command = "python train.py --x=1"\n role worker { }\n}\n'
    assert 'command = "exec python train.py --x=1"' in with_first_fix(text, "shell-without-exec")


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ('command = ["python train.py --x 1"]', ['"python train.py --x 1" is used as the name of the program']),
        ('command = ["python train.py", "--x"]', ['"python train.py" is used as the name of the program']),
        ('command = ["python", "train.py", "--x 1"]', ['"--x 1" is passed as one argument']),
        ('args = ["--data-dir  /data"]', ['"--data-dir  /data" is passed as one argument']),
        (
            'build { from = "a:1"\n entrypoint = ["python /app/main.py"] }',
            ['"python /app/main.py" is used as the name of the program'],
        ),
        ('command = ["python", "train.py", "--note=a b", "two words"]', []),
        ('command = ["python", "train.py", "--xla-flags", "--a=1 --b=2", "--java", "-Xmx1g -Dx=y"]', []),
        ('command = ["sh", "-c", "exec python train.py --x 1"]', []),
        ('command = "exec python train.py --x 1"', []),
        ('args = ["python train.py"]', []),
    ],
)
def test_a_command_in_one_word(items: str, told: list[str]) -> None:
    assert said("command-in-one-word", f"{items}\nrole worker {{ }}") == told


def test_the_words_are_offered() -> None:
    text = 'job j {\n image = "r/x:1"\n command = ["python train.py --x 1", "--y"]\n role worker { }\n}\n'
    assert '["python", "train.py", "--x", "1", "--y"]' in with_first_fix(text, "command-in-one-word")


@pytest.mark.parametrize("operator", [">", ">>", "2>&1", "2>/dev/null", ">/tmp/log", "|", "||", "&&", ";", "<", "&"])
def test_an_operator_in_a_list(operator: str) -> None:
    told = [f'"{operator}" is passed to the program: no shell reads a list']
    assert said("shell-operator-in-list", f'command = ["a", "b", "{operator}", "c"]\nrole worker {{ }}') == told
    assert said("shell-operator-in-list", f'command = ["a"]\nargs = ["{operator}", "c"]\nrole worker {{ }}') == told


@pytest.mark.parametrize(
    "words",
    [
        '"train", "--sep", "|"',
        '"train", "--sep", "|", "--x"',
        '"find", "/d", "-exec", "rm", "{}", ";"',
        '"train", "a > b", "--x=>", "->"',
        '"sh", "-c", "exec a > b"',
    ],
)
def test_what_only_looks_like_an_operator(words: str) -> None:
    assert said("shell-operator-in-list", f"command = [{words}]\nrole worker {{ }}") == []


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ('args = ["--task_index=0"]\nrole worker { replicas = 2 }', "each of the 2 replicas of worker"),
        ('args = ["--task_index", "0"]\nrole worker { replicas = 2 }', "each of the 2 replicas of worker"),
        ('command = "exec a --task_index=0"\nrole worker { replicas = 2 }', "each of the 2 replicas of worker"),
        ('cluster { discovery = "none" }\nargs = ["--task-index=1"]\nrole worker { replicas = 2 }', "each of the 2"),
        ('args = ["--job_name=worker"]\nrole worker { }\nrole ps { }', "role ps"),
        ('args = ["--task_index=0"]\nrole worker { }', ""),
        ('args = ["--task_index=${task.index}", "--job_name=${role.name}"]\nrole worker { replicas = 2 }', ""),
        ('args = ["--job_name=worker"]\nrole chief { }\nrole worker { }', ""),
    ],
)
def test_flags_that_say_the_same_to_all(items: str, told: str) -> None:
    messages = said("fixed-task", items)
    assert len(messages) == bool(told)
    assert all(message.startswith(told) and " gets --" in message for message in messages)


@pytest.mark.parametrize(
    "items", ['args = ["--task_index", "0"]', 'command = "exec a \\"$@\\" --task_index 0"', 'args = ["--task_index=0"]']
)
def test_flags_beside_those_of_the_compiler(items: str) -> None:
    text = f'{items}\nrole worker {{ replicas = 2 }}\ncluster {{ discovery = "flags" }}'
    assert said("reserved-flag", text) == ["--task_index is also added by discovery"]
    assert said("fixed-task", text) == []


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ('mount pvc "p" at "/p" { sub_path = "$(POD_NAME)" }', "$(POD_NAME)"),
        ('mount nfs "s:/e/$(POD_NAME)" at "/p"', "$(POD_NAME)"),
        ('mount pvc "p" at "/p"\noutput "/m" to "/p/$(POD_NAME)/m"', "$(POD_NAME)"),
        ('args = ["--dir=$HOME/x"]', "$HOME"),
        ('command = ["a", "$WORKER_COUNT"]', "$WORKER_COUNT"),
        ('command = ["sh", "-c", "exec a $(POD_IP)"]', "$(POD_IP)"),
        ('args = ["--price=$5", "a$$HOME", "^x$", "$x"]', ""),
        ('env = { P = "a$HOME" }', ""),
        ('command = "exec a $HOME $(hostname)"', ""),
        ('command = ["sh", "-c", "exec a $HOME"]', ""),
        ('mount pvc "p" at "/p" { sub_path = "w-${task.index}" }', ""),
    ],
)
def test_a_variable_that_nothing_replaces(items: str, told: str) -> None:
    expected = [f"{told} is passed on as it is: nothing replaces it with the variable"] if told else []
    assert said("literal-expansion", f"{items}\nrole worker {{ }}") == expected
