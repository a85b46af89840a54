"""A secret in plain text.

## Why

Everyone who can read the job file, the manifest or the pod can read it, and it stays in the history of the
repository. A secret in a command also shows in the list of processes; one in a step of `build` stays in the image.
`docs/security.md` says who can read what on each target.

A secret is recognised by its name (`API_TOKEN`, `--password`, `dbPassword`) or by its form (`ghp_…`, a private key,
`scheme://user:password@host`). A path, as in `PASSWORD_FILE` or `KEYTAB = "/keys/user.keytab"`, is not a secret.

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

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.semantics.secrets import secrets

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView
    from tfdsl.text import Span

RULE = Rule("TFJ3017", "plain-secret", "warning", "{name} looks like a secret in plain text")

_HELP = {
    "env file": "put it in a Secret (kubectl create secret generic NAME --from-env-file=FILE) and write "
    'env_from = [secret("NAME")]',
    "env": 'write secret("name", "key"), or read a file of the node (mount host) on a target without secrets',
    "command": 'put it in env with secret("name", "key"), and read the variable in the program',
    "metadata": "remove it: everyone who can read the job can read its labels and annotations",
    "build": "mount it for the step (RUN --mount=type=secret): what is in a step stays in the image",
    "patch": "refer to a Secret, with valueFrom.secretKeyRef",
    "option": "let the program read it from a file of the node (mount host)",
    "address": "remove the password from the address",
}


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Texts with the name or the form of a secret."""
    of_files: dict[Span, list[str]] = {}
    for secret in secrets(view.job):
        if secret.where == "env file":
            of_files.setdefault(secret.span, []).append(secret.name)
        else:
            yield RULE(secret.span, name=secret.name).marked(secret.form).help(_HELP[secret.where])
    for span, (name, *others) in of_files.items():  # all that one call reads is at the same place
        more = f" (and {len(others)} more from this file)" if others else ""
        yield RULE(span, name=f"{name}{more}").help(_HELP["env file"])
