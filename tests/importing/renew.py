"""Write the expected texts and messages of the cases: ``python -m tests.importing.renew [NAME…]``."""

from __future__ import annotations

import sys

from tests.importing.cases import cases, imported, said


def main(names: list[str]) -> None:
    for case in cases():
        if names and not any(name in case.name for name in names):
            continue
        result = imported(case)
        for path, text in ((case.expected, result.text), (case.messages, said(result))):
            if text:
                path.write_text(text, "utf-8")
            else:
                path.unlink(missing_ok=True)


if __name__ == "__main__":
    main(sys.argv[1:])
