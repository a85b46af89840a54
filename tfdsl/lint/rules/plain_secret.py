"""A secret written as plain text.

## Why

Whoever can read the job file, the manifest or the pod can read it, and it stays in the history of the
repository.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  env   = { API_TOKEN = "s3cr3t-value" }
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  env   = { API_TOKEN = secret("hub", "token") }
  role worker { }
}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3017", "plain-secret", "warning", "{name} looks like a secret and is written as plain text")


_SECRET = re.compile(
    r"(^|_)(PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|CREDENTIALS?|(API|ACCESS|PRIVATE|SECRET)_?KEY)$", re.I
)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Variables with the name of a secret and a text that is not empty."""
    for role in view.job.roles:
        for name, value in role.entries("env").items():
            if isinstance(value.data, str) and value.data and _SECRET.search(name):
                yield RULE(value.span, name=name).help('write secret("name", "key")')
