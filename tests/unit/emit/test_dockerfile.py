"""Dockerfiles, read back by the rules of Docker's own parser."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from hypothesis import given, settings, strategies as st

from tests.unit.backends.jobs import job, role
from tests.unit.cli.shell import SHELLCHECK
from tfdsl.emit import dockerfile
from tfdsl.ir.model import Build, CopyStep, RunStep

COMMANDS = [
    "pip install -r requirements.txt", "echo $HOME \\$x \\\\ 'a' \"b\"", "a\\", "[ -e x ] && y",
    "--mount=x y", "cat <<EOF\nx\nEOF", "#!/bin/sh\nset -e\n# comment\n  # another\n\n\n\techo \\\n  $x\n",
    " a", "a ", "# a", "a\tb", "a\rb", "a\r\nb", "é 训练 😀\n$(x)", "echo '<<'", "\\", "\n", "a\n", "a\n\\",
    "a \\ \nb", "'", '"', "`x`", "a\x85", "x\u2028", '["a"]', "cat << 'E O'", "a\n#\n", "\ufeffa",
]  # fmt: skip
WORDS = [
    "main.py", "a b", "it's", 'say "x"', "$HOME", "${X:-y}", "a\\b", "\\", "<<EOF", "<<-x", "[a-z]*", "é",
    "a\nb", "#a", "--from=x", "--", "a,b",
]  # fmt: skip


def instructions(text: str) -> list[tuple[str, str]]:
    """Names and texts as the parser has them: lines joined, comments and empty lines within an instruction dropped."""
    found: list[tuple[str, str]] = []
    joined = ""
    open_line = False
    for line in text.split("\n")[:-1]:
        if re.match(r"\s*#", line) or (open_line and not line.strip()):
            continue
        joined += line if open_line else line.lstrip()
        continued = re.sub(r"\\[ \t]*$", "", joined)
        open_line = continued != joined
        joined = continued
        if not open_line and joined:
            name, _, rest = joined.strip().partition(" ")
            found.append((name, rest.strip()))
            joined = ""
    assert not open_line
    return found


def word(text: str) -> str:
    """What the shell-word lexer makes of ``text``; it must not come to a variable."""
    out, at, quote = "", 0, ""
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'" and (not quote or text[at + 1] in '"$\\'):
            at += 1
            out += text[at]
        elif char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
        else:
            assert char != "$" or quote == "'", text
            out += char
        at += 1
    assert not quote, text
    return out


def command(text: str) -> str:
    """What ``/bin/sh -c`` gets from the text of a RUN."""
    assert not re.match("--", text)
    if text.startswith("["):
        shell, option, script = json.loads(text)
        assert (shell, option) == ("/bin/sh", "-c")
        return str(script)
    assert "<<" not in text
    return text


def build(*steps: CopyStep | RunStep, **fields: object) -> Build:
    made = job(role("worker"), build=Build.model_validate({"base": "python:3.11", "steps": steps, **fields})).build
    assert made is not None
    return made


def run(text: str) -> RunStep:
    return RunStep(command=text)


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(str.strip)
TRICKY = st.text(alphabet="\n\\#[]<<-\"' $\tab", min_size=1).filter(str.strip)


@settings(max_examples=300)
@given(TRICKY | TEXT | st.sampled_from([text for text in COMMANDS if text.strip()]))
def test_commands_reach_the_shell_as_they_are(text: str) -> None:
    written = dockerfile.write(build(run(text), run("echo end")))
    first, second, third = instructions(written.text)
    assert first == ("FROM", "python:3.11")
    assert (second[0], command(second[1])) == ("RUN", text)
    assert third == ("RUN", "echo end")
    assert len(written.lines) == written.text.count("\n")


@given(TRICKY | TEXT | st.sampled_from(WORDS), TRICKY | TEXT | st.sampled_from(WORDS))
def test_copied_names_stay_what_they_are(source: str, destination: str) -> None:
    step = CopyStep(source=source, destination=destination)
    [_, (name, text)] = instructions(dockerfile.write(build(step)).text)
    assert name == "COPY"
    assert "<<" not in text
    assert not any(re.match(r"\d*<<", part) for part in json.loads(text))
    assert [word(part) for part in json.loads(text)] == [source, destination]


@given(st.lists(TRICKY | TEXT | st.sampled_from(WORDS), min_size=1))
def test_the_entrypoint_is_the_argv(argv: list[str]) -> None:
    [_, (name, text)] = instructions(dockerfile.write(build(entrypoint=tuple(argv))).text)
    assert (name, json.loads(text)) == ("ENTRYPOINT", argv)


@given(TRICKY | TEXT | st.sampled_from(WORDS))
def test_the_work_folder_stays_what_it_is(folder: str) -> None:
    made = build(workdir=folder)
    if re.search(r"[\x00-\x1f\x7f]", folder):
        assert [path for path, _ in dockerfile.problems(made)] == ["build.workdir"]
        return
    [_, (name, text)] = instructions(dockerfile.write(made).text)
    assert not text.startswith("--")
    assert (name, word(text)) == ("WORKDIR", folder)


def test_reads_like_a_dockerfile() -> None:
    made = build(
        CopyStep(source="main.py", destination="/app/main.py"),
        RunStep(command="pip install -r requirements.txt"),
        RunStep(command="set -e\nif x; then\n  # why\n  y\nfi\n"),
        base="tensorflow/tensorflow:2.17.0",
        workdir="/app",
        entrypoint=("python", "/app/main.py"),
    )
    written = dockerfile.write(made)
    assert (
        written.text
        == r"""FROM tensorflow/tensorflow:2.17.0
