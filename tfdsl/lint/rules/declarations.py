"""Declarations that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.diagnostics import Diagnostic, Edit, Rule
from tfdsl.lint.view import ProgramView
from tfdsl.semantics.project import used_templates
from tfdsl.semantics.scope import members

UNUSED_LET = Rule("TFJ3001", "unused-let", "warning", "let {name} is never used")


def unused_let(view: ProgramView) -> Iterator[Diagnostic]:
    """A let that nothing uses.

    ## Why

    It is checked but has no effect. Often its name is misspelt where it should be used.

    ## Bad

    ```tfjob
    let unused = 1
    job mnist {
      image = "registry.example.com/mnist:1.4"

      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"

      role worker { }
    }
    ```
    """
    # Unused declarations of a main file that has jobs; a file without jobs is for others to include.
    for name, node in view.program.lets.items():
        if name not in view.used and view.owns(node.span):
            yield UNUSED_LET(node.name.span, name=name).fix("remove it", Edit(view.whole_lines(node.span), ""))


UNUSED_PARAM = Rule("TFJ3002", "unused-param", "warning", "param {name} is never used")


def unused_param(view: ProgramView) -> Iterator[Diagnostic]:
    """A param that nothing uses.

    ## Why

    It is checked but has no effect. Often its name is misspelt where it should be used.

    ## Bad

    ```tfjob
    param unused: int = 1
    job mnist {
      image = "registry.example.com/mnist:1.4"

      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"

      role worker { }
    }
    ```
    """
    # Unused declarations of a main file that has jobs; a file without jobs is for others to include.
    for name, node in view.program.params.items():
        if name not in view.used and view.owns(node.span):
            yield UNUSED_PARAM(node.name.span, name=name).fix("remove it", Edit(view.whole_lines(node.span), ""))


UNUSED_TEMPLATE = Rule("TFJ3003", "unused-template", "warning", "template {name} is never used")


def unused_template(view: ProgramView) -> Iterator[Diagnostic]:
    """A template that nothing uses.

    ## Why

    It is checked but has no effect. Often its name is misspelt where it should be used.

    ## Bad

    ```tfjob
    template unused { gpu = 1 }
    job mnist {
      image = "registry.example.com/mnist:1.4"

      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"

      role worker { }
    }
    ```
    """
    # Unused declarations of a main file that has jobs; a file without jobs is for others to include.
    for name, node in view.program.templates.items():
        if f"template {name}" not in view.used and view.owns(node.span):
            yield UNUSED_TEMPLATE(node.name.span, name=name).fix("remove it", Edit(view.whole_lines(node.span), ""))


UNUSED_AXIS = Rule(
    "TFJ3004", "unused-axis", "warning", "axis {name} is never used: its jobs differ only in their names"
)


def unused_axis(view: ProgramView) -> Iterator[Diagnostic]:
    """An axis of a matrix that nothing uses.

    ## Why

    The jobs that differ only in this axis are the same but for their names. Often its value should be passed to the
    program.

    ## Bad

    ```tfjob
    job digits {
      image = "registry.example.com/digits:1.4"
      command = ["python", "train.py", "--lr=0.1"]
      matrix { lr = [0.1, 0.01] }

      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job digits {
      image = "registry.example.com/digits:1.4"
      command = ["python", "train.py", "--lr=${matrix.lr}"]
      matrix { lr = [0.1, 0.01] }

      role worker { }
    }
    ```
    """
    # Unused axes of the jobs of the main file.
    for job in view.program.jobs:
        matrix = job.matrix
        if matrix is None:
            continue
        templates = view.program.templates
        used = members((job, *(templates[name] for name in used_templates((job,), templates))), "matrix")
        for axis in matrix.axes:
            if axis.key.text not in used:
                yield UNUSED_AXIS(axis.key.span, name=axis.key.text).help(f"use ${{matrix.{axis.key.text}}} in the job")
