"""What the pages cannot show: texts from nowhere, files without jobs, arguments that are no text."""

from __future__ import annotations

import pytest

from tfdsl import targets
from tfdsl.semantics.check import Checked, check
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import load
from tfdsl.semantics.request import Choice, Given, GivenOption, Request
from tfdsl.semantics.values import ListData, MapData
from tfdsl.text import Source

JOB = 'job j { image = "i", role worker { } }\n'


def run(
    text: str, *, origin: str | None = "main.tfjob", target: str | None = None, given: tuple[Given, ...] = (),
    options: tuple[GivenOption, ...] = (), files: dict[str, str] | None = None,
) -> tuple[list[str], Checked]:  # fmt: skip
    there = files or {}

    def read(path: str) -> Source | str:
        return Source(path, there[path], path) if path in there else "there is no such file"

    program = load(Source("main.tfjob", text, origin), read)
    rows = targets.find(target) if target else None
    wanted = (Choice(rows),) if rows is not None else ()
    checked = check(program, Request(None, given, options), wanted)
    return [found.rule.slug for found in (*program.diagnostics, *checked.diagnostics)], checked


def test_standard_input_includes_nothing() -> None:
    assert run(f'include "a.tfjob"\n{JOB}', origin=None)[0] == ["include-without-folder"]


def test_standard_input_reads_no_file() -> None:
    assert run(f'let a = file("a.txt")\n{JOB}', origin=None)[0] == ["file-problem"]


@pytest.mark.parametrize("text", ["", "\n", "let a = 1\n", "# only a comment\n"])
def test_a_file_without_a_job_is_fine_until_it_is_compiled(text: str) -> None:
    assert run(text)[0] == []
    assert run(text, target="volcano")[0] == ["no-job"]


def test_no_job_is_not_said_of_a_broken_text() -> None:
    assert "no-job" not in run("job {{{", target="volcano")[0]


@pytest.mark.parametrize("text", ["\udcff", "a\udcffb", "\0"])
def test_an_argument_that_is_no_text(text: str) -> None:
    given = (Given("tag", Source("--set tag", text)),)
    assert run(f"param tag: string\n{JOB}", given=given)[0] == ["nul-character"]


def test_an_argument_of_line_ends_is_a_text() -> None:
    given = (Given("tag", Source("--set tag", "a\r\nb")),)
    assert run(f"param tag: string\n{JOB}", given=given)[0] == []


@pytest.mark.parametrize("text", ["", "1 +", "}", "a = 1", '"x'])
def test_an_argument_that_is_no_expression(text: str) -> None:
    slugs = run(f"param n: int\n{JOB}", given=(Given("n", Source("--set n", text)),))[0]
    assert slugs
    assert "missing-param" not in slugs


def test_the_last_of_several_arguments_counts() -> None:
    given = (Given("n", Source("--set n", "bad")), Given("n", Source("--set n", "2")))
    assert run(f"param n: int\n{JOB}", given=given)[0] == []


def test_an_argument_may_use_lets_however_long_their_chain_is() -> None:
    chain = "".join(f"let a{n} = a{n + 1} + 1\n" for n in range(3000))
    given = (Given("n", Source("--set n", "a0 + 1")),)
    assert run(f"param n: int\n{chain}let a3000 = 1\n{JOB}", given=given)[0] == []


def test_lines_of_a_file_know_their_place() -> None:
    source = Source("nodes.txt", "a\n\n  bad\u0000name\n")
    program = load(Source("m", f"param hosts: list<string>\n{JOB}", "m"), lambda path: "no")
    given = (Given("hosts", source, form="lines"),)
    found = check(program, Request(None, given)).diagnostics
    assert [one.span.source.position(one.span.start) for one in found] == [(3, 3)]


