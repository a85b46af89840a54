"""``python -m tests.fuzz SECONDS [SEED]``: random inputs for so long; what fails is kept in ``fuzz-findings``."""

from __future__ import annotations

import sys
import time
import traceback
from hashlib import sha256
from pathlib import Path

from tests.fuzz import inputs
from tests.fuzz.target import run

FINDINGS = Path("fuzz-findings")


def main(seconds: float, seed: int) -> int:
    """Run; gives 1 when anything was found."""
    end = time.monotonic() + seconds
    count = found = 0
    seen: set[str] = set()
    for data in inputs.endless(seed):
        if time.monotonic() > end:
            break
        count += 1
        try:
            run(data)
        except Exception as error:  # everything is a finding
            last = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
            if kind in seen:
                continue
            seen.add(kind)
            found += 1
            FINDINGS.mkdir(exist_ok=True)
            name = FINDINGS / f"{sha256(data).hexdigest()[:12]}.tfjob"
            name.write_bytes(data)
            print(f"{name}: {kind}: {error}", flush=True)
    print(f"{count} inputs from seed {seed}, {found} findings")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 1_000_000))