WORKDIR /app
COPY ["main.py", "/app/main.py"]
RUN pip install -r requirements.txt
RUN ["/bin/sh", "-c", "\
set -e\n\
if x; then\n\
\u0020 # why\n\
\u0020 y\n\
fi\n\
"]
ENTRYPOINT ["python", "/app/main.py"]
"""
    )
    assert written.lines == (
        "build.base",
        "build.workdir",
        "build.steps[0]",
        "build.steps[1]",
        *["build.steps[2]"] * 7,
        "build.entrypoint",
    )


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"base": "a b"}, "build.base"),
        ({"base": "a\nRUN x"}, "build.base"),
        ({"base": "$X"}, "build.base"),
        ({"base": "--platform=x"}, "build.base"),
        ({"workdir": "/a\nRUN x"}, "build.workdir"),
        ({"steps": (run(" "),)}, "build.steps[0]"),
    ],
)
def test_what_no_dockerfile_can_say(fields: dict[str, object], path: str) -> None:
    made = build(**fields)
    assert [where for where, _ in dockerfile.problems(made)] == [path]
    with pytest.raises(ValueError, match=re.escape(path)):
        dockerfile.write(made)


@pytest.mark.parametrize("base", ["python", "r.example.com:5000/a/b:1.2_x-y", "a@sha256:" + "0" * 64])
def test_names_of_images(base: str) -> None:
    assert dockerfile.problems(build(base=base)) == []


@pytest.mark.parametrize(("version", "jdk"), [("3.4.1", "default-jdk-headless"), ("2.10.2", "openjdk-8-jdk-headless")])
def test_hadoop_sets_what_tensorflow_needs(version: str, jdk: str) -> None:
    made = build(hadoop=version, entrypoint=("python", "a.py"))
    parsed = instructions(dockerfile.write(made).text)
    assert [name for name, _ in parsed] == ["FROM", "ARG", "ARG", "RUN", "ENV", "ENTRYPOINT"]
    assert parsed[2][1] == f"HADOOP_JDK={jdk}"
    environment = dict(entry.split("=", 1) for entry in parsed[4][1].split())
    assert {"CLASSPATH", "LD_LIBRARY_PATH", "HADOOP_HDFS_HOME", "JAVA_HOME"} <= environment.keys()
    assert "*" not in environment["CLASSPATH"]
    assert parsed[5][1] == '["python", "a.py"]'


def test_hadoop_commands_are_clean() -> None:
    [script] = [text for name, text in instructions(dockerfile.write(build(hadoop="3.4.1")).text) if name == "RUN"]
    checked = subprocess.run(
        [SHELLCHECK, "-s", "sh", "-e", "SC2154", "-"], input=script, capture_output=True, text=True, check=False
    )
    assert checked.stdout == ""


def test_hadoop_commands_run_in_order(tmp_path: object) -> None:
    """The unpacking and linking tried out with stand-ins for apt-get, curl and javac, and an archive like Apache's."""
    root = str(tmp_path)
    [script] = [text for name, text in instructions(dockerfile.write(build(hadoop="3.4.1")).text) if name == "RUN"]
    script = re.sub(r"(?<![\w/])/(?:opt|tmp|var)/", lambda found: root + found.group(), script)
    made = rf"""
set -eu
cd {root}
mkdir -p opt tmp var/lib/apt/lists/x bin jdk/bin jdk/lib/server
mkdir -p src/hadoop-3.4.1/bin src/hadoop-3.4.1/lib/native src/hadoop-3.4.1/share/doc
touch jdk/lib/server/libjvm.so src/hadoop-3.4.1/lib/native/libhdfs.so src/hadoop-3.4.1/share/doc/big
printf '#!/bin/sh\necho "$JAVA_HOME $*" > "$3"\n' > src/hadoop-3.4.1/bin/hadoop
printf '#!/bin/sh\n' > jdk/bin/javac
printf '#!/bin/sh\necho "$*" >> {root}/apt\n' > bin/apt-get
printf '#!/bin/sh\necho "$4" > {root}/url; cp {root}/a.tar.gz "$3"\n' > bin/curl
chmod +x jdk/bin/javac bin/* src/hadoop-3.4.1/bin/hadoop
ln -s ../jdk/bin/javac bin/javac
tar -czf a.tar.gz -C src hadoop-3.4.1
PATH={root}/bin:$PATH HADOOP_MIRROR=https://mirror HADOOP_JDK=jdk
export PATH HADOOP_MIRROR HADOOP_JDK
{script}
cat {root}/apt {root}/url {root}/opt/hadoop/classpath.jar
ls {root}/opt/hadoop {root}/opt/hadoop/share {root}/tmp {root}/var/lib/apt/lists; readlink -f {root}/opt/jvm
"""
    done = subprocess.run(["sh", "-c", made], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.replace(root, "").splitlines() == [
        "update",
        "install -y --no-install-recommends ca-certificates curl jdk",
        "https://mirror/hadoop/common/hadoop-3.4.1/hadoop-3.4.1.tar.gz",
        "/opt/java classpath --jar /opt/hadoop/classpath.jar",
        *["/opt/hadoop:", "bin", "classpath.jar", "lib", "share", "", "/opt/hadoop/share:", "", "/tmp:", ""],
        *["/var/lib/apt/lists:", "/jdk/lib/server"],
    ]
