"""``python -m tests.fuzz.guided FOLDER``: inputs that follow the coverage of the compiler, with atheris (libFuzzer).

``FOLDER`` keeps the inputs that reach something new; it is filled with the corpus when it is empty. The options of
libFuzzer may follow, ``-max_total_time=600`` say.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tfdsl", "tfdsl_backends"]):
    from tests.fuzz.target import run


def main() -> None:
    """Fill the folder and run until something is found or the time is up."""
    from tests.fuzz.programs import corpus

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        for text in corpus():
            (folder / sha256(text.encode()).hexdigest()[:12]).write_text(text, encoding="utf-8")
    atheris.Setup(sys.argv, run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