def test_option_lists_come_from_files_too() -> None:
    options = (GivenOption("kubernetes", "hosts", Source("nodes.txt", "n1\r\nn2\n\n"), form="lines"),)
    slugs, checked = run(JOB, target="kubernetes", options=options)
    assert slugs == []
    assert checked.jobs[0].options["hosts"] == ("n1", "n2")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("n1,n2", '["n1", "n2"]'),
        ("node-1", '["node-1"]'),
        (" 10.0.0.1,host.example.com, ", '["10.0.0.1", "host.example.com"]'),
        ("a.b-c", '["a.b-c"]'),
        ("n$1:80", '["n$1:80"]'),
    ],
)
def test_a_list_without_its_brackets(text: str, written: str) -> None:
    given = (Given("hosts", Source("--set hosts", text)),)
    option = (GivenOption("kubernetes", "hosts", Source("-O kubernetes.hosts", text)),)
    for made in (
        run(f"param hosts: list<string> = []\n{JOB}", given=given),
        run(JOB, target="kubernetes", options=option),
    ):
        assert made[0] == ["wrong-type"]
        assert made[1].diagnostics[0].fixes[0].edits[0].text == written


@pytest.mark.parametrize("text", ["both", "all.both", ' ["n1", "n2"] ', "true ? both : []"])
def test_an_expression_for_a_list(text: str) -> None:
    texts = f'param hosts: list<string>\nlet both = ["n1"]\nlet all = {{ both = ["n2"] }}\n{JOB}'
    assert run(texts, given=(Given("hosts", Source("--set hosts", text)),))[0] == []


def test_a_chain_of_includes_ends() -> None:
    files = {f"x{n}.tfjob": f'include "x{n + 1}.tfjob"\n' for n in range(2000)}
    assert run(f'include "x0.tfjob"\n{JOB}', files=files)[0] == ["include-missing"]


def test_a_file_is_read_once() -> None:
    times: list[str] = []

    def read(path: str) -> Source | str:
        times.append(path)
        return Source(path, "text", path)

    text = "".join(f'let a{n} = file("x/../b.txt")\n' for n in range(50)) + JOB
    check(load(Source("m", text, "m"), read), Request())
    assert times == ["b.txt"]


def test_what_is_used_is_known() -> None:
    text = "let a = 1\nlet b = a\nlet c = 2\ntemplate t { use u }\ntemplate u { cpu = c }\ntemplate v { }\n"
    checked = run(f'{text}job j {{ image = "i", role worker {{ use t }} }}\n')[1]
    assert checked.used == {"a", "c", "template t", "template u"}


def test_each_wanted_target_has_all_jobs_in_file_order() -> None:
    text = JOB + JOB.replace("job j", "job k")
    rows = [targets.find(name) for name in ("volcano", "tfjob")]
    program = load(Source("m", text, "m"), lambda path: "no")
    wanted = tuple(Choice(row) for row in rows if row is not None)
    checked = check(program, Request(), wanted)
    assert [(job.target, job.name) for job in checked.jobs] == [
        ("volcano", "j"), ("volcano", "k"), ("tfjob", "j"), ("tfjob", "k"),
    ]  # fmt: skip


HEAD = 'command = ["a"]\nmount pvc "p" at "/q"\n'


@pytest.mark.parametrize(
    ("text", "slug", "help_", "fixes"),
    [
        ("num_workers = 4", "unknown-attribute", "did you mean replicas? It goes in a role block", 0),
        ("minAvailable = 3", "unknown-attribute", "did you mean min_available? It goes in a role block", 0),
        ("role ps { quueue = 1 }", "unknown-attribute", "did you mean queue? It goes in a job block", 0),
        (
            'args = ["--i=${POD}"]',
            "unknown-name",
            "write ${env.POD} for an environment variable, or \\${POD} for the literal text",
            0,
        ),
        (
            'output "/a" to "/q"',
            "output-not-durable",
            "the destination is the name of the copy: add a name below the mount",
            0,
        ),
        ("role ps { cpu = 0.0001 }", "out-of-range", "the smallest amount is a thousandth, 1m", 0),
    ],
)
def test_help_that_fits_the_place(text: str, slug: str, help_: str, fixes: int) -> None:
    slugs, checked = run(f'job j {{ image = "i"\n{HEAD}{text}\nrole worker {{ }} }}\n')
    assert slugs == [slug]
    (found,) = checked.diagnostics
    assert help_ in found.helps
    assert len(found.fixes) == fixes


