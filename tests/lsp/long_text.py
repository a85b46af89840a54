"""A text of about 500 lines, as somebody would write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_HEAD = """\
edition 1

param workers: int = 4 { description = "training replicas", min = 1, max = 64 }
let registry = "registry.example.com/ml"

template gpu_node {
  gpu           = 1
  node_selector = { accelerator = "a100" }
}

profile prod { workers = 16 }
"""
_JOB = """
job mnist{n} {{
  image   = "${{registry}}/mnist:1.{n}"
  command = ["python", "/app/train.py", "--steps=5000"]
  retries = 2
  env     = {{
    MODE  = "fast"
    NAME  = "${{job.name}}-${{role.name}}"
    INDEX = "${{task.index}}"
    TOKEN = secret("token", "value")
  }}

  # where data comes from
  mount pvc "mnist-data" at "/data" readonly
  mount pvc "runs" at "/runs" {{ sub_path = "{n}" }}
  output "/tmp/export" to "/runs/${{job.name}}/export"

  role chief {{ gpu = 1, cpu = 4, memory = 16Gi }}
  role worker {{
    use gpu_node
    replicas      = workers
    cpu           = 4
    memory        = 16Gi
    min_available = min(workers, 2)
  }}
  role ps {{ replicas = 2, cpu = 2, memory = 8Gi }}
  role tensorboard {{ logdir = "/runs/${{job.name}}", memory = 2Gi }}

  on failed => restart container

  target volcano {{
    version = "1.15"
    queue   = "research"
    on evicted => restart job
    patch "metadata.annotations" += {{ "volcano.sh/preemptable" = "true" }}
  }}
}}
"""
_PIECES = (
    *("{", "}", "[", "]", "(", ")", '"', '"""', "'''", "${", "\n", "\r\n", "\n\n", " ", "\t", "#", "=", "=>", ","),
    *("job x {", "role ps {", "mount ", "on failed =>", "let y = 1\n", "template t { }\n", 'include "x"\n'),
    *("é", "𝒳", "\u2028", "\x00", "workers", "16Gi", "1h30m", "gpu = 1\n", "use gpu_node\n", "# tfdsl: allow[x] y\n"),
)


def long_text(lines: int = 500) -> str:
    """At least so many lines, without errors."""
    text, number = _HEAD, 0
    while text.count("\n") < lines:
        text += _JOB.format(n=number)
        number += 1
    return text


def random_edit(text: str, chance: random.Random) -> tuple[int, int, str]:
    """A place to replace (start, end) and with what, as fingers and clipboards do."""
    start = chance.randrange(len(text) + 1)
    kind = chance.random()
    if kind < 0.35:
        return start, start, chance.choice(_PIECES)
    if kind < 0.6:
        return start, start, chance.choice("abcdefgh =\n1")
    if kind < 0.9:
        return start, min(len(text), start + chance.randrange(4)), ""
    end = min(len(text), start + chance.randrange(200))
    piece = chance.randrange(len(text) + 1)
    return start, end, text[piece : piece + chance.randrange(200)]
