"""``tfdsl fmt``: canonical, idempotent, same meaning, all comments kept."""

from __future__ import annotations

import random
from pathlib import Path
from textwrap import dedent

import pytest

from tests.unit.syntax.programs import Writer
from tests.unit.syntax.shapes import shape
from tfdsl.syntax import parse
from tfdsl.syntax.format import format_source
from tfdsl.text import Source

DATA = Path(__file__).with_name("data")


def formatted(text: str) -> str:
    result, diagnostics = format_source(Source("test", text))
    assert diagnostics == ()
    return result


def code(text: str) -> str:
    return dedent(text).lstrip("\n")


def assert_sound(text: str) -> None:
    before = parse(Source("before", text))
    assert before.diagnostics == (), text
    result = formatted(text)
    after = parse(Source("after", result))
    assert after.diagnostics == (), result
    assert shape(after.file.declarations) == shape(before.file.declarations), result
    assert [each.text for each in after.file.comments] == [each.text.rstrip() for each in before.file.comments], result
    assert formatted(result) == result, text
    assert "\r" not in result
    assert result.endswith("\n") or not result
    assert "\n\n\n" not in outside_blocks(result)


def outside_blocks(text: str) -> str:
    """The text without the content of text blocks, which may hold anything."""
    for mark in ('"""', "'''"):
        text = "".join(text.split(mark)[::2])
    return text


@pytest.mark.parametrize("path", sorted(DATA.glob("*.tfjob")), ids=lambda path: path.name)
def test_examples_keep_their_meaning(path: Path) -> None:
    assert_sound(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["seed-simpletfjob", "seed-slider", "seed-tfjob", "seed-yarn"])
def test_these_examples_are_already_canonical(name: str) -> None:
    text = (DATA / f"{name}.tfjob").read_text(encoding="utf-8")
    assert formatted(text) == text


@pytest.mark.slow
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_generated_programs_keep_their_meaning(line_end: str) -> None:
    for seed in range(200):
        assert_sound(Writer(random.Random(seed), line_end).program())


def test_keys_of_neighbouring_lines_are_aligned() -> None:
    assert formatted('job a {\nimage="x"\n  gpu = 1\n\n\nmemory=2Gi\n# why\ncpu=1, port = 2\n}') == code(
        """
        job a {
          image = "x"
          gpu   = 1

          memory = 2Gi
          # why
          cpu  = 1
          port = 2
        }
        """
    )


def test_roles_on_one_line_are_aligned_but_not_with_long_names() -> None:
    assert formatted(
        'job a {\nrole chief{gpu=1}\nrole ps {}\nrole tensorboard { logdir = "/l" }\nrole ps {\n}\n}'
    ) == code(
        """
        job a {
          role chief { gpu = 1 }
          role ps    { }
          role tensorboard { logdir = "/l" }
          role ps { }
        }
        """
    )


def test_a_block_stays_on_its_line_only_when_it_fits() -> None:
    long = "x" * 80
    assert formatted(f'job a {{ role ps {{ image = "{long}", cpu = 1 }} }}') == code(
        f"""
        job a {{
          role ps {{
            image = "{long}"
            cpu   = 1
          }}
        }}
        """
    )
    assert formatted("job a {\n  role ps {\n    cpu = 1\n  }\n}\n") == "job a {\n  role ps {\n    cpu = 1\n  }\n}\n"


def test_a_list_is_on_one_line_when_it_fits_and_was_not_left_open() -> None:
    assert formatted("let a = [\n1\n2, 3]") == "let a = [1, 2, 3]\n"
    assert formatted("let a = [1, 2,]") == "let a = [1, 2]\n"
    assert formatted("let a = [1, 2,\n]") == "let a = [\n  1,\n  2,\n]\n"
    words = ", ".join(['"0123456789"'] * 8)
    assert formatted(f"let a = [{words}]") == "let a = [\n" + '  "0123456789",\n' * 8 + "]\n"