@pytest.mark.parametrize("default", ["", " = 4Gi"])
def test_a_param_that_may_have_no_value_is_told_at_its_setting(default: str) -> None:
    text = f"param q: quantity{default} {{ one_of = [] }}\n{JOB}"
    slugs, checked = run(text, given=(Given("q", Source("--set q", "1Gi")),))
    assert slugs == ["out-of-range"]
    assert checked.diagnostics[0].span.text == "[]"


@pytest.mark.parametrize("name", ["true", "false", "job"])
def test_words_that_no_let_can_give_a_meaning(name: str) -> None:
    assert run(f"let {name} = 3\n{JOB}")[0] == ["reserved-name"]


# The grammar of github.com/distribution/reference, which kubelet, docker and YARN's runtime follow.
@pytest.mark.parametrize(
    "image",
    [
        "mnist",
        "mnist:1.4",
        "tensorflow/tensorflow:2.15.0-gpu",
        "localhost/x",
        "localhost:5000/a/b__c/d-e.f:V_1",
        "Registry.example.com/x",
        "REGISTRY/x",
        "r.example.com/x:1@sha256:" + "0aF" * 22,
        "r.example.com/x@sha256:" + "0" * 64,
    ],
)
def test_images_that_a_kubelet_takes(image: str) -> None:
    assert run(f'job j {{ image = "{image}", role worker {{ }} }}\n')[0] == []


@pytest.mark.parametrize(
    "image",
    [
        "MNIST:1.4",
        "r.example.com/ml/MNIST:1.4",
        "a b",
        "\\u{1}x",
        "é:1",
        "a//b",
        "/a",
        "a/",
        "a___b",
        "-a",
        "a-",
        "x:",
        "x:-1",
        "x:" + "1" * 129,
        "x:1:2",
        "x@sha256:12",
        "x@",
        "https://r.example.com/x",
    ],
)
def test_images_that_no_kubelet_takes(image: str) -> None:
    assert run(f'job j {{ image = "{image}", role worker {{ }} }}\n')[0] == ["object-name"]


def taken(declared: str, text: str) -> tuple[list[str], object]:
    """The slugs and the value of a param whose value is a literal."""
    program = load(Source("m", f"param p: {declared}\n{JOB}", "m"), lambda path: "no files here")
    slugs: list[str] = []
    params = Params(
        program, None, (Given("p", Source("p", text), "literal"),), lambda found: slugs.append(found.rule.slug)
    )
    value = params.lookup("p")
    assert value is not None
    return slugs, value.data


@pytest.mark.parametrize(
    ("declared", "text", "shown"),
    [
        ("quantity", '"16Gi"', "16Gi"),
        ("quantity", '"4"', "4"),
        ("quantity", "4", "4"),
        ("quantity", '"10m"', "10m"),
        ("duration", '"1h30m"', "1h30m"),
        ("duration", '"10m"', "10m"),
        ("string", '"16Gi"', "16Gi"),
        ("string", r'"\${home} $ \" \\"', '${home} $ " \\'),
    ],
)
def test_a_string_of_a_literal_is_the_amount_that_the_param_asks_for(declared: str, text: str, shown: str) -> None:
    slugs, data = taken(declared, text)
    assert slugs == []
    assert str(data) == shown


def test_amounts_stand_inside_of_lists_and_maps() -> None:
    slugs, data = taken("map<list<quantity>>", '{ a = ["1Gi", "2Gi"] }')
    assert slugs == []
    assert isinstance(data, MapData)
    inner = data.entries["a"].value.data
    assert isinstance(inner, ListData)
    assert [str(item.data) for item in inner.items] == ["1Gi", "2Gi"]


@pytest.mark.parametrize(
    ("declared", "text", "slug"),
    [
        ("quantity", '"much"', "wrong-type"),
        ("quantity", '"16GB"', "bad-unit"),
        ("quantity", '"1.2.3"', "wrong-type"),
        ("quantity", f'"{"9" * 5000}Gi"', "too-large"),
        ("int", '"8"', "wrong-type"),
        ("string", "8", "wrong-type"),
        ("bool", '"true"', "wrong-type"),
        ("list<string>", '"a"', "wrong-type"),
    ],
)
def test_a_literal_of_another_type_is_refused(declared: str, text: str, slug: str) -> None:
    assert taken(declared, text)[0] == [slug]
