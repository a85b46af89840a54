"""What a page does with the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tfdsl_playground.asked import input_of
from tfdsl_playground.questions import ask
from tfdsl_playground.session import Session

ROOT = Path(__file__).parents[3]

JOB = """\
param lr: number = 0.1

job mnist {
  image = "registry.example.com/mnist:1"
  command = ["python", "train.py", "--lr=${lr}"]
  role worker { replicas = 2 }
}
"""


class Page:
    """A page with one file, and what it was told last."""

    def __init__(self) -> None:
        self.session = Session()
        self.revision = 0

    def update(self, text: str, target: str = "kubernetes", **more: Any) -> str | None:
        """Give the engine a text; ``more`` is of ``Input``, ``files`` are beside the text."""
        self.revision += 1
        files = {"main.tfjob": text, **more.pop("files", {})}
        asked = {"revision": self.revision, "files": files, "main": "main.tfjob", "target": target, **more}
        return self.session.update(input_of(json.loads(json.dumps(asked))))

    def checked(self, *, diagnostics: bool = True) -> dict[str, Any]:
        """The text alone."""
        return sent(self.session.checked(diagnostics=diagnostics))

    def compiled(self) -> Any:
        """The output."""
        return sent(self.session.compiled())

    def ask(self, question: str, **about: Any) -> Any:
        """The answer of a question."""
        return sent(ask(self.session, question, about))

    def text_of(self, text: str, **more: Any) -> str:
        """The first output of ``text``."""
        assert self.update(text, **more) is None
        found = self.compiled()
        assert found["outputs"], [one["message"] for one in found["diagnostics"]]
        return str(found["outputs"][0]["text"])


def sent(answer: object) -> Any:
    """``answer`` as it arrives in JavaScript."""
    return json.loads(json.dumps(answer))
