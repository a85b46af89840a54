"""A secret written as plain text.

## Why

Whoever can read the job file, the manifest or the pod can read it, and it stays in the history of the
repository; what is in a command is in the list of processes too, what is in a step of `build` in the image.
`docs/security.md` says who can read what on each target.

A secret is told by its name (`API_TOKEN`, `--password`, `dbPassword`) or by its form (`ghp_…`, a private key,
`scheme://user:password@host`). A path, as in `PASSWORD_FILE` or `KEYTAB = "/keys/user.keytab"`, is none.

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

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule
from tfdsl.semantics.secrets import secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3017", "plain-secret", "warning", "{name} looks like a secret and is written as plain text")

_HELP = {
    "env": 'write secret("name", "key"); where a target has no secrets, read a file of the nodes (mount host)',
    "command": 'put it into env with secret("name", "key") and read the variable in the program',
    "metadata": "leave it out: whoever may read the job reads its labels and annotations",
    "build": "mount it for the step (RUN --mount=type=secret): what a step holds stays in the image",
    "patch": "refer to a Secret, with valueFrom.secretKeyRef",
    "address": "leave the password out of the address",
}


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Whatever the job holds as plain text, under the name or in the form of a secret."""
    for secret in secrets(view.job):
        yield RULE(secret.span, name=secret.name).marked(secret.form).help(_HELP[secret.where])
