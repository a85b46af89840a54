"""``python -m tests.fuzz SECONDS [SEED]``: random inputs for so long; what fails is kept in ``fuzz-findings``.

Every other input is a sound text with a mistake, whose fixes are proved; the text that was meant is kept beside it.
"""

from __future__ import annotations

import sys
import time
import traceback
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz import inputs, mending
from tests.fuzz.target import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FINDINGS = Path("fuzz-findings")


def main(seconds: float, seed: int) -> int:
    """Run; gives 1 when anything was found."""
    end = time.monotonic() + seconds
    count = found = 0
    seen: set[str] = set()
    for work, texts in _work(seed):
        if time.monotonic() > end:
            break
        count += 1
        try:
            work()
        except Exception as error:  # everything is a finding
            kind = _kind(error)
            if kind in seen:
                continue
            seen.add(kind)
            found += 1
            print(f"{_keep(texts)}: {kind}: {error}", flush=True)
    print(f"{count} inputs from seed {seed}, {found} findings")
    return int(found > 0)


def _work(seed: int) -> Iterator[tuple[Callable[[], object], dict[str, bytes]]]:
    """What to do, and the texts to keep, by the end of their names, if it fails."""
    for data, (path, wrong) in zip(inputs.endless(seed), mending.endless(seed), strict=True):
        yield lambda data=data: run(data), {".tfjob": data}
        texts = {".tfjob": wrong.text.encode(), ".meant.tfjob": wrong.meant.encode()}
        yield lambda path=path, wrong=wrong: mending.prove(path, wrong), texts


def _kind(error: Exception) -> str:
    if isinstance(error, mending.Finding):
        return str(error).partition(", ")[0].partition(" leads")[0]
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"


def _keep(texts: dict[str, bytes]) -> Path:
    """Write the texts into the folder; gives the first one's path."""
    FINDINGS.mkdir(exist_ok=True)
    stem = sha256(texts[".tfjob"]).hexdigest()[:12]
    for end, data in texts.items():
        (FINDINGS / f"{stem}{end}").write_bytes(data)
    return FINDINGS / f"{stem}.tfjob"


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 1_000_000))