def test_conditions_and_the_blocks_beside_the_command() -> None:
    text = """
        job "a-${matrix.index}"  when  prod {
        image="x" when !prod
        gpu   =1   when prod&&n>1
        matrix { lr=[0.1,0.01] }
        use gpu_node   when prod
        mount pvc "d" at "/d" readonly  when prod{keep=true}
        output "/a" to "/b" on always from chief when prod
        on worker failed after 1m   when prod=>restart job
        prepare "fetch-data" when prod { command="x" }
        sidecar proxy{image="y"}
        unset env [ "A" ]when prod
        unset   on exit [ 1,2 ]
        role chief { }
        role ps  when  prod { replicas=2 }
        role worker { }
        target volcano { patch pod "a"=1   unchecked when prod, unpatch   pod "b" }
        }
        """
    assert formatted(code(text)) == code(
        """
        job "a-${matrix.index}" when prod {
          image = "x" when !prod
          gpu   = 1 when prod && n > 1
          matrix { lr = [0.1, 0.01] }
          use gpu_node when prod
          mount pvc "d" at "/d" readonly when prod { keep = true }
          output "/a" to "/b" on always from chief when prod
          on worker failed after 1m when prod => restart job
          prepare "fetch-data" when prod { command = "x" }
          sidecar proxy { image = "y" }
          unset env["A"] when prod
          unset on exit [1, 2]
          role chief { }
          role ps when prod { replicas = 2 }
          role worker { }
          target volcano { patch pod "a" = 1 unchecked when prod, unpatch pod "b" }
        }
        """
    )


def test_a_long_condition_stays_on_its_lines() -> None:
    long = "w" * 60
    text = f"job a {{\n  gpu = 1 when {long} &&\n    {long}  # why\n}}\n"
    assert formatted(text) == text
    opened = formatted(f'job a {{ args = ["{long}", "{long}"] when prod }}')
    assert opened == f'job a {{\n  args = [\n    "{long}",\n    "{long}",\n  ] when prod\n}}\n'


def test_spaces_within_a_line() -> None:
    text = "param  p :list< int >  = - 1+( 2*-x )\njob a { on worker [ 0 ]  exit 1 .. 3=>fail  job\n"
    text += "x=!a . b [0]?f ( 1 ,2 ):{} }"
    assert formatted(text) == code(
        """
        param p: list<int> = -1 + (2 * -x)
        job a {
          on worker[0] exit 1..3 => fail job
          x = !a.b[0] ? f(1, 2) : { }
        }
        """
    )


def test_comments_stay_with_what_they_are_about() -> None:
    text = code(
        """
        # head

        # about a
        let a = 1  # one

        job b {  # opening
          # first
          cpu = 1  # trailing
          args = [
            # before
            "x",  # of x
            # last
          ]

          # dangling
        }
        # end
        """
    )
    assert formatted(text.replace("  # ", "# ").replace("cpu = 1", "cpu=1")) == text.replace("cpu = 1", "cpu  = 1")


def test_the_content_of_blocks_of_text_is_kept() -> None:
    text = 'job a {\ncommand = """\n  set -e\n\n    echo "${x}"  \n  """\nx = \'\'\'\n\t$raw\n\t\'\'\'\n}'
    result = formatted(text)
    assert result == (
        'job a {\n  command = """\n    set -e\n\n      echo "${x}"  \n    """\n  x = \'\'\'\n    $raw\n    \'\'\'\n}\n'
    )
    assert shape(parse(Source("a", result)).file.declarations) == shape(parse(Source("b", text)).file.declarations)


def test_windows_line_ends_and_the_byte_order_mark_go() -> None:
    assert formatted("\ufefflet a = 1\r\n\r\n\r\n\r\nlet b = 2 # x\r\n") == "let a = 1\n\nlet b = 2  # x\n"


@pytest.mark.parametrize("text", ["", "\n", "\n\n \n", "\ufeff"])
def test_an_empty_text_stays_empty(text: str) -> None:
    assert formatted(text) == ""


def test_a_text_of_comments_only() -> None:
    assert formatted("\n\n  # a\n\n\n# b") == "# a\n\n# b\n"


def test_only_declarations_without_errors_are_formatted() -> None:
    broken = "job b {\r\n  cpu  =  = 4\n\n\n}\n"
    text = f"let   a=1\n\n\n\n# about b\n{broken}\n\n# about c\njob c {{ gpu=1 }}\n"
    result, diagnostics = format_source(Source("test", text))
    assert len(diagnostics) == 1
    assert result == f"let a = 1\n\n# about b\n{broken}\n\n# about c\njob c {{ gpu = 1 }}\n"
    again, _ = format_source(Source("test", result))
    assert again == result


def test_a_long_expression_keeps_the_line_ends_it_was_written_with() -> None:
    word = "w" * 60
    text = f'let a = "{word}" +\n  "{word}"\n'
    assert formatted(text) == text
    assert formatted('let a = "x" +\n  "y"\n') == 'let a = "x" + "y"\n'
